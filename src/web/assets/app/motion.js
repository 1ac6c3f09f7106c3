// Animates a move: the amazon moves, then the arrow flies, then the burnt square appears.

const AMAZON_MS = 220;
const ARROW_MS = 180;

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Animates a move, or only its arrow if the user moved the amazon on the board (`byHand`). `from`,
 * `to` and `arrow` are points in SVG units. Returns the duration in milliseconds. */
export const animateMove = (layer, { queen, burnt, from, to, arrow, byHand }) => {
  if (reducedMotion.matches || document.hidden) return 0;
  const glide = byHand ? 0 : AMAZON_MS;
  const offset = (a, b) => `${a[0] - b[0]}px ${a[1] - b[1]}px`;
  if (glide) queen?.animate([{ translate: offset(from, to) }, { translate: "0 0" }], { duration: glide, easing: "ease-in-out" });
  burnt?.animate([{ opacity: 0 }, { opacity: 0, offset: 0.9 }, { opacity: 1 }], { duration: glide + ARROW_MS });
  layer.innerHTML = `<circle class="dart" r="1.2" cx="${arrow[0]}" cy="${arrow[1]}" opacity="0"/>`;
  const dart = layer.firstElementChild;
  const flight = dart.animate(
    [{ opacity: 1, translate: offset(to, arrow) }, { opacity: 1, translate: "0 0" }],
    { duration: ARROW_MS, delay: glide, easing: "ease-in" },
  );
  flight.onfinish = () => dart.remove();
  return glide + ARROW_MS;
};
