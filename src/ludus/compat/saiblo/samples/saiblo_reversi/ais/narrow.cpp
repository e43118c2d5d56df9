// Leaves the rival as few moves as possible, and takes corners. 让对方无处可下，并占角。

#include <saiblo/ai.hpp>

#include <array>

namespace {

constexpr int size = 8;
using Board = std::array<std::array<char, size>, size>;  // 'x' black, 'o' white, 0 empty

bool inside(int row, int column) {
    return row >= 0 && row < size && column >= 0 && column < size;
}

// Puts a disc and turns what it encloses; how many turned. Nothing changes if none would.
int put(Board& board, int row, int column, char mine) {
    if (board[row][column]) return 0;
    int turned = 0;
    for (int down = -1; down <= 1; ++down) {
        for (int right = -1; right <= 1; ++right) {
            int r = row + down, c = column + right, rivals = 0;
            while (inside(r, c) && board[r][c] && board[r][c] != mine && (down || right)) {
                r += down, c += right, ++rivals;
            }
            if (!rivals || !inside(r, c) || board[r][c] != mine) continue;
            turned += rivals;
            while (rivals-- > 0) board[r -= down][c -= right] = mine;
        }
    }
    if (turned) board[row][column] = mine;
    return turned;
}

int count_moves(const Board& board, char mine) {
    int found = 0;
    for (int row = 0; row < size; ++row) {
        for (int column = 0; column < size; ++column) {
            Board after = board;
            found += put(after, row, column, mine) > 0;
        }
    }
    return found;
}

struct Narrow : saiblo::Ai {
    char mine = 'x', rival = 'o';

    void start(const saiblo::Start& start) override {
        if (start.seat == 1) std::swap(mine, rival);
    }

    std::string move(const saiblo::Turn& turn) override {
        std::string best = turn.legal.front();
        int least = 1000;
        for (const std::string& move : turn.legal) {
            int left = rival_moves_after(move, turn.view["layers"]["discs"]);
            if (left < least) least = left, best = move;
        }
        return best;
    }

    int rival_moves_after(const std::string& move, const saiblo::Json& discs) {
        Board board{};
        for (int cell = 0; cell < size * size; ++cell) {
            const std::string& disc = discs[cell].text();
            board[cell / size][cell % size] = disc.empty() ? '\0' : disc[0];
        }
        int row = std::stoi(move.substr(1)) - 1, column = move[0] - 'a';
        put(board, row, column, mine);
        bool corner = row % (size - 1) == 0 && column % (size - 1) == 0;
        return count_moves(board, rival) - (corner ? 100 : 0);
    }
};

}  // namespace

int main() {
    Narrow ai;
    return saiblo::run(ai);
}
