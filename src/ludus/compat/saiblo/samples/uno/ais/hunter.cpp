// Hits whoever is about to win, and gets rid of what costs most. 阻击快赢的人，先出高分牌。

#include <saiblo/ai.hpp>

#include <map>

namespace {

int points(const std::string& move) {
    if (move[0] == 'w') return 50;
    return move[1] >= '0' && move[1] <= '9' ? move[1] - '0' : 20;
}

bool hits(const std::string& move) {
    return move.size() == 3 || (move[0] != 'w' && (move[1] == '+' || move[1] == 's'));
}

struct Hunter : saiblo::Ai {
    int seat = 0, seats = 2;

    void start(const saiblo::Start& start) override {
        seat = start.seat;
        seats = static_cast<int>(start.seats.size());
    }

    std::string move(const saiblo::Turn& turn) override {
        std::map<char, int> mine;
        for (const saiblo::Json& card : turn.view["hand"].list()) ++mine[card.text()[0]];
        auto direction = static_cast<int>(turn.view["direction"].whole());
        const saiblo::Json& counts = turn.view["counters"]["cards"];
        bool danger = counts[(seat + direction + seats) % seats].whole() <= 2;
        std::string best = turn.legal.back();
        int most = -1;
        for (const std::string& move : turn.legal) {
            if (move == "draw" || move == "pass") continue;
            bool wild = move[0] == 'w';
            int worth = 10 * mine[wild ? move.back() : move[0]] + points(move) - (wild ? 60 : 0);
            worth = std::max(worth, 0) + (danger && hits(move) ? 1000 : 0);
            if (worth > most) most = worth, best = move;
        }
        return best;
    }
};

}  // namespace

int main() {
    Hunter ai;
    return saiblo::run(ai);
}
