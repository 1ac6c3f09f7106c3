// Steps through matches. All text of the log goes in as text; the only markup put in is the board renderer's and
// the graph's own, which hold squares and numbers.
"use strict";
(() => {
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

  const list = (target, pairs) => {
    at(target).replaceChildren(...pairs.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
  };

  const item = (point, index) => {
    const button = element("button");
    button.type = "button";
    button.append(element("span", String(index), "number"), element("span", point.move, "move"));
    if (point.cost) {
      const cost = element("span", point.cost, "cost");
      cost.title = "chance of winning given away";
      button.append(cost);
    }
    button.addEventListener("click", () => { pause(); show(index); });
    const row = element("li");
    row.append(button);
    return row;
  };

  const showMatch = (index) => {
    match = matches[index];
    document.title = match.title;
    at("title").textContent = match.title;
    at("result").textContent = match.result;
    at("board").innerHTML = match.board;
    at("graph").innerHTML = match.graph || "";
    at("chances").hidden = !match.graph;
    at("slider").max = match.points.length - 1;
    at("moves").replaceChildren(...match.points.slice(1).map((point, i) => item(point, i + 1)));
    list("players", match.players);
    at("verdict").textContent = match.verdict;
    at("disagreements").replaceChildren(...match.disagreements.map((text) => element("li", text)));
    show(0);
  };

  const show = (wanted) => {
    const last = match.points.length - 1;
    ply = Math.min(Math.max(wanted, 0), last);
    const point = match.points[ply];
    const board = at("board").firstElementChild;
    board.querySelector(".board-pieces").innerHTML = point.pieces;
    board.setAttribute("aria-label", point.label);
    at("now").textContent = point.text;
    list("facts", point.facts);
    at("debug").textContent = point.debug || "";
    at("debug").hidden = !point.debug;
    at("slider").value = ply;
    at("slider").setAttribute("aria-valuetext", point.text);
    for (const [id, blocked] of [["home", ply === 0], ["back", ply === 0], ["next", ply === last], ["end", ply === last]]) {
      at(id).disabled = blocked;
    }
    for (const button of at("moves").querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
    const row = at("moves").children[ply - 1];
    if (row) row.firstElementChild.setAttribute("aria-current", "step");
    keepInSight(row);
    const cursor = at("graph").querySelector(".cursor");
    if (cursor) {
      const x = last ? (ply / last) * cursor.ownerSVGElement.viewBox.baseVal.width : 0;
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
    }
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
  showMatch(0);
})();
