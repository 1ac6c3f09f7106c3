"""A bot for Amazons on Botzone that plays random legal moves: write your own `choose`.

    python3 bot.py [SIDE OF THE BOARD]

The bot understands JSON and Botzone's simplified interaction, on boards of 8x8 (the live site) and
10x10. The judge may start a new process for every turn, or keep one process running. Between turns,
the bot stores only the board and the side that it plays.
"""

import json
import random
import sys

# The number of squares along a side if the request contains no move, as in the first player's first
# turn. Otherwise `start_board` finds the size from the moves.
BOARD = int(sys.argv[1]) if len(sys.argv) > 1 else 8

# This line after an answer asks the judge to keep the process running. The next request then has
# only the opponent's move. Without the line the process must end after its answer; the judge starts
# a new process for the next turn and sends all moves of the match.
MARKER = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
KEEP_RUNNING = True

NAMES = ["x0", "y0", "x1", "y1", "x2", "y2"]  # from, to, arrow; x to the right, y down, from 0
EMPTY, FIRST, SECOND, ARROW = range(4)
DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]


def start_squares(n):
    """Returns the first player's start squares (x, y). The second player's are (x, n - 1 - y)."""
    k, last = (n - 1) // 3, n - 1
    return [(0, k), (k, 0), (last - k, 0), (last, k)]


class Board:
    def __init__(self, n):
        self.n = n
        self.cells = [[EMPTY] * n for _ in range(n)]  # cells[x][y]
        for x, y in start_squares(n):
            self.cells[x][y] = FIRST
            self.cells[x][n - 1 - y] = SECOND

    def play(self, move):
        x0, y0, x1, y1, x2, y2 = move
        self.cells[x1][y1] = self.cells[x0][y0]
        self.cells[x0][y0] = EMPTY
        self.cells[x2][y2] = ARROW

    def reach(self, x, y):
        """Yields the squares that an amazon or an arrow can reach from (x, y)."""
        for dx, dy in DIRECTIONS:
            a, b = x + dx, y + dy
            while 0 <= a < self.n and 0 <= b < self.n and self.cells[a][b] == EMPTY:
                yield a, b
                a, b = a + dx, b + dy

    def legal_moves(self, side):
        moves = []
        for x in range(self.n):
            for y in range(self.n):
                if self.cells[x][y] != side:
                    continue
                # An arrow may cross the square that its amazon has left, or end on that square.
                self.cells[x][y] = EMPTY
                targets = [square for square in self.reach(x, y) if square != (x, y)]
                moves += [(x, y, *to, *arrow) for to in targets for arrow in self.reach(*to)]
                self.cells[x][y] = side
        return moves


def choose(board, side):
    return random.choice(board.legal_moves(side))


def read_turn():
    """Reads a request. Returns None at the end of the input.

    Otherwise returns the form of the request ("json" or "text"), its moves, and True if these are
    all moves of the match so far.
    """
    line = sys.stdin.readline()
    while line and not line.strip():
        line = sys.stdin.readline()
    if not line:
        return None
    if line.startswith("{"):
        request = json.loads(line)
        if "requests" not in request:
            return "json", [[request[name] for name in NAMES]], False
        moves = []
        for at, asked in enumerate(request["requests"]):
            moves.append([asked[name] for name in NAMES])
            if at < len(request["responses"]):
                moves.append([request["responses"][at][name] for name in NAMES])
        return "json", moves, True
    numbers = [int(word) for word in line.split()]
    if len(numbers) == 6:
        return "text", [numbers], False
    count = 2 * numbers[0] - 1
    return "text", [[int(word) for word in sys.stdin.readline().split()] for _ in range(count)], True


def start_board(moves):
    """Returns the start position. The square that the first move leaves shows the board's size."""
    for move in moves:
        for n in (8, 10):
            if (move[0], move[1]) in start_squares(n) or (move[0], n - 1 - move[1]) in start_squares(n):
                return Board(n)
    return Board(BOARD)


def main():
    board, side = None, None
    while True:
        turn = read_turn()
        if turn is None:
            return
        form, moves, whole = turn
        if whole:
            board = start_board(moves)
            side = FIRST if moves[0][0] < 0 else SECOND
        for move in moves:
            if move[0] >= 0:  # six times -1 is no move
                board.play(move)
        move = choose(board, side)
        board.play(move)
        if form == "json":
            print(json.dumps({"response": dict(zip(NAMES, move))}))
        else:
            print(*move)
        if KEEP_RUNNING:
            print(MARKER)
        # Without a flush the answer stays in a buffer, and the judge waits until the time is over.
        sys.stdout.flush()
        if not KEEP_RUNNING:
            return


main()
