"""A bot for tests of the match runner, which plays legal moves and shows a chosen fault.

    bot.py --form json|text|uci|gtp|contest [--board N] [--keep] [--fault KIND --at K] [--stderr TEXT] [--fairy]

The bot speaks Botzone's JSON, Botzone's simplified interaction, UCI with the variant amazons,
KataGo's GTP, or the protocol of the contest platform. With --keep it asks to be kept running. From
its turn K on, which counts from 1, it shows the fault KIND. With --fairy it knows only the variant
amazons on 10x10 until the option VariantPath is set, as Fairy-Stockfish does.
"""

import os
import sys
import time

MARKER = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]


class Options:
    """The options of the command line, with their defaults."""

    form, board, keep, fault, at, stderr, fairy, state = "json", 6, False, "", 1, "", False, ""


class Board:
    """A position. A cell is 1 or -1 for an amazon of the first or second player, 2 for an arrow."""

    def __init__(self, n):
        k, last = (n - 1) // 3, n - 1
        self.n, self.cells, self.turn = n, {(x, y): 0 for x in range(n) for y in range(n)}, 1
        for x, y in [(0, k), (k, 0), (last - k, 0), (last, k)]:
            self.cells[x, y] = 1
            self.cells[x, last - y] = -1

    def play(self, move):
        x0, y0, x1, y1, x2, y2 = move
        self.cells[x1, y1] = self.cells[x0, y0]
        self.cells[x0, y0] = 0
        self.cells[x2, y2] = 2
        self.turn = -self.turn

    def reach(self, x, y, left=None):
        for dx, dy in DIRECTIONS:
            a, b = x + dx, y + dy
            while (a, b) == left or self.cells.get((a, b)) == 0:
                yield a, b
                a, b = a + dx, b + dy

    def moves(self):
        for (x, y), what in sorted(self.cells.items()):
            if what == self.turn:
                for to in self.reach(x, y):
                    for arrow in self.reach(*to, left=(x, y)):
                        if arrow != to:
                            yield (x, y, *to, *arrow)

    def choose(self):
        """Returns a legal move, which depends only on the position."""
        moves = list(self.moves())
        empty = sum(what == 0 for what in self.cells.values())
        return moves[empty * 7919 % len(moves)]


def say(text, flush=True):
    sys.stdout.write(text + "\n")
    if flush:
        sys.stdout.flush()


def burn(seconds):
    while time.process_time() < seconds:
        pass


def flood():
    while True:
        say("x" * 100000)


def leave_daemon(args):
    """Leaves a process in its own session, and adds its process id to the file --state."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            with open(args.state, "a") as file:
                file.write(f"{os.getpid()}\n")
            while args.fault == "loud-daemon":
                os.write(2, b"still here\n")
            time.sleep(3600)
        os._exit(0)
    os.wait()


hoard = []

# The faults: a function of the chosen move. If it returns a move, the bot plays that move instead.
FAULTS = {
    "crash": lambda move: sys.exit(3),
    "signal": lambda move: os.kill(os.getpid(), 9),
    "segfault": lambda move: os.kill(os.getpid(), 11),
    "raise": lambda move: {}["x9"],
    "leave": lambda move: sys.exit(0),
    "garbage": lambda move: say("resign, I think") or sys.exit(0),
    "flood": lambda move: flood(),
    "print": lambda move: print("moves: 1232"),
    "loud": lambda move: say("info depth 9 currmove a1a2,a2a3 score cp 3 nodes 7 x\n" * 60000),
    "complain": lambda move: sys.stderr.write("something is wrong\n" * 200000 + "the end of it\n"),
    "silence": lambda move: time.sleep(3600),
    "late": lambda move: time.sleep(0.6),
    "work": lambda move: burn(0.6),
    "busy": lambda move: burn(float("inf")),
    "hoard": lambda move: hoard.append(bytearray(os.urandom(1 << 20) * 100)),
    "child": lambda move: os.fork() or time.sleep(3600),
    "child-crash": lambda move: sys.exit(5) if os.fork() else time.sleep(3600),
    "exchange": lambda move: tuple(move[at ^ 1] for at in range(6)),
    "late-exchange": lambda move: time.sleep(0.6) or FAULTS["exchange"](move),
    "interrupt": lambda move: os.kill(os.getppid(), 2) or time.sleep(60),
    "long-output-crash": lambda move: sys.exit(3),
    "theirs": lambda move: (4, 5, 4, 4, 4, 3),
    "illegal": lambda move: move[:4] + move[2:4],
    "nowhere": lambda move: (-1,) * 6,
}


def saved(args):
    with open(args.state) as file:
        return [tuple(map(int, line.split())) for line in file]


def save(args, moves):
    with open(args.state, "w") as file:
        file.writelines(" ".join(map(str, move)) + "\n" for move in moves)


def others_seen(args, history):
    """For the faults 'waver-…': returns the number of another move, from 1 on, if the last turn was
    in another match, and else 0."""
    last = saved(args) if len(history) > 1 else []
    save(args, history)
    if args.fault == "waver-slowly" and len(history) == 1:
        time.sleep(1.05)
    if history[: len(last)] == last or args.fault in ("waver-thrice", "waver-ever") and len(history) != 3:
        return 0
    with open(args.state + ".done", "a") as done:
        done.write(".")
        times = done.tell()
    if args.fault == "waver-anew":
        return times
    return args.fault != "waver-thrice" or times <= 3


def reads_right(args, is_kept):
    """Returns true for a new process that follows a kept turn, which the file --state marks."""
    exists = args.state and os.path.exists(args.state)
    if is_kept and args.state:
        open(args.state, "w").close()
    elif exists:
        os.remove(args.state)
    return exists and not is_kept


def main():
    # Each turn may start a new process, and to load argparse takes longer than a turn. So does
    # json, which is loaded only if it is needed.
    args, words = Options(), iter(sys.argv[1:])
    for word in words:
        name = word.removeprefix("--")
        usual = getattr(args, name)
        setattr(args, name, True if usual is False else type(usual)(next(words)))
    {"json": botzone, "text": botzone, "uci": uci, "gtp": gtp, "contest": contest}[args.form](args)


def answer(args, board, turn):
    move = board.choose()
    if args.stderr:
        sys.stderr.write(f"{args.stderr} {turn}\n")
        sys.stderr.flush()
    if args.fault.endswith("daemon") and turn >= args.at:
        leave_daemon(args)
    if args.fault == "crash-once" and turn >= args.at and not os.path.exists(args.state):
        open(args.state, "w").close()
        sys.exit(3)
    if args.fault == "exchange" and turn < args.at:
        # This move is legal with x and y exchanged and as it is.
        move = next(move for move in board.moves() if FAULTS["exchange"](move) in set(board.moves()))
    if args.fault and turn >= args.at:
        done = FAULTS.get(args.fault, id)(move)
        move = done if isinstance(done, tuple) else move
    return move


def numbers(request):
    return tuple(request[name] for name in ("x0", "y0", "x1", "y1", "x2", "y2"))


def botzone(args):
    if args.form == "json":
        import json
    board, turn = Board(args.board), 0
    while True:
        line = sys.stdin.read() if args.fault == "to-the-end" else sys.stdin.readline()
        if not line:
            return
        if args.form == "json":
            request = json.loads(line)
            if "requests" in request:
                asked, told = request["requests"], request["responses"]
                turn = len(told)
                history = [numbers(one) for pair in zip(asked, told) for one in pair] + [numbers(asked[-1])]
                if args.fault == "limits" and request["memory_limit"] != 256:
                    sys.exit(4)
            else:
                history = [numbers(request)]
        else:
            words = line.split()
            if not words:
                # This blank line is the empty data or global data after a history.
                continue
            if len(words) == 1:
                turn = int(words[0]) - 1
                history = [tuple(map(int, sys.stdin.readline().split())) for _ in range(2 * turn + 1)]
            else:
                history = [tuple(map(int, words))]
        if args.fault == "leak":
            # The bot uses the file of its last turn instead of the history in the request.
            history = (saved(args) if turn > 0 else []) + history[-1:]
        if args.fault == "opening" and turn > 0:
            # The bot only knows games that begin with its own choice of a first move.
            if history[0][0] >= 0:
                board.play(history[0])
            if board.choose() != history[1]:
                sys.exit("no such opening")
            board = Board(args.board)
        if len(history) > 1 or turn == 0:
            side = 1 if history[0][0] < 0 else -1
        if args.fault == "read-exchange" and not reads_right(args, len(history) == 1 and turn > 0):
            asked = range(len(history) - 1, -1, -2)
            history = [FAULTS["exchange"](one) if at in asked else one for at, one in enumerate(history)]
        if args.fault == "deaf":
            history = [one if at % 2 != (len(history) - 1) % 2 else (-1,) * 6 for at, one in enumerate(history)]
        if args.fault == "amnesia" and turn >= args.at and len(history) == 1:
            # The bot forgets its board between turns while it is kept running.
            board = Board(args.board)
        # With 'forget' the bot plays only the opponent's last move on its board.
        for move in history[-1:] if args.fault == "forget" else history:
            if move[0] >= 0:
                board.play(move)
        board.turn = side
        turn += 1
        if args.fault == "raise-either" and turn >= args.at:
            {}["x9"] if side > 0 else [][turn]
        times = args.fault.startswith("waver") and others_seen(args, history)
        legal = list(board.moves()) if times else []
        move = legal[(times - 1) % len(legal)] if times else answer(args, board, turn)
        if args.fault == "leak":
            save(args, [*history, move])
        if args.form == "json":
            response = dict(zip(("x0", "y0", "x1", "y1", "x2", "y2"), move))
            is_long = args.fault.startswith("long-output")
            words, data = "thought" * (1000 if is_long else 1), {"turns": turn, "more": "x" * 150000 * is_long}
            flush = args.fault != "no-flush" and (args.fault != "flush-once" or "requests" in request)
            say(json.dumps({"response": response, "debug": words, "data": data}), flush)
            if not flush:
                # The bot waits for its next request, as a bot that is kept running does.
                sys.stdin.readline()
        else:
            say(" ".join(map(str, move)))
            say("thought")
        if not args.keep or (args.fault == "once" and turn >= args.at):
            return
        if args.fault == "no-marker" and turn >= args.at:
            time.sleep(3600)
        # One write sends all of this text together.
        say(MARKER + ("\nstray" if args.fault == "stray" and turn >= args.at else ""))
        if args.fault == "blanks":
            say("\n")
        board.play(move)


def uci(args):
    import re

    board, turn = Board(args.board), 0
    sizes = {"amazons": 10} if args.fairy else {"amazons" + str(args.board) * (args.board != 10): args.board}
    variant = None
    square = lambda x, y: "abcdefghij"[x] + str(y + 1)
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["uci"]:
            say("id name Scripted 1.5\nid author nobody\noption name VariantPath type string default <empty>")
            say(f"option name UCI_Variant type combo default amazons var {' var '.join(sizes)}\nuciok")
        elif words[:3] == ["setoption", "name", "VariantPath"]:
            sizes["small-amazons"] = args.board
        elif words[:3] == ["setoption", "name", "UCI_Variant"]:
            variant = words[4]
            if args.fairy:
                say(f"info string variant {variant} files {sizes[variant]} ranks {sizes[variant]} pocket 0")
        elif words[:1] == ["isready"]:
            say("readyok")
        elif words[:1] == ["position"]:
            board = Board(args.board)
            for text in words[words.index("moves") + 1 :] if "moves" in words else []:
                squares = [("abcdefghij".index(x), int(y) - 1) for x, y in re.findall(r"([a-j])(\d+)", text)]
                board.play(squares[0] + squares[1] + squares[3])
        elif words[:1] == ["go"]:
            turn += 1
            move = answer(args, board, turn)
            if sizes.get(variant) != args.board:
                move = (-1,) * 6
            names = [square(*move[i : i + 2]) for i in (0, 2, 4)]
            say(f"info depth 1 score cp 100 nodes 1234 time 1 pv {names[0]}{names[1]},{names[1]}{names[2]}")
            say(f"bestmove {names[0]}{names[1]},{names[1]}{names[2]}" if move[0] >= 0 else "bestmove (none)")
        elif words[:1] == ["quit"]:
            return


# The answers to the GTP command genmove that replace a vertex.
WORDS = {"pass": "= PASS", "resign": "= resign", "error": "? cannot move", "banana": "= banana", "blank": "=", "id": "=7 A0"}


def gtp(args):
    """Plays by GTP. Black is at the top, and a ply is three commands, one for each square."""
    board, turn, begun, move = Board(args.board), 0, (), ()
    if args.fault == "slow-start":
        time.sleep(4)
    about = {"name": "Scripted", "version": "1.5", "list_commands": "name\nplay\ngenmove"}
    for command, *words in map(str.split, sys.stdin):
        text, fault = f"= {about.get(command, '')}", args.fault if turn >= args.at else ""
        if command == "boardsize" and words != [str(args.board)] or command == "time_settings" and sum(map(float, words[:2])) != 9:
            text = "? unacceptable"
        elif command == "play":
            begun += ("ABCDEFGHJK".index(words[1][0]), args.board - int(words[1][1:]))
        elif command == "genmove":
            if not begun:
                turn += 1
                move = answer(args, board, turn)
                fault = args.fault if turn >= args.at else ""
            x, y = move[len(begun) : len(begun) + 2]
            begun += (x, y)
            text = WORDS.get(fault, f"= {'ABCDEFGHJK'[x]}{args.board - y}")
        if fault == "chatter":
            say("info: thinking\n\n")
        say((text + "\n" * (fault != "no-end")).replace("\n", "\r\n" if fault == "crlf" else "\n"))
        if len(begun) == 6:
            board.play(begun)
            begun = ()


def contest(args):
    """Plays on the contest platform.

    A square is two letters from A: its column, and its row from the top.
    """
    board, turn = Board(args.board), 0
    for command, *words in map(str.split, sys.stdin):
        if command == "name?":
            say("name Scripted")
            continue
        if command == "move":
            numbers = [ord(letter) - ord("A") for letter in words[0]]
            board.play([number if at % 2 == 0 else 9 - number for at, number in enumerate(numbers)])
        if words == ["white"]:
            continue
        turn += 1
        move = answer(args, board, turn)
        board.play(move)
        letters = [chr(ord("A") + (number if at % 2 == 0 else 9 - number)) for at, number in enumerate(move)]
        say("thinking hard; move " + ("ZZZZZZ" if args.fault == "banana" and turn >= args.at else "".join(letters)))


main()
