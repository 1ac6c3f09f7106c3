// The chances of winning over a game as a picture: the first player's, by ply, from 0 at the bottom to
// 1 on top. Stretches to any width and height.

const WIDTH = 1000;
const HEIGHT = 200;
const MOST_DOTS = 40;

/** `chances` are pairs of a ply and a chance, at least one; uprights mark the plies `marked` and, on the board, `now`. */
export const chancesPicture = (chances, marked, now, last) => {
  const across = (ply) => (last ? (ply * WIDTH) / last : 0).toFixed(1);
  const points = chances.map(([ply, chance]) => [across(ply), ((1 - chance) * HEIGHT).toFixed(1)]);
  const curve = `M${points.map((point) => point.join(" ")).join("L")}`;
  const share = `${curve}L${points.at(-1)[0]} ${HEIGHT}L${points[0][0]} ${HEIGHT}Z`;
  const dots = points.length > MOST_DOTS ? "" : points.map(([x, y]) => `M${x} ${y}h.01`).join("");
  return (
    `<svg class="graph" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">` +
    `<path class="ground" d="M0 0H${WIDTH}V${HEIGHT}H0Z"/><path class="share" d="${share}"/>` +
    `<path class="half" d="M0 ${HEIGHT / 2}H${WIDTH}"/>` +
    marked.map((ply) => `<path class="blunder" d="M${across(ply)} 0V${HEIGHT}"/>`).join("") +
    `<path class="chance" d="${curve}"/><path class="dots" d="${dots}"/>` +
    `<path class="cursor" d="M${across(now)} 0V${HEIGHT}"/></svg>`
  );
};
