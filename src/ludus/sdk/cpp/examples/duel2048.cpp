// Duel 2048: puts its tiles at home and merges in the direction that brings it most.
// 贰零肆捌：棋子下在自己一侧，朝收益最大的方向合并。
//
//     ludus play duel2048 duel2048.cpp random --watch

#include <algorithm>
#include <array>
#include <ludus.hpp>

constexpr int ROWS = 4, COLUMNS = 8;
using Tiles = std::array<int, ROWS * COLUMNS>;  // levels: ours above 0, theirs below

struct Duel2048 : ludus::Bot {
    int seat = 0;

    Duel2048() { wants_view = true; }

    void start(const ludus::Bout& bout) override { seat = bout.seat; }

    std::string move(const ludus::Turn& turn) override {
        Tiles tiles{};
        const auto& shown = turn.view["layers"]["tiles"];
        for (int cell = 0; cell < ROWS * COLUMNS; ++cell) {
            const std::string& token = shown[cell].text();  // "+3" is the first player's 8
            if (!token.empty()) tiles[cell] = std::stoi(token) * (seat == 0 ? 1 : -1);
        }
        std::string best;
        double most = -1e300;
        for (const auto& move : turn.legal) {
            double worth = rate(tiles, move);
            if (worth > most) {
                most = worth;
                best = move;
            }
        }
        return best;
    }

    double rate(Tiles tiles, const std::string& move) const {
        if (move == "up") return merged(tiles, -1, 0);
        if (move == "down") return merged(tiles, 1, 0);
        if (move == "left") return merged(tiles, 0, -1);
        if (move == "right") return merged(tiles, 0, 1);
        int row = move[0] - '0', column = move[2] - '0';
        if (is_home(column)) return 1;
        // A tile on the other half is the rival's: put it where it hems the rival in.
        return -neighbours(tiles, row, column);
    }

    bool is_home(int column) const { return (column < COLUMNS / 2) == (seat == 0); }

    static int neighbours(const Tiles& tiles, int row, int column) {
        int equal = 0;
        for (auto [down, right] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
            int r = row + down, c = column + right;
            if (r >= 0 && r < ROWS && c >= 0 && c < COLUMNS) {
                equal += tiles[r * COLUMNS + c] == -1;
            }
        }
        return equal;
    }

    // What the tiles are worth after all of ours have moved, the foremost first.
    double merged(Tiles tiles, int down, int right) const {
        std::array<bool, ROWS * COLUMNS> made{};
        for (int step = 0; step < ROWS * COLUMNS; ++step) {
            int cell = down + right > 0 ? ROWS * COLUMNS - 1 - step : step;
            if (tiles[cell] > 0) slide(tiles, made, cell / COLUMNS, cell % COLUMNS, down, right);
        }
        double worth = 0;
        for (int level : tiles) {
            worth += level > 0 ? std::pow(3, level) : -std::pow(3, -level);
            worth += level == 0 ? 0.5 : 0;
        }
        return worth;
    }

    void slide(Tiles& tiles, std::array<bool, ROWS * COLUMNS>& made, int row, int column, int down,
               int right) const {
        int level = tiles[row * COLUMNS + column];
        tiles[row * COLUMNS + column] = 0;
        while (true) {
            int r = row + down, c = column + right;
            bool inside = r >= 0 && r < ROWS && c >= 0 && c < COLUMNS;
            int next = inside ? tiles[r * COLUMNS + c] : 0;
            if (inside && next == 0 && is_home(c)) {
                row = r;
                column = c;
                continue;
            }
            if (inside && std::abs(next) == level && !made[r * COLUMNS + c]) {
                tiles[r * COLUMNS + c] = level + 1;
                made[r * COLUMNS + c] = true;
            } else {
                tiles[row * COLUMNS + column] = level;
            }
            return;
        }
    }
};

int main() {
    Duel2048 bot;
    return ludus::run(bot);
}
