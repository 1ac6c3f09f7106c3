// Every word of the page, in English and Chinese.

const WORDS = {
  en: {
    subtitle: "Game of the Amazons", setup: "Set up", importExport: "Paste / copy", board: "Board", controls: "Steps and engine",
    toStart: "Start (Home)", back: "Back (←)", forward: "Forward (→)", toEnd: "End (End)", undo: "Take back (u)", redo: "Play again (r)",
    flip: "Flip the board (f)", moveNow: "Engine move", moveNowBusy: "Move now",
    game: "Game", you: "You play", first: "First", second: "Second", both: "Both sides", none: "Neither", strength: "Engine thinks",
    size: "Board", newGame: "New game", seconds: (n) => `${n} s a move`, playouts: (n) => `${n} playouts`,
    setupTitle: "Set up a position", piece: "What a click puts down", toMove: "To move", columns: "Columns", rows: "Rows", clear: "Clear",
    cancel: "Cancel", done: "Done", q0: "First player’s amazon", q1: "Second player’s amazon", burnt: "Burnt square", empty: "Empty square",
    analysis: "Analysis", analyseHint: "Analyse (space)", move: "Move", visits: "Visits", value: "Value", prior: "Prior", static: "Static",
    show: "Show on the board", arrows: "Best moves", territory: "Territory", freedom: "Freedom", regions: "Regions",
    chances: "First player’s chance of winning", review: "Review the game", reviewStop: "Stop", moves: "Moves", close: "Close", load: "Load",
    textTitle: "Paste a game, or copy this one", copyFen: "Copy FEN", copyMoves: "Copy moves", copyLog: "Copy Botzone log", copied: "Copied.",
    textHint: "A FEN, a list of moves, a Botzone log (its JSON, or the saved page), or what a Botzone bot is sent.",
    player: { first: "First player", second: "Second player" }, person: "you", engine: "Quiver", thinking: "thinking",
    choose: (side) => `${side} to move: choose an amazon.`, chooseTarget: "Where does it go?", chooseArrow: "Where does the arrow go?",
    wins: (side) => `${side} has won: the other has no move left.`, engineThinks: (side) => `${side} is thinking …`,
    behind: "You are looking at an earlier position. A move from here replaces what followed.", watching: (side) => `${side} to move.`,
    figures: (playouts, depth, speed) => `${playouts} playouts · depth ${depth} · ${speed}/s`, proven: "proven",
    ending: (side, margin) => (margin ? `${side} wins by ${margin}, proven` : `${side} wins, proven`), reviewing: (done, all) => `${done} of ${all}`,
    unseen: "Turn analysis on to see the engine’s thoughts.", expects: "Expects", chance: (first, second) => `First ${first}, second ${second}`,
    nearer: (first, second, even) => `Nearer to: first ${first}, second ${second}, neither ${even} squares.`, parts: (n) => `${n} regions.`,
    distance: (name, queen, king) => `${name}: queen ${queen}, king ${king} moves away (first : second).`, free: (name, n) => `${name}: ${n} squares to go to.`,
    cost: (move, percent, best) => `${move} cost ${percent}${best ? `; the engine prefers ${best}` : ""}.`, never: "never",
    graphLabel: (ply, all, chance) => `Ply ${ply} of ${all}${chance ? `, first player ${chance}` : ""}`, start: "Start",
    cell: { Q: "first player’s amazon", q: "second player’s amazon", "*": "burnt", "": "empty" }, canMove: "can move", target: "can go here", shot: "arrow can go here",
    offline: "The server does not answer. Is quiver still running?",
  },
  zh: {
    subtitle: "亚马逊棋", setup: "摆局", importExport: "粘贴 / 复制", board: "棋盘", controls: "步进与引擎",
    toStart: "开局 (Home)", back: "后退 (←)", forward: "前进 (→)", toEnd: "终局 (End)", undo: "悔棋 (u)", redo: "重走 (r)",
    flip: "翻转棋盘 (f)", moveNow: "引擎走一步", moveNowBusy: "立即出招",
    game: "对局", you: "你执", first: "先手", second: "后手", both: "双方", none: "旁观", strength: "引擎用时",
    size: "棋盘", newGame: "新对局", seconds: (n) => `每步 ${n} 秒`, playouts: (n) => `${n} 次模拟`,
    setupTitle: "摆放局面", piece: "点击放置", toMove: "轮到", columns: "列", rows: "行", clear: "清空",
    cancel: "取消", done: "完成", q0: "先手的亚马逊", q1: "后手的亚马逊", burnt: "障碍", empty: "空格",
    analysis: "分析", analyseHint: "分析（空格）", move: "着法", visits: "访问", value: "胜率", prior: "先验", static: "静态",
    show: "在棋盘上显示", arrows: "最佳着法", territory: "领地", freedom: "活动力", regions: "区域",
    chances: "先手胜率", review: "复盘", reviewStop: "停止", moves: "棋谱", close: "关闭", load: "载入",
    textTitle: "粘贴棋局，或复制当前棋局", copyFen: "复制 FEN", copyMoves: "复制棋谱", copyLog: "复制 Botzone 日志", copied: "已复制。",
    textHint: "FEN、着法列表、Botzone 对局日志（JSON 或保存的网页），或 Botzone 发给 Bot 的输入。",
    player: { first: "先手", second: "后手" }, person: "你", engine: "Quiver", thinking: "思考中",
    choose: (side) => `${side}走棋：请选择一个亚马逊。`, chooseTarget: "走到哪里？", chooseArrow: "箭射到哪里？",
    wins: (side) => `${side}获胜：对方已无路可走。`, engineThinks: (side) => `${side}思考中……`,
    behind: "你正在查看之前的局面，在此走棋会替换后续着法。", watching: (side) => `轮到${side}。`,
    figures: (playouts, depth, speed) => `${playouts} 次模拟 · 深度 ${depth} · ${speed}/秒`, proven: "已证明",
    ending: (side, margin) => (margin ? `已证明${side}胜 ${margin} 步` : `已证明${side}胜`), reviewing: (done, all) => `${done} / ${all}`,
    unseen: "打开分析，查看引擎的思考。", expects: "预计", chance: (first, second) => `先手 ${first}，后手 ${second}`,
    nearer: (first, second, even) => `更近的格子：先手 ${first}，后手 ${second}，相等 ${even}。`, parts: (n) => `${n} 个区域。`,
    distance: (name, queen, king) => `${name}：后步 ${queen}，王步 ${king}（先手 : 后手）。`, free: (name, n) => `${name}：可走 ${n} 格。`,
    cost: (move, percent, best) => `${move} 损失 ${percent}${best ? `；引擎更喜欢 ${best}` : ""}。`, never: "不可达",
    graphLabel: (ply, all, chance) => `第 ${ply} 步，共 ${all} 步${chance ? `，先手 ${chance}` : ""}`, start: "开局",
    cell: { Q: "先手的亚马逊", q: "后手的亚马逊", "*": "障碍", "": "空格" }, canMove: "可以移动", target: "可以走到这里", shot: "箭可以射到这里",
    offline: "服务器没有回应。quiver 还在运行吗？",
  },
};

const stored = () => {
  try { return localStorage.getItem("language"); } catch { return null; }
};

let language = stored() || (navigator.language.startsWith("zh") ? "zh" : "en");

/** The words of the language in use. */
export const words = () => WORDS[language] || WORDS.en;

export const currentLanguage = () => language;

/** Puts the words of a language into every element that asks for some. */
export const speak = (wanted = language) => {
  language = wanted;
  try { localStorage.setItem("language", wanted); } catch { /* Nobody remembers, then. */ }
  const all = words();
  document.documentElement.lang = wanted === "zh" ? "zh-CN" : "en";
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = all[node.dataset.t];
  for (const node of document.querySelectorAll("[data-t-label]")) node.setAttribute("aria-label", all[node.dataset.tLabel]);
  for (const node of document.querySelectorAll("[data-t-title]")) {
    node.title = all[node.dataset.tTitle];
    node.setAttribute("aria-label", node.title);
  }
};
