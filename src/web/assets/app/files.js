// Games in and out: a file by button or by dropping it, text by paste; out as a file or to the
// clipboard. The engine reads and writes every format.

import { askText } from "./backend.js";
import { at, choice, targetOf } from "./elements.js";
import { SIDES, isOver } from "./players.js";
import { nameInFile } from "./seats.js";
import { endOf, linesOf, mainLine, movesTo } from "./tree.js";
import { onClick, trouble } from "./trouble.js";
import { words } from "./words.js";

/** What is read at most, with room for the JSON around it. */
const MOST_BYTES = 3_500_000;

/** The bytes of a file, unpacked if they are gzip. */
const bytesOf = async (file) => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const unpacked = file.stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
};

const ENDINGS = { sgf: "sgf", log: "json", moves: "txt", fen: "fen" };

export const createFiles = (store, game, review) => {
  const { state } = store;
  const content = at("text-content");

  const say = (message, detail = "") => {
    at("text-error").textContent = message;
    at("text-detail").textContent = detail;
  };

  /** Asks which of several games is meant; `pick(index)` is told. */
  const choose = (labels, pick) => {
    at("choice-list").replaceChildren(...labels.map((label, index) => choice(label, () => {
      at("choice").close();
      pick(index);
    })));
    at("open").close();
    at("choice").showModal();
  };

  /** Opens a text or bytes. Returns the labels of their games if they hold several, and none is chosen by its index. */
  const load = async (source, index) => {
    const answer = await game.open({ ...source, boardXSize: Number(state.settings.size), number: index }, { linked: true });
    if (!answer || answer.games) return answer?.games;
    // A finished game is read from its start, another goes on where it ends.
    if (isOver(state)) await game.toStart();
    if (answer.moves.length > 1) review.begin();
    return null;
  };

  /** Opens a text, or the `bytes` of a file, a character for each, whose `text` is shown after an error. */
  const open = async (text, index, bytes) => {
    say("");
    if (text.length > MOST_BYTES) return say(words().tooLarge);
    try {
      const labels = await load(bytes === undefined ? { text } : { bytes }, index);
      if (labels) choose(labels, (number) => open(text, number, bytes));
      else at("open").close();
    } catch (error) {
      if (!at("open").open) at("open").showModal();
      if (content.value === "") content.value = text.slice(0, 20_000);
      if (error.away) say(error.message);
      else if (text.startsWith('{"contest":') && document.body.dataset.backend === "worker") say(words().matchRecord);
      else say(text.trim() ? words().unreadable : words().nothingPasted, text.trim() ? error.message : "");
    }
    return undefined;
  };

  const openFile = async (file) => {
    if (!file) return;
    const bytes = file.size > MOST_BYTES ? null : await bytesOf(file).catch(() => null);
    if (!bytes) {
      at("open").showModal();
      say(file.size > MOST_BYTES ? words().tooLarge : words().damaged);
      return;
    }
    content.value = "";
    // The engine finds out the charset.
    await open(new TextDecoder().decode(bytes), undefined, Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  };

  // ---- Out

  const written = async (form) => {
    const { tree: { start, root, date }, node } = state;
    // SGF holds the whole tree, the other forms the line on the board.
    const last = form === "sgf" ? mainLine(root).at(-1) : endOf(node);
    const [{ comments }, ...variations] = linesOf(root);
    const tree = form === "sgf" ? { comment: root.comment, comments, variations } : {};
    const end = last.result && { winner: last.result.winner, kind: last.result.why };
    const line = { position: start, moves: movesTo(last) };
    const players = SIDES.map((side) => nameInFile(state, side));
    const { text } = await askText({ game: line, form, ply: node.ply, players, date, end, ...tree });
    return text;
  };

  const download = async (form) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([await written(form)], { type: "application/octet-stream" }));
    link.download = `amazons-${state.tree.width}x${state.tree.height}.${ENDINGS[form]}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };

  const copy = async (text) => {
    at("save-text").hidden = false;
    at("save-text").value = text;
    at("save-text").select();
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // What is selected can be copied by hand.
      document.execCommand("copy");
    }
    at("save-note").textContent = words().copied;
  };

  const tried = (action) => async () => {
    at("save-note").textContent = "";
    try {
      await action();
    } catch (error) {
      at("save-note").textContent = error.message;
    }
  };

  for (const form of Object.keys(ENDINGS)) {
    at(`download-${form}`).addEventListener("click", tried(() => download(form)));
    at(`copy-${form}`).addEventListener("click", tried(async () => copy(await written(form))));
  }
  at("copy-link").addEventListener("click", tried(() => copy(location.href)));
  onClick("open-save", () => {
    at("save-note").textContent = "";
    at("save-text").hidden = true;
    at("save").showModal();
  });
  onClick("open-open", () => {
    say("");
    content.value = "";
    at("open").showModal();
  });
  onClick("text-load", () => open(content.value));
  at("file").addEventListener("change", () => {
    openFile(at("file").files[0]);
    at("file").value = "";
  });

  // ---- Dropped and pasted on the page

  addEventListener("dragover", (event) => {
    if ([...event.dataTransfer.types].some((type) => type === "Files" || type === "text/plain")) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) openFile(file).catch(trouble);
    else open(event.dataTransfer.getData("text/plain"));
  });
  document.addEventListener("paste", (event) => {
    if (targetOf(event).closest?.("textarea, input")) return;
    const text = event.clipboardData.getData("text/plain");
    if (text.trim()) open(text);
  });

  return { choose };
};
