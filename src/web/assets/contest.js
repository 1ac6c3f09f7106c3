// Shows a match or tournament of programs, with its score and its games. A saved page contains all
// games. A page from a running match asks the server for new moves every second. Text from players
// is inserted as text, never as markup.

import { chancesPicture } from "./app/chances.js";
import { byId, buttonItem, element } from "./app/elements.js";
import { inLanguage } from "./app/outcome.js";
import { showPicture } from "./app/picture.js";
import { markCurrent } from "./app/lists.js";
import { createStepper, listenToPointer } from "./app/stepper.js";
import { listenToLanguage, words } from "./app/words.js";

const POLL_MS = 1000;
const games = [];
let latest = null; // the last answer of the server
let shown = null; // the number of the game on the board
let ply = 0;
let follows = true; // true if the board shows each new move

const gameOf = (number) => [...games, ...(latest?.playing ?? [])].find((game) => game.number === number);
const isFirstToMove = (game, count) => (game.start.split(" ")[1] === "w") === (count % 2 === 0);

const showPlayer = (id, game, index) => {
  const node = byId(id);
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
  byId("graph").innerHTML = chancesPicture(curves, [], ply, game.moves.length);
  byId("graph").parentNode.hidden = byId("values-note").hidden = curves.flat().length < 2;
};

const showPly = (wanted) => {
  const game = gameOf(shown);
  if (!game) return;
  const last = game.moves.length;
  ply = wanted;
  showPicture(byId("board"), game.start, game.moves.slice(0, ply));
  showPlayer("top", game, 1);
  showPlayer("bottom", game, 0);
  const time = ply > game.opening ? game.times[ply - 1 - game.opening] : undefined;
  const all = words();
  const parts = [all.gameText(game.number, ply, last)];
  if (ply > 0) parts.push(game.moves[ply - 1] + (ply <= game.opening ? ` (${all.opening})` : ""));
  if (time != null) parts.push(`${(1000 * time).toFixed(0)} ms`);
  if (ply === last && game.winner !== null) parts.push(all.wonBy(game.players[game.winner], inLanguage(game.reason)));
  byId("now").textContent = parts.join(" · ");
  drawValues(game);
  markCurrent(byId("games"), rows.get(shown)?.firstElementChild);
};

const lastPly = () => gameOf(shown)?.moves.length ?? 0;

const goToPly = createStepper(lastPly, (wanted) => {
  // If the user goes to the last move of an unfinished game, the board will show each new move.
  follows = wanted === lastPly() && gameOf(shown)?.winner === null;
  showPly(wanted);
});
listenToPointer(byId("graph"), lastPly, goToPly);

const chooseGame = (number, isLast) => {
  shown = number;
  goToPly(isLast || gameOf(number).winner === null ? lastPly() : 0);
};

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
  byId("results").replaceChildren(...(score ? [] : [head, ...rows]));
};

const showScore = ({ report, text, over, total, playing }) => {
  const all = words();
  const count = report ? report.games : 0;
  byId("state").textContent = all.progress(count, total, playing.length, over) + (report?.faults ? ` · ${all.faults(report.faults)}` : "");
  byId("text").textContent = text || "";
  if (!report) return;
  const { score, sprt } = report;
  byId("score").textContent = score ? `${report.players[0].name} ${score.wins} – ${score.losses} ${report.players[1].name}` : "";
  showResults(report);
  const bound = (end) => end?.toFixed(1) ?? all.noBound;
  const [low, high] = score?.elo_interval ?? [];
  byId("elo").textContent = typeof score?.elo === "number" ? all.eloLabel(score.elo.toFixed(1), bound(low), bound(high)) : "";
  byId("sprt").textContent = sprt ? all.sprtLabel(...[sprt.llr, ...sprt.bounds].map((number) => number.toFixed(2))) : "";
};

/** The rows of the list of games, by the games' numbers. A row is changed, not replaced, so that a
 * click during an update is not lost. */
const rows = new Map();

const rowOf = (number) => {
  if (rows.has(number)) return rows.get(number);
  const row = buttonItem("", () => chooseGame(number));
  row.dataset.number = number;
  // The list begins with the newest game, so a row is inserted before the row of an older game.
  let older = byId("games").firstElementChild;
  while (older && Number(older.dataset.number) > number) older = older.nextElementSibling;
  byId("games").insertBefore(row, older);
  rows.set(number, row);
  return row;
};

const listGames = () => {
  const all = [...games, ...latest.playing];
  const numbers = new Set(all.map(({ number }) => number));
  for (const [number, row] of rows) {
    if (numbers.has(number)) continue;
    row.remove();
    rows.delete(number);
  }
  for (const { number, winner, moves, fault, reason, players } of all) {
    const row = rowOf(number);
    const result = winner === null ? "·" : winner === 0 ? "1-0" : "0-1";
    const how = winner === null ? words().atPly(moves.length) : words().pliesPlayed(moves.length) + (fault ? `, ${inLanguage(reason)}` : "");
    const cells = [[number, "number"], [players.join(" – "), ""], [result, ""], [how, fault ? "how fault" : "how"]];
    const said = cells.join();
    if (row.dataset.said === said) continue;
    row.dataset.said = said;
    row.firstElementChild.replaceChildren(...cells.map(([text, className]) => element("span", text, className)));
  }
};

const showLatest = () => {
  listGames();
  showScore(latest);
};

const showUpdate = (update) => {
  // If another match now runs on the server, loads the whole page again.
  if (latest !== null && update.contest !== latest.contest) {
    location.reload();
    return;
  }
  for (const game of update.games) games.push(game);
  latest = update;
  showLatest();
  const current = gameOf(shown);
  // If the board showed each new move and the game has ended, shows the next game in progress.
  if (!current || (follows && current.winner !== null)) {
    const next = update.playing[0] || games.at(-1);
    if (next) chooseGame(next.number, true);
  } else if (follows) {
    goToPly(lastPly());
  } else {
    showPly(ply);
  }
};

const pollServer = async () => {
  try {
    const response = await fetch(`api/contest?since=${games.length}`);
    const update = await response.json();
    showUpdate(update);
    if (update.over) return;
  } catch {
    byId("state").textContent = words().gone;
  }
  setTimeout(pollServer, POLL_MS);
};

listenToLanguage(() => {
  if (!latest) return;
  showLatest();
  showPly(ply);
});

const data = JSON.parse(byId("data").textContent);
if (data) showUpdate(data);
else pollServer();
