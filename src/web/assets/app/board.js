// The interactive board: the user chooses a move in three steps (amazon, target, arrow) by clicks,
// drags or keys. picture.js draws the board and its pieces.

import { element } from "./elements.js";
import { animateMove } from "./motion.js";
import { NAMELESS_MARGIN, NAME_MARGIN, ensureBoard, drawPieces } from "./picture.js";
import { CELL_SIZE, cellsOf, layoutOf, nameOf, reachableSquares, squareOf } from "./rules.js";
import { words } from "./words.js";

const DRAG_PIXELS = 5;

/** Creates a board in the element `box`. The board calls these functions of the object `user`.
 * mayMove() returns true if the user can move, and isEditing() if the user sets up a position. The
 * board calls chosen(step) with what the user must choose next: "amazon", "target" or "arrow". It
 * calls move(text) with a complete move, looked(name) with the square under the pointer or with the
 * focus, if any, and put(name) with the square on which the user puts a piece. */
export const createBoard = (box, user) => {
  let cells = [];
  let toMove = "first";
  let choice = null;
  let held = null;
  let layout = layoutOf(10);
  const layers = {};
  const buttons = new Map();

  const own = (name) => {
    const [x, y] = squareOf(name);
    return cells[y]?.[x] === (toMove === "first" ? "Q" : "q");
  };
  const pieceOn = (name, symbol = "q") => {
    const [x, y] = layout.corner(name);
    return box.querySelector(`.board-pieces use[href^="#board-${symbol}"][x="${x}"][y="${y}"]`);
  };
  const step = () => (!choice ? "amazon" : choice.to ? "arrow" : "target");

  const addLayersAndSquares = () => {
    const [width, height] = [cells[0].length, cells.length];
    layout = layoutOf(height);
    const svg = box.firstElementChild;
    svg.setAttribute("aria-hidden", "true");
    const pieces = svg.querySelector(".board-pieces");
    pieces.insertAdjacentHTML("beforebegin", '<g class="layer-under"/>');
    pieces.insertAdjacentHTML("afterend", '<g class="layer-over"/><g class="layer-choice"/><g class="layer-motion"/>');
    for (const name of ["under", "over", "choice", "motion"]) layers[name] = svg.querySelector(`.layer-${name}`);
    document.body.style.setProperty("--ratio", String((width * CELL_SIZE + NAME_MARGIN + NAMELESS_MARGIN) / (height * CELL_SIZE + NAME_MARGIN + NAMELESS_MARGIN)));
    const grid = element("div", "", "squares");
    const part = (margin, length) => `${(100 * margin) / (length * CELL_SIZE + NAME_MARGIN + NAMELESS_MARGIN)}%`;
    grid.style.inset = `${part(NAMELESS_MARGIN, height)} ${part(NAMELESS_MARGIN, width)} ${part(NAME_MARGIN, height)} ${part(NAME_MARGIN, width)}`;
    grid.setAttribute("role", "grid");
    const square = (name) => `<button type="button" role="gridcell" tabindex="${name === "a1" ? 0 : -1}" data-square="${name}"></button>`;
    grid.innerHTML = cells.map((row, y) => `<div role="row">${row.map((_, x) => square(nameOf([x, y]))).join("")}</div>`).reverse().join("");
    buttons.clear();
    for (const button of grid.querySelectorAll("button")) buttons.set(button.dataset.square, button);
    box.append(grid);
  };

  /** Shows a position with `side` to move, and marks the `last` move, if any. Animates the move
   * `played`, if any. If the user made this move on the board, only its arrow is animated.
   * Returns the duration of the animation in milliseconds. */
  const show = (fen, side, last, played) => {
    cells = cellsOf(fen);
    if (ensureBoard(box, cells)) addLayersAndSquares();
    toMove = side;
    choice = held = null;
    layers.motion.replaceChildren();
    const pieces = box.querySelector(".board-pieces");
    pieces.innerHTML = drawPieces(cells, last);
    pieces.querySelectorAll("use").forEach(upright);
    drawChoice();
    if (!played) return 0;
    const [from, to, arrow] = [played.from, played.to, played.arrow].map(layout.middle);
    return animateMove(layers.motion, { queen: pieceOn(played.to), burnt: pieceOn(played.arrow, "x"), from, to, arrow, byHand: played.byHand });
  };

  const targets = () => {
    if (!choice) return [];
    return choice.to ? reachableSquares(cells, choice.to, choice.from) : reachableSquares(cells, choice.from);
  };

  const drawChoice = () => {
    const { from, to } = choice || {};
    const open = targets();
    const outline = (name, className) => {
      const [x, y] = layout.corner(name);
      return `<rect class="${className}" x="${x + 0.6}" y="${y + 0.6}" width="8.8" height="8.8" rx="1.2"/>`;
    };
    const dot = (name) => {
      const [x, y] = layout.middle(name);
      return to
        ? `<path class="aim" d="M${x - 1.3} ${y - 1.3}l2.6 2.6m0 -2.6l-2.6 2.6"/>`
        : `<circle class="dot" cx="${x}" cy="${y}" r="1.5"/>`;
    };
    layers.choice.innerHTML = [from && outline(from, "origin"), to && outline(to, "held")].filter(Boolean).join("") + open.map(dot).join("");
    describe(new Set(open));
    user.chosen(step());
  };

  /** Gives each square a label for screen readers, which names its piece and the possible actions
   * of the user. `open` holds the names of the squares that the user can choose next. */
  const describe = (open = new Set(targets())) => {
    const all = words();
    for (const [name, button] of buttons) {
      const [x, y] = squareOf(name);
      const movable = own(name) && user.mayMove() && !choice?.to && reachableSquares(cells, name).length > 0;
      const here = choice?.to === name ? cells[squareOf(choice.from)[1]][squareOf(choice.from)[0]] : choice?.to && choice.from === name ? "" : cells[y][x];
      const can = open.has(name) ? (choice.to ? all.shot : all.target) : movable ? all.canMove : "";
      button.setAttribute("aria-label", [name, all.cell[here], can].filter(Boolean).join(", "));
      button.className = user.isEditing() || open.has(name) || movable || name === choice?.to ? "live" : "";
      button.setAttribute("aria-selected", name === choice?.from || name === choice?.to);
    }
  };

  /** Makes a piece rotate around its own centre, so that it stands upright on a turned board. */
  const upright = (node) => {
    const [x, y] = ["x", "y"].map((name) => Number(node.getAttribute(name)) + CELL_SIZE / 2);
    node.style.transformOrigin = `${x}px ${y}px`;
  };

  const cancel = () => {
    if (!choice) return;
    if (choice.to) place(choice.from);
    choice = null;
    drawChoice();
  };

  /** Draws the chosen amazon on the square `name`, before the move is complete. */
  const place = (name) => {
    const [x, y] = layout.corner(name);
    choice.piece.setAttribute("x", x);
    choice.piece.setAttribute("y", y);
    upright(choice.piece);
  };

  const choose = (from) => {
    choice = { from, piece: pieceOn(from) };
    drawChoice();
  };

  const goTo = (name) => {
    place(name);
    choice.to = name;
    drawChoice();
  };

  const shoot = (arrow) => {
    const move = `${choice.from}-${choice.to}/${arrow}`;
    const [x, y] = layout.corner(arrow);
    const pieces = box.querySelector(".board-pieces");
    pieces.insertAdjacentHTML("afterbegin", `<use href="#board-x" x="${x}" y="${y}"/>`);
    upright(pieces.firstElementChild);
    choice = null;
    layers.choice.innerHTML = "";
    user.move(move);
  };

  /** Handles a click on a square, or the end of a drag there. */
  const press = (name) => {
    if (user.isEditing()) return user.put(name);
    if (!user.mayMove()) return cancel();
    const open = targets();
    if (choice?.to) {
      if (open.includes(name)) shoot(name);
      else if (name !== choice.to) cancel();
    } else if (open.includes(name)) {
      goTo(name);
    } else if (own(name) && name !== choice?.from) {
      choose(name);
    } else {
      cancel();
    }
  };

  const squareAt = ({ clientX, clientY }) => {
    /** The element at the pointer, or null. @type {any} */
    const under = document.elementFromPoint(clientX, clientY);
    return under && box.contains(under) ? under.dataset.square : undefined;
  };

  box.addEventListener("mousedown", (event) => event.preventDefault());
  box.addEventListener("pointerdown", (event) => {
    const name = squareAt(event);
    if (!name || event.button !== 0 || !event.isPrimary) return;
    const again = !choice?.to && name === choice?.from;
    const aims = name === choice?.to;
    if (!again && !aims) press(name);
    const editing = user.isEditing();
    const lifted = !editing && choice && (name === choice.from || name === choice.to);
    if (lifted || editing) {
      held = { name, again, x: event.clientX, y: event.clientY, piece: name === choice?.from && !choice.to ? choice.piece : null };
      box.setPointerCapture(event.pointerId);
    }
  });
  box.addEventListener("pointermove", (event) => {
    const name = squareAt(event);
    user.looked(name);
    if (!held) return;
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    held.moved ||= Math.hypot(dx, dy) > DRAG_PIXELS;
    if (user.isEditing() && name && name !== held.name) {
      held.name = name;
      user.put(name);
    } else if (held.piece && held.moved) {
      const scale = box.firstElementChild.viewBox.baseVal.width / box.getBoundingClientRect().width;
      // The motion layer is on top, so the dragged amazon covers the dots that mark its targets.
      layers.motion.append(held.piece);
      const turn = box.classList.contains("turned") ? -scale : scale;
      held.piece.style.translate = `${dx * turn}px ${dy * turn}px`;
      box.classList.add("dragging");
    }
  });
  const letGo = (event) => {
    if (!held) return;
    const { name, again, moved, piece } = held;
    held = null;
    if (piece) {
      piece.style.translate = "";
      box.querySelector(".board-pieces").append(piece);
    }
    box.classList.remove("dragging");
    if (user.isEditing() || event.type === "pointercancel") return;
    const over = squareAt(event);
    if (moved && over && over !== name) {
      if (targets().includes(over)) press(over);
    } else if (again) {
      cancel();
    }
  };
  box.addEventListener("pointerup", letGo);
  box.addEventListener("pointercancel", letGo);
  box.addEventListener("pointerleave", () => user.looked(undefined));
  // A click by the keyboard or a screen reader causes no pointer event, so it is handled here.
  box.addEventListener("click", (event) => {
    if (event.detail === 0 && event.target.dataset.square) press(event.target.dataset.square);
  });
  box.addEventListener("focusin", (event) => user.looked(event.target.dataset.square));

  box.addEventListener("keydown", (event) => {
    const name = event.target.dataset.square;
    const ahead = box.classList.contains("turned") ? -1 : 1;
    const ways = { ArrowLeft: [-ahead, 0], ArrowRight: [ahead, 0], ArrowUp: [0, ahead], ArrowDown: [0, -ahead] };
    if (!name || event.altKey || event.ctrlKey || event.metaKey) return;
    if (ways[event.key]) {
      const [x, y] = squareOf(name);
      const next = buttons.get(nameOf([x + ways[event.key][0], y + ways[event.key][1]]));
      if (next) {
        event.target.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      }
    } else if (event.key !== " " && event.key !== "Enter") {
      return;
    }
    if (ways[event.key]) event.preventDefault();
    event.stopPropagation();
  });

  return {
    show,
    cancel,
    describe: () => describe(),
    /** Replaces the SVG markup of a layer: "under" is below the pieces, and "over" above them. */
    draw: (name, markup) => { if (layers[name]) layers[name].innerHTML = markup; },
  };
};
