// For logics that talk with their AIs in Ludus' words: JSON, one object per line. C++17 or later.
//
// Bots written for Ludus, the AI kits' run() and the page understand such games without knowing
// them: `start` once, `turn` whenever a seat has to move, `view` when something changed for a seat
// that need not move, `end` at last. An AI answers a turn with its move as text.

#ifndef SAIBLO_BOUT_HPP
#define SAIBLO_BOUT_HPP

#include <string>
#include <utility>
#include <vector>

#include "logic.hpp"

namespace saiblo {

struct Terms {
    std::string game;
    std::vector<std::string> names;  // the seats'
    int version = 1;
    double seconds = 3;      // what a program may take for a move
    double patience = 300;   // what a person may
    bool open_moves = true;  // everybody may know every move, and the seed
};

// One bout at a table; making it tells every seat that it begins.
class Bout {
   public:
    Bout(Table& table, Terms terms)
        : table_(table), terms_(std::move(terms)), turns_(count()), news_(count()) {
        Json::List names(terms_.names.begin(), terms_.names.end());
        Json::Object start{{"type", "start"},  {"game", terms_.game},
                           {"seats", names},   {"version", terms_.version},
                           {"budget", 0},      {"options", Json::Object{}}};
        if (terms_.open_moves) start["seed"] = table_.seed;
        for (int seat = 0; seat < table_.seats; ++seat) {
            start["seat"] = seat;
            tell(seat, start);
        }
    }

    // Asks a seat for its move; the answer may be anything.
    Answer turn(int seat, const std::vector<std::string>& legal, const Json& view) {
        double limit = table_.people.count(seat) ? terms_.patience : terms_.seconds;
        table_.limit(limit);
        auto place = static_cast<std::size_t>(seat);
        Json::Object said{{"type", "turn"},
                          {"n", ++turns_[place]},
                          {"left", Json::List(count(), Json(limit))},
                          {"limit", limit},
                          {"legal", Json::List(legal.begin(), legal.end())},
                          {"view", view}};
        if (terms_.open_moves) said["moves"] = std::exchange(news_[place], {});
        return table_.ask(seat, Json(said).dump() + "\n");
    }

    // A move was made: everybody hears of it with their next turn, if moves are open.
    void played(int seat, const std::string& move) {
        if (!terms_.open_moves) return;
        for (Json::List& news : news_) {
            news.push_back(Json::Object{{std::to_string(seat), move}});
        }
    }

    // Shows a seat what has changed.
    void show(int seat, const Json& view) { tell(seat, {{"type", "view"}, {"view", view}}); }

    // Shows the spectators what has changed.
    void watch(const Json& view) {
        table_.watch(Json(Json::Object{{"type", "view"}, {"view", view}}).dump());
    }

    // Tells every seat how the bout ended, and what it sees at last. Then save the replay and end
    // the match.
    void end(const std::vector<double>& scores, const std::string& reason, const Json& detail,
             const std::vector<Json>& views) {
        for (int seat = 0; seat < table_.seats; ++seat) {
            tell(seat, {{"type", "end"},
                        {"scores", Json::List(scores.begin(), scores.end())},
                        {"reason", reason},
                        {"detail", detail},
                        {"view", views.at(static_cast<std::size_t>(seat))}});
        }
    }

   private:
    Table& table_;
    Terms terms_;
    std::vector<int> turns_;
    std::vector<Json::List> news_;

    std::size_t count() const { return static_cast<std::size_t>(table_.seats); }

    void tell(int seat, const Json::Object& said) { table_.tell(seat, Json(said).dump() + "\n"); }
};

}  // namespace saiblo

#endif
