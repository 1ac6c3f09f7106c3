// A bot for Amazons on Botzone that plays random legal moves: write your own `choose`.
//
//     g++ -O2 bot.cpp -o bot && ./bot [SIDE OF THE BOARD]
//
// The bot understands JSON and Botzone's simplified interaction, on boards of 8x8 (the live site) and
// 10x10. The judge may start a new process for every turn, or keep one process running. Between
// turns, the bot stores only the board and the side that it plays.

#include <array>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

// This line after an answer asks the judge to keep the process running. The next request then has
// only the opponent's move. Without the line the process must end after its answer; the judge
// starts a new process for the next turn and sends all moves of the match.
const char *const MARKER = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";
const bool KEEP_RUNNING = true;

// from, to, arrow; x to the right, y down, from 0
const char *const NAMES[6] = {"x0", "y0", "x1", "y1", "x2", "y2"};
typedef std::array<int, 6> Move;
enum Cell { EMPTY, FIRST, SECOND, ARROW };

struct Board {
    int n;
    std::vector<std::vector<int>> cells; // cells[x][y]

    explicit Board(int n) : n(n), cells(n, std::vector<int>(n, EMPTY)) {
        const int k = (n - 1) / 3, last = n - 1;
        const int squares[4][2] = {{0, k}, {k, 0}, {last - k, 0}, {last, k}};
        for (const auto &square : squares) {
            cells[square[0]][square[1]] = FIRST;
            cells[square[0]][last - square[1]] = SECOND;
        }
    }

    void play(const Move &move) {
        cells[move[2]][move[3]] = cells[move[0]][move[1]];
        cells[move[0]][move[1]] = EMPTY;
        cells[move[4]][move[5]] = ARROW;
    }

    // Returns the squares that an amazon or an arrow can reach from (x, y).
    std::vector<std::array<int, 2>> reach(int x, int y) const {
        std::vector<std::array<int, 2>> squares;
        for (int dx = -1; dx <= 1; dx++)
            for (int dy = -1; dy <= 1; dy++) {
                int a = x + dx, b = y + dy;
                while ((dx || dy) && 0 <= a && a < n && 0 <= b && b < n && cells[a][b] == EMPTY) {
                    squares.push_back({{a, b}});
                    a += dx;
                    b += dy;
                }
            }
        return squares;
    }

    std::vector<Move> legalMoves(int side) {
        std::vector<Move> moves;
        for (int x = 0; x < n; x++)
            for (int y = 0; y < n; y++) {
                if (cells[x][y] != side) continue;
                // The arrow may pass or hit the square that the amazon has left.
                cells[x][y] = EMPTY;
                for (const auto &to : reach(x, y))
                    for (const auto &arrow : reach(to[0], to[1]))
                        moves.push_back({{x, y, to[0], to[1], arrow[0], arrow[1]}});
                cells[x][y] = side;
            }
        return moves;
    }
};

Move choose(Board &board, int side) {
    static std::mt19937 random{std::random_device{}()};
    const std::vector<Move> moves = board.legalMoves(side);
    return moves[random() % moves.size()];
}

// Returns the six numbers of a move from a JSON object, which may name them in any order.
Move readObject(const std::string &object) {
    Move move;
    for (int i = 0; i < 6; i++) {
        const size_t name = object.find("\"" + std::string(NAMES[i]) + "\"");
        move[i] = std::atoi(object.c_str() + object.find(':', name) + 1);
    }
    return move;
}

// Returns the moves in the JSON array with this name.
std::vector<Move> readArray(const std::string &json, const std::string &name) {
    std::vector<Move> moves;
    size_t at = json.find("\"" + name + "\"");
    const size_t end = json.find(']', at);
    while ((at = json.find('{', at)) < end) {
        const size_t close = json.find('}', at);
        moves.push_back(readObject(json.substr(at, close - at)));
        at = close;
    }
    return moves;
}

struct Turn {
    bool json, whole; // whole: moves has the whole match, not only the opponent's last move
    std::vector<Move> moves;
};

// Reads a request. Returns false at the end of the input.
bool readTurn(Turn &turn) {
    std::string line;
    do {
        if (!std::getline(std::cin, line)) return false;
    } while (line.find_first_not_of(" \t\r") == std::string::npos);
    turn = Turn{line[0] == '{', true, {}};
    if (turn.json) {
        const std::vector<Move> requests = readArray(line, "requests"), responses = readArray(line, "responses");
        for (size_t i = 0; i < requests.size(); i++) {
            turn.moves.push_back(requests[i]);
            if (i < responses.size()) turn.moves.push_back(responses[i]);
        }
        turn.whole = !turn.moves.empty();
        if (!turn.whole) turn.moves.push_back(readObject(line));
        return true;
    }
    std::istringstream words(line);
    Move move;
    int count = 0;
    while (count < 6 && words >> move[count]) count++;
    turn.whole = count == 1;
    if (!turn.whole) {
        turn.moves.push_back(move);
        return true;
    }
    for (int left = 2 * move[0] - 1; left > 0; left--) {
        Move next;
        for (int &number : next) std::cin >> number;
        turn.moves.push_back(next);
    }
    return true;
}

// Returns the start position. The first move shows the size of the board. Before the first move the
// size is `usual`, which comes from the command line or is 8.
Board boardOf(const std::vector<Move> &moves, int usual) {
    for (const Move &move : moves)
        for (int n : {8, 10})
            if (move[0] >= 0 && move[0] < n && move[1] < n && Board(n).cells[move[0]][move[1]] != EMPTY)
                return Board(n);
    return Board(usual);
}

int main(int count, char **arguments) {
    const int usual = count > 1 ? std::atoi(arguments[1]) : 8;
    Board board(usual);
    int side = FIRST;
    Turn turn;
    while (readTurn(turn)) {
        if (turn.whole) {
            board = boardOf(turn.moves, usual);
            side = turn.moves[0][0] < 0 ? FIRST : SECOND;
        }
        for (const Move &move : turn.moves)
            if (move[0] >= 0) board.play(move); // six times -1 is no move
        const Move move = choose(board, side);
        board.play(move);
        for (int i = 0; i < 6; i++) {
            if (turn.json)
                std::cout << (i ? ",\"" : "{\"response\":{\"") << NAMES[i] << "\":" << move[i];
            else
                std::cout << (i ? " " : "") << move[i];
        }
        std::cout << (turn.json ? "}}\n" : "\n");
        if (KEEP_RUNNING) std::cout << MARKER << "\n";
        // Without a flush the answer stays in a buffer, and the judge waits until the time is over.
        std::cout << std::flush;
        if (!KEEP_RUNNING) return 0;
    }
}
