// Steps through matches. All text of the log goes in as text; the only markup put in is the board
// renderer's and the graph's own, which hold squares and numbers.

import { chancesPicture } from "./app/chances.js";
import { boardLabel, playerOf, resultSentence } from "./app/describe.js";
import { currentLanguage, speak, words } from "./app/words.js";

{
  const matches = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const STEP = 700;
  let match = matches[0];
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

  const item = (point, index) => {
    const button = element("button");
    button.type = "button";
    button.append(element("span", String(index), "number"), element("span", point.move, "move"));
    if (point.marked) {
      const cost = element("span", `−${percent(point.lost)}`, "cost");
      cost.title = words().gaveAway(point.move, percent(point.lost));
      button.append(cost);
    }
    button.addEventListener("click", () => { pause(); show(index); });
    const row = element("li");
    row.append(button);
    return row;
  };

  const nameOfPlayer = (side) => playerOf(match.result.names, side);

  const timesText = (times) => {
    if (!times) return words().noTimes;
    return words().times(times.mean_ms.toFixed(0), times.worst_ms.toFixed(0), times.worst_ply);
  };

  const showMatch = (index, wanted = 0) => {
    match = matches[index];
    document.title = match.title;
    at("title").textContent = match.title;
    at("result").textContent = resultSentence(match.result);
    at("board").innerHTML = match.board;
    at("chances").hidden = match.points[0].chance === null;
    at("slider").max = match.points.length - 1;
    at("moves").replaceChildren(...match.points.slice(1).map((point, i) => item(point, i + 1)));
    list("players", ["first", "second"].map((side, i) => [nameOfPlayer(side), timesText(match.times[i])]));
    const wrong = match.disagreements;
    at("verdict").textContent = wrong.length ? words().disagrees(wrong.length) : words().agrees(match.size);
    at("disagreements").replaceChildren(...wrong.map((text) => element("li", text)));
    show(wanted);
  };

  const costsOf = (answer) => {
    const { time, memory } = words().facts;
    const { milliseconds, megabytes } = answer ?? {};
    return [
      ...(milliseconds == null ? [] : [[time, `${milliseconds.toFixed(0)} ms`]]),
      ...(megabytes == null ? [] : [[memory, `${megabytes.toFixed(0)} MB`]]),
    ];
  };

  const factsOf = (point) => {
    const all = words();
    const facts = [];
    if (point.move && point.mover) facts.push([all.facts.move, `${point.move}, ${nameOfPlayer(point.mover)}`]);
    facts.push(...costsOf(point.answer), [all.facts.legal, all.chance(...point.legal)]);
    if (point.chance !== null) facts.push([all.facts.chance, percent(point.chance) + (point.proven ? ` (${all.proven})` : "")]);
    if (point.lost !== null) facts.push([all.facts.cost, all.preferred(percent(point.lost), point.better)]);
    const { failure } = match.result;
    if (!failure || ply < match.points.length - 1) return facts;
    const took = costsOf(match.last).map(([, cost]) => cost);
    facts.push([all.facts.then, `${nameOfPlayer(failure.side)} ${failure.action[currentLanguage()]}`]);
    if (took.length) facts.push([all.facts.took, took.join(", ")]);
    if (match.last?.debug) facts.push([all.facts.last, match.last.debug]);
    return facts;
  };

  const drawChances = (last) => {
    const plies = match.points.map((point, index) => ({ ...point, index }));
    const dearest = plies.filter((point) => point.marked).sort((a, b) => b.lost - a.lost).slice(0, 3);
    const chances = plies.map(({ index, chance }) => [index, chance]);
    at("graph").innerHTML = chancesPicture(chances, dearest.map(({ index }) => index), ply, last);
  };

  const textOf = (point, last) => {
    const all = words();
    return point.mover ? all.plyText(ply, last, all.inSentence[point.mover], point.move) : all.startText(last);
  };

  const show = (wanted) => {
    const last = match.points.length - 1;
    ply = Math.min(Math.max(wanted, 0), last);
    const point = match.points[ply];
    const board = at("board").firstElementChild;
    const text = textOf(point, last);
    const debug = point.answer?.debug;
    board.querySelector(".board-pieces").innerHTML = point.pieces;
    board.setAttribute("aria-label", boardLabel(point.fen, point.move));
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
    keepInSight(row);
    if (!at("chances").hidden) drawChances(last);
  };

  // Scrolls the list alone: scrollIntoView would move the page under a phone's thumb.
  const keepInSight = (row) => {
    const box = at("moves");
    if (!row) { box.scrollTop = 0; return; }
    const top = row.offsetTop - box.offsetTop;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + row.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = top + row.offsetHeight - box.clientHeight;
    }
  };

  const pause = () => {
    clearInterval(timer);
    timer = null;
    at("play").setAttribute("aria-pressed", "false");
  };

  const play = () => {
    if (timer) { pause(); return; }
    if (ply === match.points.length - 1) show(0);
    timer = setInterval(() => {
      show(ply + 1);
      if (ply === match.points.length - 1) pause();
    }, STEP);
    at("play").setAttribute("aria-pressed", "true");
  };

  const go = (target) => () => { pause(); show(target()); };
  const steps = {
    Home: go(() => 0),
    ArrowLeft: go(() => ply - 1),
    ArrowRight: go(() => ply + 1),
    End: go(() => match.points.length - 1),
  };
  for (const [id, key] of [["home", "Home"], ["back", "ArrowLeft"], ["next", "ArrowRight"], ["end", "End"]]) {
    at(id).addEventListener("click", steps[key]);
  }
  at("play").addEventListener("click", play);
  at("slider").addEventListener("input", (event) => { pause(); show(Number(event.target.value)); });
  at("graph").addEventListener("click", (event) => {
    const box = at("graph").getBoundingClientRect();
    pause();
    show(Math.round(((event.clientX - box.left) / box.width) * (match.points.length - 1)));
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
  showMatch(0);
}
