// Draws a graph of winning chances by ply: one curve for the first player's chances, or a curve
// for each player's estimate of its own chances. A chance of 0 is at the bottom, and 1 at the top.

const WIDTH = 1000;
const HEIGHT = 200;

/** Draws winning chances as SVG. Each of the one or two `curves` is a list of pairs [ply, chance].
 * The area below a single curve is coloured. Vertical lines mark the plies in `marked` and the
 * current ply `now`. `last` is the last ply of the game. */
export const chancesPicture = (curves, marked, now, last) => {
  const across = (ply) => (last ? (ply * WIDTH) / last : 0).toFixed(1);
  const lines = curves.map((curve) => curve.map(([ply, chance]) => `${across(ply)} ${((1 - chance) * HEIGHT).toFixed(1)}`).join("L"));
  const [[from], [to]] = [curves[0][0] ?? [0], curves[0].at(-1) ?? [0]];
  return (
    `<svg class="graph" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">` +
    `<path class="ground" d="M0 0H${WIDTH}V${HEIGHT}H0Z"/><path class="half" d="M0 ${HEIGHT / 2}H${WIDTH}"/>` +
    (lines.length === 1 ? `<path class="share" d="M${lines[0]}L${across(to)} ${HEIGHT}L${across(from)} ${HEIGHT}Z"/>` : "") +
    marked.map((ply) => `<path class="blunder" d="M${across(ply)} 0V${HEIGHT}"/>`).join("") +
    lines.map((line, index) => (line ? `<path class="chance${index ? " second" : ""}" d="M${line}"/>` : "")).join("") +
    `<path class="cursor" d="M${across(now)} 0V${HEIGHT}"/></svg>`
  );
};
