// Shows a contest: its score, and every game to step through. A page that was written holds all of
// it; a page that is served asks every second for what is new. All foreign text goes in as text;
// the only markup put in is the board renderer's and what is drawn here, which holds squares and
// numbers.

import { chancesPicture } from "./app/chances.js";
import { at, choice, element } from "./app/elements.js";
import { inLanguage } from "./app/ends.js";
import { showPicture } from "./app/picture.js";
import { markCurrent } from "./app/sight.js";
import { createLine, seekIn } from "./app/stepper.js";
import { listenToLanguage, speak, words } from "./app/words.js";

const ASK_EVERY = 1000;
const games = [];
let playing = [];
let contest = null; // which contest the server shows
let latest = null; // what was heard last
let total = 0;
let shown = null; // the number of the game on the board
let ply = 0;
let follows = true; // whether the board follows the last move

// ---- The game on the board

const gameOf = (number) => games.find((game) => game.number === number) || playing.find((game) => game.number === number);
const isFirstToMove = (game, count) => (game.start.split(" ")[1] === "w") === (count % 2 === 0);

const seat = (id, game, index) => {
  const node = at(id);
  const over = game.winner !== null;
  node.className = !over && ply === game.moves.length && isFirstToMove(game, ply) === (index === 0) ? "seat turn" : "seat";
  node.innerHTML = `<svg viewBox="0 0 10 10" aria-hidden="true"><use href="#board-q${index}"/></svg><b></b><i></i>`;
  node.querySelector("b").textContent = game.players[index];
  node.querySelector("i").textContent = over && game.winner === index ? `★ ${words().won}` : "";
};

const drawValues = (game) => {
  const curves = [[], []];
  game.values.forEach((value, index) => {
    const count = game.opening + index;
    if (value !== null) curves[isFirstToMove(game, count) ? 0 : 1].push([count + 1, value]);
  });
  at("graph").innerHTML = chancesPicture(curves, [], ply, game.moves.length);
  at("graph").parentNode.hidden = at("values-note").hidden = curves.flat().length < 2;
};

/** Shows the game on the board after `wanted` plies. */
const show = (wanted) => {
  const game = gameOf(shown);
  if (!game) return;
  const last = game.moves.length;
  ply = wanted;
  showPicture(at("board"), game.start, game.moves.slice(0, ply));
  seat("top", game, 1);
  seat("bottom", game, 0);
  const time = ply > game.opening ? game.times[ply - 1 - game.opening] : undefined;
  const all = words();
  const parts = [all.gameText(game.number, ply, last)];
  if (ply > 0) parts.push(game.moves[ply - 1] + (ply <= game.opening ? ` (${all.opening})` : ""));
  if (time != null) parts.push(`${(1000 * time).toFixed(0)} ms`);
  if (ply === last && game.winner !== null) parts.push(all.wonBy(game.players[game.winner], inLanguage(game.reason)));
  at("now").textContent = parts.join(" · ");
  drawValues(game);
  markCurrent(at("games"), rows.get(shown)?.button);
};

const last = () => gameOf(shown)?.moves.length ?? 0;

const go = createLine(last, (wanted) => {
  // At the last move of a game in progress the board goes on following it.
  follows = wanted === last() && gameOf(shown)?.winner === null;
  show(wanted);
});
seekIn(at("graph"), last, go);

const choose = (number, isLast) => {
  shown = number;
  go(isLast || gameOf(number).winner === null ? last() : 0);
};

// ---- The score

const scale = (low, high) => (value) => 20 + (360 * (Math.min(Math.max(value, low), high) - low)) / (high - low);

/** Draws a bar from `from` to `to` with a point at `value`, on a scale with ticks and labels; null draws nothing. */
const drawScale = (id, drawing) => {
  at(id).toggleAttribute("hidden", !drawing);
  if (!drawing) return;
  const { x, from, to, value, ticks, labels, text } = drawing;
  at(id).innerHTML = `<path class="axis" d="M20 18H380${ticks.map((tick) => `M${x(tick)} 8V28`).join("")}"/><path class="bar" d="M${x(from)} 18H${x(to)}"/>` +
    `<circle class="point" cx="${x(value)}" cy="18" r="6"/>${labels.map(([left, label]) => `<text class="mark" x="${left}" y="42">${label}</text>`).join("")}`;
  at(id).setAttribute("aria-label", text);
};

const eloDrawing = ({ elo, elo_interval: interval }) => {
  // An end without a bound reaches the edge of the scale.
  const [low, high] = interval ?? [null, null];
  const furthest = Math.max(Math.abs(elo), Math.abs(low ?? 0), Math.abs(high ?? 0));
  const reach = Math.max(50, Math.ceil(furthest / 50) * 50);
  const bound = (end) => (end === null ? words().noBound : end.toFixed(1));
  return {
    x: scale(-reach, reach), from: low ?? -reach, to: high ?? reach, value: elo, ticks: [0],
    labels: [[20, -reach], [200, "Elo 0"], [380, `+${reach}`]], text: words().eloLabel(elo.toFixed(1), bound(low), bound(high)),
  };
};

const sprtDrawing = ({ llr, bounds: [low, high] }) => {
  const [ratio, least, most] = [llr, low, high].map((number) => number.toFixed(2));
  return {
    x: scale(low, high), from: 0, to: llr, value: llr, ticks: [low, high],
    labels: [[40, `${least} H0`], [200, `LLR ${ratio}`], [360, `H1 ${most}`]], text: words().sprtLabel(ratio, least, most),
  };
};

/** The table of a tournament, the best player first: Elo with its error, games, score, and the wins and losses of each pair. */
const showResults = ({ players, wins, score }) => {
  const best = score ? [] : [...players.keys()].sort((one, other) => players[other].elo - players[one].elo);
  const line = (name, cells) => element("tr", cells.map((cell) => element(name, cell ?? "–")));
  const head = line("th", ["", words().playerName, "Elo", "±", words().games, words().score, ...best.map((other) => players[other].name)]);
  const rows = best.map((index, rank) => {
    const [won, lost] = [wins[index], wins.map((row) => row[index])].map((counts) => counts.reduce((sum, count) => sum + count, 0));
    const { name, elo, elo_error: error } = players[index];
    const pairs = best.map((other) => (other === index ? "" : `${wins[index][other]}-${wins[other][index]}`));
    return line("td", [rank + 1, name, elo?.toFixed(0), error?.toFixed(0), won + lost, won + lost && (won / (won + lost)).toFixed(3), ...pairs]);
  });
  at("results").replaceChildren(...(score ? [] : [head, ...rows]));
};

const showScore = ({ report, text, over }) => {
  const count = report ? report.games : 0;
  at("state").textContent = words().progress(count, total, playing.length, over) +
    (report && report.faults ? ` · ${words().faults(report.faults)}` : "");
  at("text").textContent = text || "";
  if (!report) return;
  const { score } = report;
  at("score").textContent = score ? `${report.players[0].name} ${score.wins} – ${score.losses} ${report.players[1].name}` : "";
  showResults(report);
  drawScale("elo", score && score.elo !== null ? eloDrawing(score) : null);
  drawScale("sprt", report.sprt && sprtDrawing(report.sprt));
};

// The rows of the list by game number. A row stays in the page while its game changes, so that a
// click finds its button and the keyboard keeps its place.
const rows = new Map();

const listGames = () => {
  const begin = (number) => {
    const row = choice("", () => choose(number));
    const button = row.firstElementChild;
    button.dataset.number = number;
    // The newest game is first.
    const older = [...rows.keys()].filter((other) => other < number);
    at("games").insertBefore(row, older.length > 0 ? rows.get(Math.max(...older)).row : null);
    rows.set(number, { row, button, said: "" });
  };
  const fill = (game) => {
    const known = rows.get(game.number);
    const result = game.winner === null ? "·" : game.winner === 0 ? "1-0" : "0-1";
    const how = game.winner === null ? words().atPly(game.moves.length) : words().pliesPlayed(game.moves.length) + (game.fault ? `, ${inLanguage(game.reason)}` : "");
    if (known.said === `${result} ${how}`) return;
    known.said = `${result} ${how}`;
    known.button.replaceChildren(element("span", game.number, "number"), element("span", `${game.players[0]} – ${game.players[1]}`), element("span", result), element("span", how, game.fault ? "how fault" : "how"));
  };
  const all = [...games, ...playing];
  const numbers = new Set(all.map((game) => game.number));
  for (const [number, { row }] of rows) {
    if (numbers.has(number)) continue;
    row.remove();
    rows.delete(number);
  }
  for (const game of all) {
    if (!rows.has(game.number)) begin(game.number);
    fill(game);
  }
};

// ---- What is known

const take = (news) => {
  // Another match is at this address by now: its title and games are other ones.
  if (contest !== null && news.contest !== contest) {
    location.reload();
    return;
  }
  contest = news.contest;
  games.push(...news.games);
  playing = news.playing;
  total = news.total;
  latest = news;
  listGames();
  showScore(news);
  const current = gameOf(shown);
  // A game that was followed to its end gives way to the next in progress.
  if (!current || (follows && current.winner !== null)) {
    const next = playing[0] || games.at(-1);
    if (next) choose(next.number, true);
  } else if (follows) {
    go(last());
  } else {
    show(ply);
  }
};

const ask = async () => {
  try {
    const response = await fetch(`api/contest?since=${games.length}`);
    const news = await response.json();
    take(news);
    if (news.over) return;
  } catch {
    at("state").textContent = words().gone;
  }
  setTimeout(ask, ASK_EVERY);
};

listenToLanguage(() => {
  if (!latest) return;
  listGames();
  showScore(latest);
  show(ply);
});
speak();

const data = JSON.parse(at("data").textContent);
if (data) take(data);
else ask();
