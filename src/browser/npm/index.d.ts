/** A move, as in "d1-d7/g7". */
export type Move = string;
export type Side = "first" | "second";

/** A game: its start position (`position` is a FEN) and its moves. */
export interface Game { boardXSize?: number; position?: string; moves?: Move[] | string; [field: string]: unknown }

/** A search of a position of a game; the protocol of `quiver analyze --jsonl` has more fields. */
export interface Query extends Game {
  maxVisits?: number;
  /** The time limit in seconds (`maxTime`) and search parameters. */
  overrideSettings?: { maxTime?: number; [parameter: string]: unknown };
  /** The seconds between answers during the search. */
  reportDuringSearchEvery?: number;
  /** True if the search may continue from the tree of an earlier query. */
  reuse?: boolean;
}

export interface Answer {
  isDuringSearch: boolean;
  /** `winrate` is the winning chance of the side to move, from 0 to 1. */
  rootInfo: { currentPlayer: "B" | "W"; visits: number; winrate: number };
  /** The move to play, then the other moves by their visits. */
  moveInfos: { move: Move; visits: number; winrate: number; prior: number | null; pv: Move[] }[];
  winner: Side | null;
  proven: boolean;
  playouts: number;
  stop: string;
  [field: string]: unknown;
}

export interface GameAnswer {
  moves: Move[];
  /** The position before each move, and the final position. */
  positions: { fen: string; to_move: Side; winner: Side | null; [field: string]: unknown }[];
  [field: string]: unknown;
}

/** Every method throws an Error for a wrong question. The error's `field` names the wrong field. */
export interface Engine {
  /** Returns the last answer. `listener` gets each answer; if it returns false, the search ends. */
  analyze(query: Query, listener?: (answer: Answer) => boolean | void): Answer;
  /** Returns the positions of a game, or of game `number` (from 0) of a text in any format. */
  game(question: { game: Game } | { text: string; number?: number }): GameAnswer;
  /** Returns a game as text in the format `form`. */
  save(question: { game: Game; form: "sgf" | "log" | "moves" | "fen" }): { text: string };
  /** Returns the move of a level, from 1 to 14, or null if the game is over. */
  move(question: { game: Game; level: number; seed?: number }): { move: Move | null };
}

/** Loads an engine with its own search tree. `source` replaces this package's `quiver.wasm`. */
export function load(source?: BufferSource | WebAssembly.Module): Promise<Engine>;

/** Returns the legal moves of the side to move. Throws an `Error` if `fen` is no FEN. */
export function legalMoves(fen: string): Move[];
