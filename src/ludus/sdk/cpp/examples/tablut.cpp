// Tablut: brings the king to the border or takes him, else captures and minds the king's ways out.
// 塔布鲁特棋：王能到边就走，能擒王就擒，否则吃子，并留意王的出路。
//
//     ludus play tablut tablut.cpp random --watch

#include <ludus.hpp>
#include <random>

struct Cell {
    int x, y;
};

struct Tablut : ludus::Bot {
    bool attacks = false;
    int size = 9;
    std::vector<std::string> board;  // row by row from the top: "a", "d", "K" or ""
    std::mt19937 dice;

    Tablut() { wants_view = true; }

    void start(const ludus::Bout& bout) override {
        attacks = bout.seat == 1;
        dice = bout.generator();
    }

    std::string move(const ludus::Turn& turn) override {
        board.clear();
        for (const auto& piece : turn.view["layers"]["pieces"].list()) {
            board.push_back(piece.text());
        }
        size = static_cast<int>(std::lround(std::sqrt(board.size())));
        std::string best;
        double most = -1e9;
        for (const auto& move : turn.legal) {
            double worth = rate(move) + 0.5 * (dice() % 1000) / 1000.0;
            if (worth > most) {
                most = worth;
                best = move;
            }
        }
        return best;
    }

    double rate(const std::string& move) {
        std::size_t middle = 1;
        while (std::isdigit(static_cast<unsigned char>(move[middle]))) ++middle;
        Cell from = cell(move.substr(0, middle)), to = cell(move.substr(middle));
        auto before = board;
        std::string piece = at(from);
        at(from) = "";
        at(to) = piece;
        double worth = piece == "K" && on_border(to) ? 1000 : captures(to);
        int ways = ways_out();
        worth += attacks ? -50 * ways : 5 * ways;
        board = before;
        return worth;
    }

    // What stands between our piece and another of ours; the king counts most.
    double captures(Cell to) {
        double worth = 0;
        for (Cell step : {Cell{1, 0}, Cell{-1, 0}, Cell{0, 1}, Cell{0, -1}}) {
            Cell next{to.x + step.x, to.y + step.y}, beyond{next.x + step.x, next.y + step.y};
            if (!inside(beyond) || !is_theirs(at(next)) || !is_ours(at(beyond))) continue;
            worth += at(next) == "K" ? 1000 : 10;
            at(next) = "";
        }
        return worth;
    }

    // In how many directions the king can walk to the border.
    int ways_out() {
        int found = 0;
        for (int index = 0; index < size * size; ++index) {
            if (board[index] != "K") continue;
            for (Cell step : {Cell{1, 0}, Cell{-1, 0}, Cell{0, 1}, Cell{0, -1}}) {
                Cell here{index % size + step.x, index / size + step.y};
                while (inside(here) && at(here).empty()) here = {here.x + step.x, here.y + step.y};
                found += !inside(here);
            }
        }
        return found;
    }

    Cell cell(const std::string& name) const {
        return {name[0] - 'a', size - std::stoi(name.substr(1))};
    }
    std::string& at(Cell cell) { return board[cell.y * size + cell.x]; }
    bool inside(Cell cell) const {
        return cell.x >= 0 && cell.x < size && cell.y >= 0 && cell.y < size;
    }
    bool on_border(Cell cell) const {
        return cell.x == 0 || cell.y == 0 || cell.x == size - 1 || cell.y == size - 1;
    }
    bool is_ours(const std::string& piece) const {
        return attacks ? piece == "a" : piece == "d" || piece == "K";
    }
    bool is_theirs(const std::string& piece) const { return !piece.empty() && !is_ours(piece); }
};

int main() {
    Tablut bot;
    return ludus::run(bot);
}
