// Steps through matches. All text of the log goes in as text; the only markup put in is the board
// renderer's and the graph's own, which hold squares and numbers.

import { chancesPicture } from "./app/chances.js";
import { boardLabel, playerOf, resultSentence } from "./app/describe.js";
import { cellsAfter, piecesOf } from "./app/pieces.js";
import { fenOf } from "./app/rules.js";
import { keepInSight } from "./app/sight.js";
import { currentLanguage, speak, words } from "./app/words.js";

{
  const matches = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const STEP = 700;
  const WORTH_A_MARK = 0.1; // the least loss that is marked
  const MOST_MARKS = 3; // in the graph
  let match = matches[0];
  let points = []; // the start and each move, with what the engine saw after it
  let ply = 0;
  let timer = null;

  const element = (name, text, className) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    if (className) node.className = className;
    return node;
  };

  const percent = (share) => `${Math.round(share * 100)} %`;

  const list = (target, pairs) => {
    at(target).replaceChildren(...pairs.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
  };

  const item = (point) => {
    const button = element("button");
    button.type = "button";
    button.append(element("span", String(point.at), "number"), element("span", point.move, "move"));
    if (point.lost >= WORTH_A_MARK) {
      const cost = element("span", `−${percent(point.lost)}`, "cost");
      cost.title = words().gaveAway(point.move, percent(point.lost));
      button.append(cost);
    }
    button.addEventListener("click", () => { pause(); show(point.at); });
    const row = element("li");
    row.append(button);
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
    at("title").textContent = match.title;
    at("result").textContent = resultSentence(match.words);
    at("board").innerHTML = match.frame;
    at("chances").hidden = !match.analysis;
    at("slider").max = match.plies;
    at("moves").replaceChildren(...points.slice(1).map(item));
    list("players", ["first", "second"].map((side) => [nameOfPlayer(side), timesText(match.times[side])]));
    const wrong = match.disagreements;
    at("verdict").textContent = wrong.length ? words().disagrees(wrong.length) : words().agrees(match.board);
    at("disagreements").replaceChildren(...wrong.map(({ message }) => element("li", message)));
    show(wanted);
  };

  const costsOf = (turn) => {
    const { time, memory } = words().facts;
    return [
      ...(turn?.time_ms == null ? [] : [[time, `${turn.time_ms.toFixed(0)} ms`]]),
      ...(turn?.memory_mb == null ? [] : [[memory, `${turn.memory_mb.toFixed(0)} MB`]]),
    ];
  };

  const factsOf = (point) => {
    const all = words();
    const facts = [];
    if (point.move) facts.push([all.facts.move, `${point.move}, ${nameOfPlayer(point.side)}`]);
    facts.push(...costsOf(point), [all.facts.legal, all.chance(...point.counts)]);
    if (point.seen) facts.push([all.facts.chance, percent(point.seen.first) + (point.seen.proven ? ` (${all.proven})` : "")]);
    if (point.lost) facts.push([all.facts.cost, all.preferred(percent(point.lost), point.best)]);
    const { failure } = match.words;
    if (!failure || ply < match.plies) return facts;
    const took = costsOf(match.last).map(([, cost]) => cost);
    facts.push([all.facts.then, `${nameOfPlayer(failure.side)} ${failure.action[currentLanguage()]}`]);
    if (took.length) facts.push([all.facts.took, took.join(", ")]);
    if (match.last?.debug) facts.push([all.facts.last, match.last.debug]);
    return facts;
  };

  const drawChances = () => {
    const { positions, losses } = match.analysis;
    const dearest = losses.filter(({ lost }) => lost >= WORTH_A_MARK).slice(0, MOST_MARKS);
    const chances = positions.map((seen) => [seen.ply, seen.first]);
    at("graph").innerHTML = chancesPicture(chances, dearest.map((loss) => loss.ply), ply, match.plies);
  };

  const textOf = (point, last) => {
    const all = words();
    return point.move ? all.plyText(ply, last, all.inSentence[point.side], point.move) : all.startText(last);
  };

  const show = (wanted) => {
    const last = match.plies;
    ply = Math.min(Math.max(wanted, 0), last);
    const point = points[ply];
    const board = at("board").firstElementChild;
    const text = textOf(point, last);
    const { debug } = point;
    const cells = cellsAfter(match.position, match.moves.slice(0, ply).map(({ move }) => move));
    board.querySelector(".board-pieces").innerHTML = piecesOf(cells, point.move);
    board.setAttribute("aria-label", boardLabel(fenOf(cells, "w"), point.move));
    at("now").textContent = text;
    list("facts", factsOf(point));
    at("debug").textContent = debug || "";
    at("debug").hidden = !debug;
    at("slider").value = ply;
    at("slider").setAttribute("aria-valuetext", text);
    for (const [id, blocked] of [["home", ply === 0], ["back", ply === 0], ["next", ply === last], ["end", ply === last]]) {
      at(id).disabled = blocked;
    }
    for (const button of at("moves").querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
    const row = at("moves").children[ply - 1];
    if (row) row.firstElementChild.setAttribute("aria-current", "step");
    keepInSight(at("moves"), row);
    if (match.analysis) drawChances();
  };

  const pause = () => {
    clearInterval(timer);
    timer = null;
    at("play").setAttribute("aria-pressed", "false");
  };

  const play = () => {
    if (timer) { pause(); return; }
    if (ply === match.plies) show(0);
    timer = setInterval(() => {
      show(ply + 1);
      if (ply === match.plies) pause();
    }, STEP);
    at("play").setAttribute("aria-pressed", "true");
  };

  const go = (target) => () => { pause(); show(target()); };
  const steps = {
    Home: go(() => 0),
    ArrowLeft: go(() => ply - 1),
    ArrowRight: go(() => ply + 1),
    End: go(() => match.plies),
  };
  for (const [id, key] of [["home", "Home"], ["back", "ArrowLeft"], ["next", "ArrowRight"], ["end", "End"]]) {
    at(id).addEventListener("click", steps[key]);
  }
  at("play").addEventListener("click", play);
  at("slider").addEventListener("input", (event) => { pause(); show(Number(event.target.value)); });
  at("graph").addEventListener("click", (event) => {
    const box = at("graph").getBoundingClientRect();
    pause();
    show(Math.round(((event.clientX - box.left) / box.width) * match.plies));
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // The slider and the chooser have these keys themselves.
    if (event.target.closest("select, input")) return;
    if (steps[event.key]) {
      event.preventDefault();
      steps[event.key]();
    } else if (event.key === " " && !event.target.closest("button, pre")) {
      event.preventDefault();
      play();
    }
  });

  if (matches.length > 1) {
    at("matches").replaceChildren(...matches.map((one, i) => {
      const option = element("option", one.title);
      option.value = i;
      return option;
    }));
    at("matches").addEventListener("change", (event) => { pause(); showMatch(Number(event.target.value)); });
    at("choice").hidden = false;
  }
  at("language").value = currentLanguage();
  at("language").addEventListener("change", () => {
    speak(at("language").value);
    showMatch(matches.indexOf(match), ply);
  });
  speak();
  const opened = Math.max(matches.findIndex((one) => one.opens_at != null), 0);
  at("matches").value = opened;
  showMatch(opened, matches[opened].opens_at ?? 0);
}
