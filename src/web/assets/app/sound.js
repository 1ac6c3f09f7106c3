// Synthesises the sounds of the page: a low tone for the amazon, a high tone for the arrow, and
// three tones for the end of a game.

let context = null;

const ready = () => {
  // Browsers allow sound only after a click or a key.
  if (!navigator.userActivation?.hasBeenActive) return null;
  context ??= new AudioContext();
  return context;
};

const knock = (at, pitch, length) => {
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  tone.frequency.setValueAtTime(pitch, at);
  tone.frequency.exponentialRampToValueAtTime(pitch / 2, at + length);
  volume.gain.setValueAtTime(0.18, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + length);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + length);
};

/** Plays the sound of a move whose arrow lands `delay` milliseconds later. */
export const soundOfMove = (delay) => {
  if (!ready()) return;
  knock(context.currentTime, 320, 0.09);
  knock(context.currentTime + delay / 1000, 900, 0.06);
};

/** Plays the sound for the end of a game. */
export const soundOfEnd = () => {
  if (!ready()) return;
  [392, 523, 659].forEach((pitch, index) => knock(context.currentTime + 0.14 * index, pitch, 0.3));
};
