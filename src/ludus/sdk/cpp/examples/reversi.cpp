// Reversi: takes corners, gives none away, and leaves the rival few answers.
// 黑白棋：抢角，不送角，让对手可走之处尽量少。
//
//     ludus play reversi reversi.cpp greedy --watch

#include <ludus.hpp>

using Board = std::vector<std::string>;  // row by row: "x", "o" or ""

struct Reversi : ludus::Bot {
    std::string mine, theirs;
    int size = 8;

    Reversi() { wants_view = true; }

    void start(const ludus::Bout& bout) override {
        mine = bout.seat == 0 ? "x" : "o";
        theirs = bout.seat == 0 ? "o" : "x";
    }

    std::string move(const ludus::Turn& turn) override {
        Board board;
        for (const auto& disc : turn.view["layers"]["discs"].list()) board.push_back(disc.text());
        size = static_cast<int>(std::lround(std::sqrt(board.size())));
        std::string best;
        int least = 1 << 30;
        for (const auto& move : turn.legal) {
            int bad = badness(board, move);
            if (bad < least) {
                least = bad;
                best = move;
            }
        }
        return best;
    }

    int badness(Board board, const std::string& move) {
        int column = move[0] - 'a', row = std::stoi(move.substr(1)) - 1;
        put(board, row, column, mine, theirs);
        int answers = 0;
        for (int cell = 0; cell < size * size; ++cell) {
            Board after = board;
            if (put(after, cell / size, cell % size, theirs, mine)) {
                answers += is_corner(cell / size, cell % size) ? 30 : 1;
            }
        }
        return is_corner(row, column) ? answers - 100 : answers;
    }

    bool is_corner(int row, int column) const {
        return (row == 0 || row == size - 1) && (column == 0 || column == size - 1);
    }

    // Puts a disc and turns what it encloses; false if it encloses nothing.
    bool put(Board& board, int row, int column, const std::string& own, const std::string& other) {
        if (!board[row * size + column].empty()) return false;
        bool turned = false;
        for (int down = -1; down <= 1; ++down) {
            for (int right = -1; right <= 1; ++right) {
                int length = enclosed(board, row, column, down, right, own, other);
                for (int step = 1; step <= length; ++step) {
                    board[(row + step * down) * size + column + step * right] = own;
                    turned = true;
                }
            }
        }
        if (turned) board[row * size + column] = own;
        return turned;
    }

    int enclosed(const Board& board, int row, int column, int down, int right,
                 const std::string& own, const std::string& other) const {
        for (int length = 0;; ++length) {
            row += down;
            column += right;
            bool inside = row >= 0 && row < size && column >= 0 && column < size;
            if (!inside || (down == 0 && right == 0)) return 0;
            const std::string& disc = board[row * size + column];
            if (disc == own) return length;
            if (disc != other) return 0;
        }
    }
};

int main() {
    Reversi bot;
    return ludus::run(bot);
}
