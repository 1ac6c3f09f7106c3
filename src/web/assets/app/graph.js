// The chances over the game: the first player's, by ply. Click to go there.

const WIDTH = 1000;
const HEIGHT = 200;
const MARKS = 3;

/** The least loss worth a mark. */
export const WORTH_A_MARK = 0.1;

export const createGraph = (box, seek) => {
  let plies = 0;
  const across = (ply) => (plies ? (ply * WIDTH) / plies : 0);
  const at = (event) => {
    const { left, width } = box.getBoundingClientRect();
    return Math.round(((event.clientX - left) / width) * plies);
  };
  box.addEventListener("pointerdown", (event) => {
    box.setPointerCapture(event.pointerId);
    seek(at(event));
  });
  box.addEventListener("pointermove", (event) => {
    if (box.hasPointerCapture(event.pointerId)) seek(at(event));
  });

  return (game, label) => {
    plies = game.moves.length;
    const points = game.known.map((answer, ply) => answer && [across(ply), (1 - answer.first) * HEIGHT]).filter(Boolean);
    const line = points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    const share = points.length > 1 ? `${line}L${points.at(-1)[0].toFixed(1)} ${HEIGHT}L${points[0][0].toFixed(1)} ${HEIGHT}Z` : "";
    const dots = points.length > 40 ? "" : points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h.01`).join("");
    const marks = game.losses().slice(0, MARKS).filter(({ lost }) => lost >= WORTH_A_MARK);
    const now = across(game.ply).toFixed(1);
    box.innerHTML =
      `<svg class="graph" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">` +
      `<path class="ground" d="M0 0H${WIDTH}V${HEIGHT}H0Z"/><path class="share" d="${share}"/>` +
      `<path class="half" d="M0 ${HEIGHT / 2}H${WIDTH}"/>` +
      marks.map(({ ply }) => `<path class="blunder" d="M${across(ply).toFixed(1)} 0V${HEIGHT}"/>`).join("") +
      `<path class="chance" d="${line}"/><path class="dots" d="${dots}"/>` +
      `<line class="cursor" x1="${now}" x2="${now}" y1="0" y2="${HEIGHT}"/></svg>`;
    box.setAttribute("aria-valuemax", plies);
    box.setAttribute("aria-valuenow", game.ply);
    box.setAttribute("aria-valuetext", label);
  };
};
