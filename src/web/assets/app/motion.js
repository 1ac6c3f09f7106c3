// The animation of a move: the queen glides, then the arrow flies and its square burns.

const GLIDE = 220;
const FLIGHT = 180;

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Animates a move in the drawing's units; returns the milliseconds until the arrow lands. */
export const animateMove = (layer, { queen, burnt, from, to, arrow, byHand }) => {
  if (still.matches || document.hidden) return 0;
  const glide = byHand ? 0 : GLIDE;
  const way = (a, b) => `${a[0] - b[0]}px ${a[1] - b[1]}px`;
  if (glide) queen?.animate([{ translate: way(from, to) }, { translate: "0 0" }], { duration: glide, easing: "ease-in-out" });
  burnt?.animate([{ opacity: 0 }, { opacity: 0, offset: 0.9 }, { opacity: 1 }], { duration: glide + FLIGHT });
  const dart = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  dart.setAttribute("class", "dart");
  dart.setAttribute("r", "1.2");
  dart.setAttribute("cx", arrow[0]);
  dart.setAttribute("cy", arrow[1]);
  dart.style.opacity = "0";
  layer.replaceChildren(dart);
  const flight = dart.animate(
    [{ opacity: 1, translate: way(to, arrow) }, { opacity: 1, translate: "0 0" }],
    { duration: FLIGHT, delay: glide, easing: "ease-in" },
  );
  flight.onfinish = () => dart.remove();
  return glide + FLIGHT;
};
