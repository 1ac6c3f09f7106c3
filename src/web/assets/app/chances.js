// The chances of winning over a game as a picture: by ply, from 0 at the bottom to 1 on top. Stretches to any width and
// height.

const WIDTH = 1000;
const HEIGHT = 200;
const MOST_DOTS = 40;

/**
 * `curves` are one player's chances, or those of both by their own idea: pairs of a ply and a chance. Uprights mark the
 * plies `marked` and, on the board, `now`. One curve has dots, and a ground that is tinted.
 */
export const chancesPicture = (curves, marked, now, last) => {
  const across = (ply) => (last ? (ply * WIDTH) / last : 0).toFixed(1);
  const lines = curves.map((curve) => curve.map(([ply, chance]) => `${across(ply)} ${((1 - chance) * HEIGHT).toFixed(1)}`));
  const paths = lines.map((points) => (points.length ? `M${points.join("L")}` : ""));
  const single = lines.length === 1 ? lines[0] : [];
  const [from, to] = [single[0], single.at(-1)].map((point) => point?.split(" ")[0]);
  const share = single.length ? `${paths[0]}L${to} ${HEIGHT}L${from} ${HEIGHT}Z` : "";
  const dots = single.length > MOST_DOTS ? "" : single.map((point) => `M${point}h.01`).join("");
  return (
    `<svg class="graph" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">` +
    `<path class="ground" d="M0 0H${WIDTH}V${HEIGHT}H0Z"/><path class="share" d="${share}"/>` +
    `<path class="half" d="M0 ${HEIGHT / 2}H${WIDTH}"/>` +
    marked.map((ply) => `<path class="blunder" d="M${across(ply)} 0V${HEIGHT}"/>`).join("") +
    paths.map((path, index) => `<path class="chance${index ? " second" : ""}" d="${path}"/>`).join("") +
    `<path class="dots" d="${dots}"/><path class="cursor" d="M${across(now)} 0V${HEIGHT}"/></svg>`
  );
};
