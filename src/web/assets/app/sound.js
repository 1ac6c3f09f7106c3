// Plays the sounds of the page: a low tone for an amazon, a high tone for an arrow, and three tones
// for the end of a game.

let context = null;

const openAudio = () => {
  // Browsers allow sound only after a click or a key.
  if (!navigator.userActivation?.hasBeenActive) return null;
  context ??= new AudioContext();
  return context;
};

const playTone = (start, pitch, length) => {
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  tone.frequency.setValueAtTime(pitch, start);
  tone.frequency.exponentialRampToValueAtTime(pitch / 2, start + length);
  volume.gain.setValueAtTime(0.18, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  tone.connect(volume).connect(context.destination);
  tone.start(start);
  tone.stop(start + length);
};

/** Plays a tone for the amazon now, and a tone for its arrow `delay` milliseconds later. */
export const playMoveSound = (delay) => {
  if (!openAudio()) return;
  playTone(context.currentTime, 320, 0.09);
  playTone(context.currentTime + delay / 1000, 900, 0.06);
};

export const playEndSound = () => {
  if (!openAudio()) return;
  [392, 523, 659].forEach((pitch, index) => playTone(context.currentTime + 0.14 * index, pitch, 0.3));
};
