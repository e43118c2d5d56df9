// Eraser: takes the swap that scores most.
// 星际消战：选择得分最多的交换。
//
//     ludus play eraser eraser.cpp random --watch

#include <ludus.hpp>

constexpr int SIDE = 6;  // of the main board; what is shown above it falls down into it

struct Eraser : ludus::Bot {
    using Columns = std::vector<std::string>;  // each from the bottom up; '.' is unknown

    Eraser() { wants_view = true; }

    std::string move(const ludus::Turn& turn) override {
        Columns columns(SIDE);
        const auto& pieces = turn.view["layers"]["pieces"];
        int rows = static_cast<int>(pieces.size()) / SIDE;
        for (int x = 0; x < SIDE; ++x) {
            for (int y = 0; y < rows; ++y) {
                const std::string& piece = pieces[(rows - 1 - y) * SIDE + x].text();
                columns[x] += piece.empty() ? "." : piece;
            }
        }
        std::string best = turn.legal.front();
        int most = -1;
        for (const auto& move : turn.legal) {
            int points = score(columns, move);
            if (points > most) {
                most = points;
                best = move;
            }
        }
        return best;
    }

    // The points of a swap and of all that falls into place after it.
    int score(Columns columns, const std::string& move) const {
        std::swap(columns[move[0] - '0'][move[1] - '0'], columns[move[2] - '0'][move[3] - '0']);
        for (int points = 0;;) {
            int more = erase(columns);
            if (more == 0) return points;
            points += more;
        }
    }

    // Erases every region with three in a line; (m - 2) squared points for each of m pieces.
    int erase(Columns& columns) const {
        std::vector<std::vector<int>> region(SIDE, std::vector<int>(SIDE, 0));
        std::vector<std::vector<bool>> gone(SIDE, std::vector<bool>(SIDE, false));
        int count = 0, points = 0;
        for (int x = 0; x < SIDE; ++x) {
            for (int y = 0; y < SIDE; ++y) {
                if (columns[x][y] == '.' || region[x][y]) continue;
                int size = spread(columns, region, x, y, ++count);
                if (!has_line(region, count)) continue;
                points += (size - 2) * (size - 2);
                for (int i = 0; i < SIDE; ++i) {
                    for (int j = 0; j < SIDE; ++j) gone[i][j] = gone[i][j] || region[i][j] == count;
                }
            }
        }
        for (int x = 0; x < SIDE; ++x) {
            for (int y = SIDE - 1; y >= 0; --y) {
                if (gone[x][y]) columns[x] = columns[x].erase(y, 1) + ".";
            }
        }
        return points;
    }

    int spread(const Columns& columns, std::vector<std::vector<int>>& region, int x, int y,
               int number) const {
        region[x][y] = number;
        int size = 1;
        for (auto [right, up] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
            int i = x + right, j = y + up;
            bool inside = i >= 0 && i < SIDE && j >= 0 && j < SIDE;
            if (inside && !region[i][j] && columns[i][j] == columns[x][y]) {
                size += spread(columns, region, i, j, number);
            }
        }
        return size;
    }

    static bool has_line(const std::vector<std::vector<int>>& region, int number) {
        for (int i = 0; i < SIDE; ++i) {
            int level = 0, upright = 0;
            for (int j = 0; j < SIDE; ++j) {
                level = region[j][i] == number ? level + 1 : 0;
                upright = region[i][j] == number ? upright + 1 : 0;
                if (level == 3 || upright == 3) return true;
            }
        }
        return false;
    }
};

int main() {
    Eraser bot;
    return ludus::run(bot);
}
