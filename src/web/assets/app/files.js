// Opens games from files and pasted text, and saves them to files and the clipboard. The engine
// reads and writes every format.

import { askGameText } from "./backend.js";
import { byId, buttonItem, targetOf } from "./elements.js";
import { SIDES, isOver } from "./players.js";
import { nameInFile } from "./player-bars.js";
import { endOf, branchingLines, mainLine, movesTo } from "./tree.js";
import { onClick, showError } from "./messages.js";
import { words } from "./words.js";

/** The largest size of a text or a file's bytes as JSON. The server refuses a request of more than
 * 4 MB, which also has some short fields. */
const MAX_BYTES = 4 * 2 ** 20 - 1000;

const bytesOf = async (file) => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const unpacked = file.stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
};

const FILE_EXTENSIONS = { sgf: "sgf", log: "json", moves: "txt", fen: "fen" };

export const createFiles = (store, game, review) => {
  const { state } = store;
  const content = byId("text-content");

  const say = (message, detail = "") => {
    byId("text-error").textContent = message;
    byId("text-detail").textContent = detail;
  };

  const choose = (labels, pick) => {
    byId("choice-list").replaceChildren(...labels.map((label, index) => buttonItem(label, () => {
      byId("choice").close();
      pick(index);
    })));
    byId("open").close();
    byId("choice").showModal();
  };

  /** Opens game number `index` of the file or text in `source`. If `source` has several games and
   * `index` is undefined, opens no game and returns the labels of all games. */
  const load = async (source, index) => {
    const answer = await game.open({ ...source, boardXSize: Number(state.settings.size), number: index }, { linked: true });
    if (!answer || answer.games) return answer?.games;
    // The page shows the start of a finished game, but the last position of an unfinished game.
    if (isOver(state)) await game.toStart();
    if (answer.moves.length > 1) review.begin();
    return null;
  };

  /** Opens the game in a text or file, or shows an error. `bytes` has a character for each byte of
   * the file, and is undefined for a text. */
  const open = async (text, index, bytes) => {
    say("");
    const source = bytes === undefined ? { text } : { bytes };
    if (new TextEncoder().encode(JSON.stringify(source)).length > MAX_BYTES) {
      if (!byId("open").open) byId("open").showModal();
      return say(words().tooLarge);
    }
    try {
      const labels = await load(source, index);
      if (labels) choose(labels, (number) => open(text, number, bytes));
      else byId("open").close();
    } catch (error) {
      if (!byId("open").open) byId("open").showModal();
      if (content.value === "") content.value = text.slice(0, 20_000);
      if (error.away) say(error.message);
      else if (text.startsWith('{"contest":') && document.body.dataset.backend === "worker") say(words().matchRecord);
      else say(text.trim() ? words().unreadable : words().nothingPasted, text.trim() ? error.message : "");
    }
    return undefined;
  };

  const openFile = async (file) => {
    if (!file) return;
    const bytes = file.size > MAX_BYTES ? null : await bytesOf(file).catch(() => null);
    if (!bytes) {
      byId("open").showModal();
      say(file.size > MAX_BYTES ? words().tooLarge : words().damaged);
      return;
    }
    content.value = "";
    // The engine gets the file's bytes, because the engine can detect their character encoding.
    await open(new TextDecoder().decode(bytes), undefined, Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  };

  const written = async (form) => {
    const { tree: { start, root, date }, node } = state;
    // An SGF file contains all variations. The other formats contain only the current line.
    const last = form === "sgf" ? mainLine(root).at(-1) : endOf(node);
    const [{ comments }, ...variations] = branchingLines(root);
    const tree = form === "sgf" ? { comment: root.comment, comments, variations } : {};
    const end = last.result && { winner: last.result.winner, kind: last.result.why };
    const line = { position: start, moves: movesTo(last) };
    const players = SIDES.map((side) => nameInFile(state, side));
    const { text } = await askGameText({ game: line, form, ply: node.ply, players, date, end, ...tree });
    return text;
  };

  const download = async (form) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([await written(form)], { type: "application/octet-stream" }));
    link.download = `amazons-${state.tree.width}x${state.tree.height}.${FILE_EXTENSIONS[form]}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };

  const copy = async (text) => {
    byId("save-text").hidden = false;
    byId("save-text").value = text;
    byId("save-text").select();
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // On an insecure connection, browsers have no clipboard API, but still have `execCommand`.
      document.execCommand("copy");
    }
    byId("save-note").textContent = words().copied;
  };

  const tried = (action) => async () => {
    byId("save-note").textContent = "";
    try {
      await action();
    } catch (error) {
      byId("save-note").textContent = error.message;
    }
  };

  for (const form of Object.keys(FILE_EXTENSIONS)) {
    byId(`download-${form}`).addEventListener("click", tried(() => download(form)));
    byId(`copy-${form}`).addEventListener("click", tried(async () => copy(await written(form))));
  }
  byId("copy-link").addEventListener("click", tried(() => copy(location.href)));
  onClick("open-save", () => {
    byId("save-note").textContent = "";
    byId("save-text").hidden = true;
    byId("save").showModal();
  });
  onClick("open-open", () => {
    say("");
    content.value = "";
    byId("open").showModal();
  });
  onClick("text-load", () => open(content.value));
  byId("file").addEventListener("change", () => {
    openFile(byId("file").files[0]);
    byId("file").value = "";
  });

  addEventListener("dragover", (event) => {
    if ([...event.dataTransfer.types].some((type) => type === "Files" || type === "text/plain")) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) openFile(file).catch(showError);
    else open(event.dataTransfer.getData("text/plain"));
  });
  document.addEventListener("paste", (event) => {
    if (targetOf(event).closest?.("textarea, input")) return;
    const text = event.clipboardData.getData("text/plain");
    if (text.trim()) open(text);
  });

  return { choose };
};
