// Uno as a Saiblo logic: what the judger and the players are told, and in which order.
//
// A player that crashes, is late or makes an illegal move is out; the others go on.

#include <random>
#include <saiblo/bout.hpp>

#include "rules.hpp"
#include "view.hpp"

namespace {

using saiblo::Json;

std::uint32_t chance(const saiblo::Table& table) {
    return table.seed.is_null() ? std::random_device()()
                                : static_cast<std::uint32_t>(table.seed.whole());
}

Json::List texts(const uno::Cards& cards) { return Json::List(cards.begin(), cards.end()); }

// One bout, as it is told to everybody.
class Teller {
   public:
    explicit Teller(saiblo::Table& table)
        : table_(table),
          game_(table.seats, chance(table)),
          bout_(table, {.game = "uno", .names = names(table.seats), .open_moves = false}) {
        for (const uno::Cards& hand : game_.hands) deal_.push_back(texts(hand));
        top_ = game_.top;
    }

    std::vector<double> play() {
        show();
        while (!game_.over()) {
            move();
            show();
        }
        std::vector<double> scores = game_.scores();
        Json::List points;
        for (const uno::Cards& hand : game_.hands) points.push_back(uno::points(hand));
        Json detail = Json::Object{{"points", points}, {"moves", game_.moves()}};
        std::string reason = game_.moves() < uno::most_moves ? "empty" : "endless";
        std::vector<Json> views;
        for (int seat = 0; seat < table_.seats; ++seat) {
            views.push_back(uno::view(game_, seat, last_));
        }
        bout_.end(scores, reason, detail, views);
        table_.save(Json(Json::Object{{"game", "uno"},
                                      {"deal", deal_},
                                      {"top", top_},
                                      {"moves", moves_},
                                      {"scores", Json::List(scores.begin(), scores.end())},
                                      {"points", points}})
                        .dump());
        return scores;
    }

   private:
    saiblo::Table& table_;
    uno::Uno game_;
    saiblo::Bout bout_;
    Json::List deal_, moves_;
    std::string top_;
    uno::LastMove last_;

    static std::vector<std::string> names(int seats) {
        std::vector<std::string> all{"first", "second", "third", "fourth", "fifth"};
        if (seats < 2 || seats > 5) throw std::runtime_error("Uno is for two to five players");
        all.resize(static_cast<std::size_t>(seats));
        return all;
    }

    void move() {
        int seat = game_.mover;
        std::vector<std::string> legal = game_.legal();
        saiblo::Answer answer = bout_.turn(seat, legal, uno::view(game_, seat, last_));
        bool fine = std::find(legal.begin(), legal.end(), answer.text) != legal.end();
        if (answer.trouble.empty() && fine) {
            game_.play(answer.text);
            last_ = {seat, answer.text};
        } else {
            table_.blame(seat, answer.trouble.empty() ? saiblo::illegal : answer.trouble);
            game_.leave(seat);
            last_ = {seat, "leave"};
        }
        moves_.push_back(Json::List{seat, last_.move});
    }

    // Whoever has to move next sees it with its turn.
    void show() {
        for (int seat = 0; seat < table_.seats; ++seat) {
            if (seat != game_.mover && !game_.over()) {
                bout_.show(seat, uno::view(game_, seat, last_));
            }
        }
        bout_.watch(uno::view(game_, uno::nobody, last_));
    }
};

std::vector<double> play(saiblo::Table& table) { return Teller(table).play(); }

}  // namespace

int main() { return saiblo::run(play); }
