// Animates a move: the amazon moves, then the arrow flies, then the burnt square appears.

const GLIDE = 220;
const FLIGHT = 180;

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Animates a move between points of the SVG. Returns the milliseconds until the arrow lands. */
export const animateMove = (layer, { queen, burnt, from, to, arrow, byHand }) => {
  if (still.matches || document.hidden) return 0;
  const glide = byHand ? 0 : GLIDE;
  const way = (a, b) => `${a[0] - b[0]}px ${a[1] - b[1]}px`;
  if (glide) queen?.animate([{ translate: way(from, to) }, { translate: "0 0" }], { duration: glide, easing: "ease-in-out" });
  burnt?.animate([{ opacity: 0 }, { opacity: 0, offset: 0.9 }, { opacity: 1 }], { duration: glide + FLIGHT });
  layer.innerHTML = `<circle class="dart" r="1.2" cx="${arrow[0]}" cy="${arrow[1]}" opacity="0"/>`;
  const dart = layer.firstElementChild;
  const flight = dart.animate(
    [{ opacity: 1, translate: way(to, arrow) }, { opacity: 1, translate: "0 0" }],
    { duration: FLIGHT, delay: glide, easing: "ease-in" },
  );
  flight.onfinish = () => dart.remove();
  return glide + FLIGHT;
};
