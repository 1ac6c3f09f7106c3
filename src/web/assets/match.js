// Shows the matches in Botzone logs move by move. Text from a log is never inserted as markup.

import { chancesPicture } from "./app/chances.js";
import { byId, buttonItem, element } from "./app/elements.js";
import { inLanguage, playerOf } from "./app/outcome.js";
import { showPicture } from "./app/picture.js";
import { keepInSight, markCurrent } from "./app/lists.js";
import { createStepper, listenToPointer } from "./app/stepper.js";
import { listenToLanguage, words } from "./app/words.js";

const matches = JSON.parse(document.getElementById("data").textContent);
const MIN_MARKED_LOSS = 0.1; // the smallest loss of winning chances that is marked
const MAX_GRAPH_MARKS = 3; // the largest number of moves that the graph marks
let match = matches[0];
let points = []; // the start and each move, with the analysis of its position
let ply = 0;

const percent = (share) => `${Math.round(share * 100)} %`;

const showPairs = (target, pairs) => {
  byId(target).replaceChildren(...pairs.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
};

const moveItem = (point) => {
  const row = buttonItem("", () => goToPly(point.at));
  const button = row.firstElementChild;
  button.append(element("span", String(point.at), "number"), element("span", point.move, "move"));
  if (point.lost >= MIN_MARKED_LOSS) {
    const cost = element("span", `−${percent(point.lost)}`, "cost");
    cost.title = words().gaveAway(point.move, percent(point.lost));
    button.append(cost);
  }
  return row;
};

const nameOfPlayer = (side) => playerOf(match.words.names, side);

const timesText = (times) => {
  if (!times) return words().noTimes;
  return words().times(times.mean_ms.toFixed(0), times.worst_ms.toFixed(0), times.worst_ply);
};

const showMatch = (index, wanted = 0) => {
  match = matches[index];
  const { positions = [], losses = [] } = match.analysis ?? {};
  points = [match, ...match.moves].map((point, at) => ({
    ...point,
    at,
    seen: positions[at],
    ...losses.find((loss) => loss.ply === at),
  }));
  document.title = match.title;
  byId("title").textContent = match.title;
  byId("result").textContent = inLanguage(match.words.sentence);
  byId("chances").hidden = !match.analysis;
  byId("slider").max = match.plies;
  byId("moves").replaceChildren(...points.slice(1).map(moveItem));
  showPairs("players", ["first", "second"].map((side) => [nameOfPlayer(side), timesText(match.times[side])]));
  const wrong = match.disagreements;
  byId("verdict").textContent = wrong.length ? words().disagrees(wrong.length) : words().agrees(match.board);
  byId("disagreements").replaceChildren(...wrong.map(({ message }) => element("li", message)));
  goToPly(wanted);
};

const costsOf = (turn) => [["time", turn?.time_ms, "ms"], ["memory", turn?.memory_mb, "MB"]].flatMap(([name, cost, unit]) =>
  (typeof cost === "number" ? [[words().facts[name], `${cost.toFixed(0)} ${unit}`]] : []));

const factsOf = (point) => {
  const all = words();
  const facts = [];
  if (point.move) facts.push([all.facts.move, `${point.move}, ${nameOfPlayer(point.side)}`]);
  facts.push(...costsOf(point), [all.facts.legal, all.legalMoves(...point.counts)]);
  if (point.seen) facts.push([all.facts.chance, percent(point.seen.first) + (point.seen.proven ? ` (${all.proven})` : "")]);
  if (point.lost) facts.push([all.facts.cost, all.preferred(percent(point.lost), point.best)]);
  const { failure } = match.words;
  if (!failure || ply < match.plies) return facts;
  const took = costsOf(match.last).map(([, cost]) => cost);
  facts.push([all.facts.then, `${nameOfPlayer(failure.side)} ${inLanguage(failure.action)}`]);
  if (took.length) facts.push([all.facts.took, took.join(", ")]);
  if (match.last?.debug) facts.push([all.facts.last, match.last.debug]);
  return facts;
};

const drawChances = () => {
  const { positions, losses } = match.analysis;
  const dearest = losses.filter(({ lost }) => lost >= MIN_MARKED_LOSS).slice(0, MAX_GRAPH_MARKS);
  const chances = positions.map((seen) => [seen.ply, seen.first]);
  byId("graph").innerHTML = chancesPicture([chances], dearest.map((loss) => loss.ply), ply, match.plies);
};

const captionOf = (point, last) => {
  const all = words();
  return point.move ? all.plyText(ply, last, all.inSentence[point.side], point.move) : all.startText(last);
};

const showPly = (wanted) => {
  ply = wanted;
  const point = points[ply];
  const text = captionOf(point, match.plies);
  const { debug } = point;
  showPicture(byId("board"), match.position, match.moves.slice(0, ply).map(({ move }) => move));
  byId("now").textContent = text;
  showPairs("facts", factsOf(point));
  byId("debug").textContent = debug || "";
  byId("debug").hidden = !debug;
  byId("slider").value = ply;
  byId("slider").setAttribute("aria-valuetext", text);
  const row = byId("moves").children[ply - 1];
  markCurrent(byId("moves"), row?.firstElementChild);
  keepInSight(byId("moves"), row);
  if (match.analysis) drawChances();
};

const goToPly = createStepper(() => match.plies, showPly);
byId("slider").addEventListener("input", () => goToPly(Number(byId("slider").value)));
listenToPointer(byId("graph"), () => match.plies, goToPly);

if (matches.length > 1) {
  byId("matches").replaceChildren(...matches.map((one, index) => new Option(one.title, String(index))));
  byId("matches").addEventListener("change", () => showMatch(Number(byId("matches").value)));
  byId("choice").hidden = false;
}
listenToLanguage(() => showMatch(matches.indexOf(match), ply));
const openedIndex = Math.max(matches.findIndex((one) => one.opens_at != null), 0);
byId("matches").value = openedIndex;
showMatch(openedIndex, matches[openedIndex].opens_at ?? 0);
