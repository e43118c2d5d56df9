// Ataxx: turns as many pieces as it can, and jumps only where that is worth more than growing.
// 同化棋：尽量多翻转对手的棋子；只有比复制更划算时才跳跃。
//
//     ludus play ataxx ataxx.cpp greedy --watch

#include <ludus.hpp>

using Board = std::vector<std::string>;  // row by row: "x", "o", or "" and walls

struct Ataxx : ludus::Bot {
    std::string mine, theirs;
    int size = 7;

    Ataxx() { wants_view = true; }

    void start(const ludus::Bout& bout) override {
        mine = bout.seat == 0 ? "x" : "o";
        theirs = bout.seat == 0 ? "o" : "x";
    }

    std::string move(const ludus::Turn& turn) override {
        Board board;
        for (const auto& piece : turn.view["layers"]["pieces"].list()) board.push_back(piece.text());
        size = static_cast<int>(std::lround(std::sqrt(board.size())));
        std::string best;
        int most = -(1 << 30);
        for (const auto& move : turn.legal) {
            int worth = gain(board, move);
            if (worth > most) {
                most = worth;
                best = move;
            }
        }
        return best;
    }

    // A move is the cell of a new piece ("b1"), or two cells of a jump ("a1c1").
    int gain(const Board& board, const std::string& move) const {
        auto second = move.find_first_of("abcdefghijklmnopqrstuvwxyz", 1);
        bool jumps = second != std::string::npos;
        std::string to = jumps ? move.substr(second) : move;
        if (to.size() < 2 || !std::isdigit(static_cast<unsigned char>(to[1]))) return 0;  // a pass
        int column = to[0] - 'a', row = std::stoi(to.substr(1)) - 1;
        int turned = around(board, row, column, theirs);
        int kept = around(board, row, column, mine);  // friends beside it make it safer
        return 10 * (2 * turned + (jumps ? 0 : 1)) + kept;
    }

    int around(const Board& board, int row, int column, const std::string& whose) const {
        int count = 0;
        for (int r = std::max(0, row - 1); r <= std::min(size - 1, row + 1); ++r) {
            for (int c = std::max(0, column - 1); c <= std::min(size - 1, column + 1); ++c) {
                count += board[r * size + c] == whose;
            }
        }
        return count;
    }
};

int main() {
    Ataxx bot;
    return ludus::run(bot);
}
