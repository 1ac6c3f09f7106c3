// All texts of the page in English, by key. chinese.js has the same keys.

const countText = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

export const ENGLISH = {
  // Buttons at the top of the page
  setup: "Set up", open: "Open", save: "Save", exercises: "Learn", help: "Rules, keys and symbols (?)",
  display: "Language, colours and sound", displayTitle: "Display", theme: "Colours", themes: { system: "As the system", light: "Light", dark: "Dark" }, sound: "Sound of moves",
  close: "Close", cancel: "Cancel", done: "Done", board: "Board", controls: "Steps and engine",
  // Buttons below the board
  toStart: "Start (Home)", back: "Back (←)", forward: "Forward (→)", toEnd: "End (End)", undo: "Take back (u)", redo: "Play again (r)", flip: "Turn the board (f)",
  hint: "Hint (h)", hintShort: "Hint", moveNow: "Engine move", moveNowBusy: "Move now", pause: "Pause", goOn: "Go on",
  // Players and settings
  game: "Game", first: "First", second: "Second", size: "Board", clock: "Clock", newGame: "New game", backToOwn: "Back to your game",
  opponent: "Opponent", friend: "A friend, on this screen", side: "You play", sides: { first: "First (dark)", second: "Second (light)", random: "Random", none: "Neither: watch" }, other: "Opponent of the engine",
  boardHere: "The position on the board", newGameHint: "The game on the board is kept: “Back to your game” brings it back.", begin: "Play",
  person: "You", engine: "Quiver", player: { first: "First player", second: "Second player" },
  levelName: ({ name }) => name, levelOption: (number, { name }) => `${number} · ${name}`, full: (time) => `Full strength, ${time} s`,
  clockName: (clock) => (!clock ? "No clock" : clock.kind === "move" ? `${clock.base / 1000} s a move` : `${countText(clock.base / 60000, "minute")} + ${clock.increment / 1000} s`),
  // The dialog that sets up a position
  setupTitle: "Set up a position", piece: "Piece to place", toMove: "To move", columns: "Columns", rows: "Rows", clear: "Clear",
  q0: "First player’s amazon", q1: "Second player’s amazon", burnt: "Burnt square", empty: "Empty square", noAmazon: (side) => `${side} has no amazon: put at least one on the board.`,
  noMoveAtStart: (side) => `${side} is to move and has no move: there is no game to play from here.`,
  // The card with the analysis
  analysis: "Analysis", analyseHint: "Analyse (space)", details: "Details", move: "Move", visits: "Visits", value: "Win chance", prior: "Prior", static: "Static",
  show: "Show on the board", none: "Nothing", arrows: "Best move", territory: "Territory", freedom: "Freedom", regions: "Regions",
  overlays: {
    territory: "Each square has the tint of the player whose amazon reaches it in fewer queen moves.",
    freedom: "The number beside an amazon counts the squares that it can move to.",
    regions: "A tint fills each part of the board that burnt squares have cut off; its number counts the empty squares.",
  },
  legends: {
    territory: ["first player is nearer", "only the first player can reach it", "second player is nearer", "only the second player can reach it"],
    regions: ["first player alone", "second player alone", "both", "no amazon"],
  },
  figures: (playouts, depth, speed) => `${playouts} playouts${depth === null ? "" : ` · depth ${depth}`} · ${speed}/s`, proven: "proven",
  ending: (side, margin) => (margin ? `${side} wins with ${countText(margin, "move")} to spare, proven` : `${side} wins, proven`),
  unseen: "Off: switch it on to see the engine’s analysis.", expects: "The engine expects", chance: (first, second) => `Chances of winning: first player ${first}, second player ${second}`,
  nearer: (first, second, even) => `The first player is nearer to ${countText(first, "square")}, the second to ${second}; ${even} are equally near.`, parts: (n) => `Burnt squares divide the board into ${n} regions.`,
  distance: (name, queen, king) => `Distance to ${name} (first : second player): ${queen} queen moves, ${king} king moves.`, free: (name, n) => `The amazon on ${name} can move to ${countText(n, "square")}.`,
  closer: (name, side) => (side ? `The ${side} player reaches ${name} in fewer moves.` : `Both players need the same number of moves to ${name}.`),
  cost: (verdict, move, percent, best) => `${verdict}: ${move} gave away ${percent} of the winning chances; ${best} is better.`, never: "–",
  // The list of moves and the review of a game
  chances: "First player’s chance of winning", review: "Review", reviewStop: "Stop", reviewing: (done, all) => `${done} of ${all}`, depth: "Depth of the review",
  depths: ["quick", "normal", "deep"], moves: "Moves", noMoves: "No moves yet.", gaveAway: (move, percent, verdict) => `${verdict ? `${verdict}: ` : ""}${move} gave away ${percent} of the winning chances`,
  verdicts: { inaccuracy: "Inaccuracy", mistake: "Mistake", blunder: "Blunder" }, accuracy: "Accuracy", inaccuracies: "Inaccuracies", mistakes: "Mistakes", blunders: "Blunders",
  graphLabel: (ply, all, chance) => `Ply ${ply} of ${all}${chance ? `, first player ${chance}` : ""}`,
  promote: "Promote", delete: "Delete", comment: "Comment", commentHint: "A comment on this position", deleted: "The move and what followed it are deleted.", undoDelete: "Undo",
  // The sentence below the board
  thinking: "thinking", won: "won", yourMove: "Your move: choose an amazon.", choose: (side) => `${side} to move: choose an amazon.`, chooseTarget: "Where does it go?", chooseArrow: "Where does the arrow go?",
  engineThinks: (side) => `${side} is thinking …`, watching: (side) => `${side} to move.`, behind: "This is an earlier position. You can make another move from here; the later moves stay in the list.",
  hints: [
    (from) => `Hint: move the amazon on ${from}. Press Hint again for its target.`,
    (from, to) => `Hint: from ${from} to ${to}. Press Hint again for the arrow.`,
    (from, to, arrow) => `Hint: from ${from} to ${to}, arrow to ${arrow}.`,
  ],
  lookingForHint: "The engine is looking for a hint …",
  // The end of a game
  youWin: "You win.", youLose: "You lose.", sideWins: (side) => `${side} wins.`, endings: { "no-move": (side) => `${side} has no move left.`, time: (side) => `${side} is out of time.`, resignation: (side) => `${side} resigned.` },
  resign: "Resign", resigned: "You have resigned.", human: "Human", movesLeft: (side, n) => `${side} had ${countText(n, "move")} left.`, rematch: "Rematch",
  solved: "Solved.", unsolved: "Not solved.", again: "Try again", nextExercise: "Next exercise",
  // Advice, exercises and the first lesson
  advice: (move, percent, square) => `${move} gave away ${percent} of the winning chances. Look at the amazon on ${square}.`, fine: (move) => `${move} was good: the engine finds nothing much better.`,
  retry: "Retry mistakes", taskAnswer: "Answer", taskNext: "Next", taskLeave: "Leave",
  retryTask: (number, all, move, percent) => `Mistake ${number} of ${all}: ${move} gave away ${percent} of the winning chances. Find a better move.`,
  retryGood: (move, percent) => `${move} is good: it gives away ${percent} of the winning chances. Press Next.`, retryBad: (move, percent) => `${move} gives away ${percent} of the winning chances. Try again.`,
  retryDone: (n) => `That was the last of ${countText(n, "mistake")}.`, judging: "The engine is looking at your move …",
  reviewed: (n) => `The review found ${countText(n, "mistake")}. Press “Retry mistakes” to look for better moves.`, flawless: "The review found no inaccuracy, no mistake and no blunder.", noMistakes: "The review found no mistake and no blunder.",
  agreed: [
    () => "Another amazon has a better move. Try again.", () => "The amazon is right, but it should move to another square. Try again.",
    () => "The move is right, but the arrow should go to another square. Try again.", (move) => `${move} is the best move. Press Next.`,
  ],
  bestMovesTitle: "Opening and middle game", bestMovesHint: "Each position has one best move: it is proven, or two long searches with different settings chose it.",
  bestMovesDone: "That was the last position.", solvedOf: (solved, all) => `You have solved ${solved} of ${all}.`,
  bestMove: (number, side, proven) => `Position ${number}: ${side} to move. ${proven ? "One move wins: which?" : "Which move is best?"}`,
  rulesTitle: "The rules", rules: [
    ["Move.", "An amazon goes like a queen in chess: straight or diagonally, as far as the way is free."],
    ["Shoot.", "From there it shoots an arrow, which flies in the same way and burns a square for good. No piece and no arrow passes a burnt square or an amazon."],
    ["Who wins.", "The player who cannot move loses. So enclose space for yourself, and block the other amazons."],
  ],
  lessonTitle: "First lesson", lessonHint: "Five steps on the board: move, shoot, block an amazon, take space, fill it.",
  lessonEnded: "You know the game.", lessonDone: "Play a game, or go on with exercises.", lessonAgain: "Not this move: try again.",
  lesson: [
    { ask: "Your amazon is dark. Move it to the marked square, then shoot an arrow anywhere.", good: "That is a move: the amazon moves, then it shoots an arrow. Press Next." },
    { ask: "The arrow flies from the amazon’s new square. Move, and burn the marked square.", good: "That square is burnt for the rest of the game. Press Next." },
    { ask: "The light amazon has one way out. Close it: then your opponent cannot move.", good: "Your opponent has no move left: you have won. Press Next." },
    { ask: "The light amazon can leave through the gap. Close the gap with an arrow: then the large part is yours.", good: "More space means more moves at the end. Press Next." },
    { ask: "Your opponent has three moves left. You need four: fill your own part without wasting a square.", good: "Four moves against three: you win by one. Press Next." },
  ],
  exercisesTitle: "Endgames to win", exercisesHint: "The solver has proven that each can be won. The engine defends as well as it can.",
  exercise: (number, side) => `${number}. ${side} to move`, grades: ["easy", "medium", "hard"], winning: (wins, moves) => `${wins} of ${moves} moves win`,
  winAs: (side) => `Exercise: win as the ${side.toLowerCase()}.`, allExercises: "All exercises", winGone: "That move gave the win away.",
  // The dialogs that open and save games
  openTitle: "Open a game", openHint: "Choose a file, drop one on the page, or paste text here: SGF, a Botzone log, a record of quiver match, a FEN, or a list of moves.",
  chooseFile: "Choose a file …", load: "Open text", choiceTitle: "Which game?", nothingPasted: "There is nothing to open: choose a file or paste a game.",
  unreadable: "No game can be read from this.", tooLarge: "This is too large: as JSON, at most 4 MB can be opened.", damaged: "This gzip file is damaged.",
  matchRecord: "This is a record of quiver match: the page of “quiver serve” opens it, and “quiver convert” converts it to SGF.",
  saveTitle: "Save or share the game", saveHint: "The link opens this game in every browser that can reach this page.",
  copy: "Copy", download: "Save file", copied: "Copied.", formLink: "Link", formSgf: "SGF with all variations", formLog: "Botzone log", formMoves: "List of moves", formFen: "This position as FEN", savedText: "Copied text",
  // The help dialog: keys and symbols
  keysTitle: "Keys", symbolsTitle: "Symbols", keysStep: "One move back or forward", keysEnds: "To the start or the end", keysAnalyse: "Analysis on or off",
  keysCancel: "Put the amazon back; close a hint or a result", keysBoard: "Play without a mouse: go to the board, go to a square, choose it", keysHelp: "This help",
  legendLeft: "The square where the last move began", legendFresh: "The square that the last arrow burnt", legendTarget: "The amazon can go here", legendShot: "The arrow can go here",
  legendPath: "The engine’s move: path of the amazon", legendArrow: "The engine’s move: path of the arrow", legendHint: "A hint",
  legendGraph: "The first player’s chance of winning after each move; a dashed line marks a mistake", legendCost: "The winning chance that a move gave away", legendStar: "The winner",
  // Matches: the pages of quiver replay and quiver match
  match: "Match", stepMatch: "Step through the match", playHint: "Play (space)", ply: "Ply", thisPly: "This ply", checked: "Players and check", debugText: "Debug text of the player",
  named: (name, side) => `${name} (${side})`, inSentence: { first: "first player", second: "second player" },
  agrees: (size) => `✓ The log agrees with the rules (${size} board).`, disagrees: (n) => (n === 1 ? "✗ The log disagrees with the rules:" : `✗ The log disagrees with the rules in ${n} places:`),
  startText: (plies) => `Start position of a game of ${countText(plies, "ply", "plies")}`, plyText: (ply, all, mover, move) => `Ply ${ply} of ${all}: ${mover}, ${move}`,
  legalMoves: (first, second) => `first player ${first}, second player ${second}`,
  facts: { move: "Move", time: "Time", memory: "Memory", legal: "Legal moves", chance: "Chance of first player", cost: "Lost chance", then: "Then", took: "Cost of that turn", last: "Last output" },
  preferred: (percent, best) => (best ? `${percent}; the engine prefers ${best}` : percent),
  times: (mean, worst, ply) => `mean ${mean} ms, longest ${worst} ms at ply ${ply}`, noTimes: "the log has no times",
  score: "Score", playerName: "Player", report: "Report", games: "Games", stepGame: "Step through the game", gameText: (game, ply, all) => `Game ${game}, ply ${ply} of ${all}`, opening: "opening",
  wonBy: (player, reason) => `${player} won: ${reason}`, pliesPlayed: (n) => countText(n, "ply", "plies"), atPly: (n) => `ply ${n}`,
  progress: (done, all, playing, over) => `${done} of ${all} games${playing ? `, ${playing} in progress` : ""}${over ? ", over" : ""}`, faults: (n) => `faults: ${n}`,
  valuesLabel: "Each player’s estimate of its own chances, by ply", gone: "The server of the match does not answer.",
  valuesNote: "Each player’s estimate of its own chances, by ply. The solid line is the first player, the dashed line the second.",
  noBound: "no bound", eloLabel: (elo, low, high) => `Elo ${elo}, 95 % interval from ${low} to ${high}`, sprtLabel: (ratio, low, high) => `SPRT: log-likelihood ratio ${ratio} between ${low} and ${high}`,
  // Labels that screen readers speak, and error messages
  boardLabel: (size, first, second, burnt, last) => `Board of ${size}. First player on ${first}. Second player on ${second}. ${countText(burnt, "square")} burnt.${last ? ` Last move ${last}.` : ""}`,
  cell: { Q: "first player’s amazon", q: "second player’s amazon", "*": "burnt", "": "empty" }, canMove: "can move", target: "can go here", shot: "arrow can go here",
  searchEnded: "The search has ended without a result.", offline: "The server does not answer. Is quiver still running?",
  noSimd: "This browser cannot run the engine: it has no WebAssembly SIMD. A version of 2021 or later has it (Safari: 2023).", noEngine: "The engine cannot be loaded. Is there a network connection?",
  engineStopped: (cause) => `The engine has stopped${cause ? `: ${cause}` : ""}. The game is kept; try again.`,
  waiting: (move) => `The server does not answer. Your move ${move} is kept, and is sent again when the server is back.`, sentAgain: (move) => `The server is back and has your move ${move}.`,
};
