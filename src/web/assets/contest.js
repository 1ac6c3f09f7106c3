// Shows a contest: its score, and every game to step through. A page that was written holds all of
// it; a page that is served asks every second for what is new. All foreign text goes in as text;
// the only markup put in is the board renderer's and what is drawn here, which holds squares and
// numbers.

import { at } from "./app/elements.js";
import { inLanguage } from "./app/ends.js";
import { showPicture } from "./app/picture.js";
import { createLine, seekIn } from "./app/stepper.js";
import { currentLanguage, speak, words } from "./app/words.js";

const ASK_EVERY = 1000;
const games = [];
let playing = [];
let contest = null; // which contest the server shows
let latest = null; // what was heard last
let total = 0;
let shown = null; // the number of the game on the board
let ply = 0;
let follows = true; // whether the board follows the last move

const element = (name, text, className = "") => {
  const node = document.createElement(name);
  node.textContent = text;
  node.className = className;
  return node;
};

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
  const plies = Math.max(1, game.moves.length);
  const lines = [[], []];
  game.values.forEach((value, index) => {
    if (value === null) return;
    const at = game.opening + index;
    lines[isFirstToMove(game, at) ? 0 : 1].push(`${((at + 1) * 1000 / plies).toFixed(1)} ${(160 - 160 * value).toFixed(1)}`);
  });
  const path = (points) => (points.length > 1 ? `M${points.join("L")}` : "");
  const now = (ply * 1000 / plies).toFixed(1);
  at("values").innerHTML = `<path class="half" d="M0 80H1000"/><path class="first-value" d="${path(lines[0])}"/>` +
    `<path class="second-value" d="${path(lines[1])}"/><path class="cursor" d="M${now} 0V160"/>`;
  const none = lines[0].length + lines[1].length < 2;
  at("values").toggleAttribute("hidden", none);
  at("values-note").hidden = none;
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
  for (const [number, { button }] of rows) {
    if (number === shown) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
};

const last = () => gameOf(shown)?.moves.length ?? 0;

const go = createLine(last, (wanted) => {
  // At the last move of a game in progress the board goes on following it.
  follows = wanted === last() && gameOf(shown)?.winner === null;
  show(wanted);
});
seekIn(at("values"), last, go);

const choose = (number, isLast) => {
  shown = number;
  go(isLast || gameOf(number).winner === null ? last() : 0);
};

// ---- The score

const scale = (low, high) => (value) => 20 + (360 * (Math.min(Math.max(value, low), high) - low)) / (high - low);
const label = (x, text) => `<text class="mark" x="${x.toFixed(1)}" y="42">${text}</text>`;

const drawElo = (score) => {
  const known = score && score.elo !== null;
  at("elo").toggleAttribute("hidden", !known);
  if (!known) return;
  // An end without a bound reaches the edge of the scale.
  const [low, high] = score.elo_interval ?? [null, null];
  const furthest = Math.max(Math.abs(score.elo), Math.abs(low ?? 0), Math.abs(high ?? 0));
  const reach = Math.max(50, Math.ceil(furthest / 50) * 50);
  const x = scale(-reach, reach);
  const bound = (end) => (end === null ? words().noBound : end.toFixed(1));
  at("elo").innerHTML = `<path class="axis" d="M20 18H380M${x(0)} 8V28"/><path class="bar" d="M${x(low ?? -reach).toFixed(1)} 18H${x(high ?? reach).toFixed(1)}"/>` +
    `<circle class="point" cx="${x(score.elo).toFixed(1)}" cy="18" r="6"/>${label(20, -reach)}${label(x(0), "Elo 0")}${label(380, `+${reach}`)}`;
  at("elo").setAttribute("aria-label", words().eloLabel(score.elo.toFixed(1), bound(low), bound(high)));
};

const drawSprt = (sprt) => {
  at("sprt").toggleAttribute("hidden", !sprt);
  if (!sprt) return;
  const [low, high] = sprt.bounds;
  const x = scale(low, high);
  at("sprt").innerHTML = `<path class="axis" d="M20 8V28M380 8V28M20 18H380"/><path class="bar" d="M${x(0).toFixed(1)} 18H${x(sprt.llr).toFixed(1)}"/>` +
    `<circle class="point" cx="${x(sprt.llr).toFixed(1)}" cy="18" r="6"/>${label(40, `${low.toFixed(2)} H0`)}${label(200, `LLR ${sprt.llr.toFixed(2)}`)}${label(360, `H1 ${high.toFixed(2)}`)}`;
  at("sprt").setAttribute("aria-label", words().sprtLabel(sprt.llr.toFixed(2), low.toFixed(2), high.toFixed(2)));
};

const showScore = ({ report, text, over }) => {
  const count = report ? report.games : 0;
  at("state").textContent = words().progress(count, total, playing.length, over) +
    (report && report.faults ? ` · ${words().faults(report.faults)}` : "");
  at("text").textContent = text || "";
  if (!report) return;
  const { score } = report;
  at("score").textContent = score ? `${report.players[0].name} ${score.wins} – ${score.losses} ${report.players[1].name}` : "";
  drawElo(score);
  drawSprt(report.sprt);
};

// The rows of the list by game number. A row stays in the page while its game changes, so that a
// click finds its button and the keyboard keeps its place.
const rows = new Map();

const listGames = () => {
  const begin = (number) => {
    const button = element("button", "");
    button.type = "button";
    button.dataset.number = number;
    button.addEventListener("click", () => choose(number));
    const row = element("li", "");
    row.append(button);
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

at("language").value = currentLanguage();
at("language").addEventListener("change", () => {
  speak(at("language").value);
  if (!latest) return;
  listGames();
  showScore(latest);
  show(ply);
});
speak();

const data = JSON.parse(at("data").textContent);
if (data) take(data);
else ask();
