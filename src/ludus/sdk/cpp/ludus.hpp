// Ludus for C++: write a bot as a class with one method. C++17 or later; needs json.hpp and pipes.hpp.
//
//     #include <ludus.hpp>
//
//     struct MyBot : ludus::Bot {
//         std::string move(const ludus::Turn& turn) override { return turn.legal.front(); }
//     };
//
//     int main() {
//         MyBot bot;
//         return ludus::run(bot);
//     }
//
// ludus play reversi my_bot.cpp random
//
// What the bot writes to std::cout goes to its log with std::cerr; it never disturbs the referee.

#ifndef LUDUS_HPP
#define LUDUS_HPP

#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "json.hpp"
#include "pipes.hpp"

namespace ludus {

// The moves that were made at the same moment: seat -> move. One, in most games.
using Step = std::map<int, std::string>;

struct Match {
    std::string game;
    int version = 0;
    std::vector<std::string> seats;  // their names
};

struct Bout {
    int seat = 0;  // yours
    std::int64_t seed = 0;
    Json options;       // those that differ from the game's defaults
    double budget = 0;        // seconds of CPU time for the whole bout
    std::string random_seed;  // 64 hexadecimal digits that no rival knows

    // For your random numbers: the same bout draws the same again, and nobody can foretell it.
    std::mt19937 generator() const {
        std::vector<std::uint32_t> words;
        for (std::size_t at = 0; at + 8 <= random_seed.size(); at += 8) {
            words.push_back(static_cast<std::uint32_t>(
                std::stoul(random_seed.substr(at, 8), nullptr, 16)));
        }
        if (words.empty()) words.push_back(std::random_device{}());
        std::seed_seq seeds(words.begin(), words.end());
        return std::mt19937(seeds);
    }
};

struct Turn {
    int seat = 0;                    // yours
    std::vector<Step> moves;         // made since your last turn, your own included
    std::vector<double> left;        // seconds left to each seat
    double limit = 0;                // seconds that this move may take
    std::vector<std::string> legal;  // all legal moves, if the bot wants them
    Json view;                       // the board, if the bot wants it

    double mine() const { return left.at(static_cast<std::size_t>(seat)); }
};

struct Outcome {
    std::vector<Step> moves;     // made since your last turn
    std::vector<double> scores;  // per seat, higher is better
    std::string reason;
    Json detail;
};

// A bot: one object for a whole match of many bouts. Only move() must be written.
struct Bot {
    bool wants_legal = true;  // Turn::legal is filled in
    bool wants_view = false;  // Turn::view is filled in

    virtual ~Bot() = default;
    virtual void match(const Match&) {}
    virtual void start(const Bout&) {}
    virtual std::string move(const Turn&) = 0;
    virtual void end(const Outcome&) {}

    // Call it in move(): what the bot thinks about this move, for its owner alone. A text, or an
    // object with text, score (expected, 0 to 1), depth, nodes, line and shapes:
    //     note("the corner");
    //     note(ludus::Json::Object{{"text", "the corner"}, {"score", 0.7}});
    void note(Json said) { noted = std::move(said); }

    Json noted;  // what was said about the current move
};

namespace detail {

// The next frame; false when the referee has hung up.
inline bool receive(Json& frame) {
    std::string body;
    if (!pipes.frame(body)) return false;
    frame = Json::parse(body);
    return true;
}

inline std::vector<Step> steps(const Json& given) {
    std::vector<Step> found;
    for (const Json& step : given.list()) {
        Step moves;
        for (const auto& item : step.object()) moves[std::stoi(item.first)] = item.second.text();
        found.push_back(std::move(moves));
    }
    return found;
}

inline std::vector<double> numbers(const Json& given) {
    std::vector<double> found;
    for (const Json& item : given.list()) found.push_back(item.number());
    return found;
}

inline std::vector<std::string> texts(const Json& given) {
    std::vector<std::string> found;
    for (const Json& item : given.list()) found.push_back(item.text());
    return found;
}

inline Json hello(const Bot& bot) {
    Json::List want;
    if (bot.wants_legal) want.push_back("legal");
    if (bot.wants_view) want.push_back("view");
    return Json(Json::Object{{"type", "hello"}, {"protocol", "ludus/1"}, {"want", want}});
}

// A note that fits into a frame: of a huge one the beginning of its text, which is cut anyway.
inline Json shortened(const Json& note) {
    constexpr std::size_t most = 1 << 16;
    if (note.dump().size() <= most) return note;
    const Json& text = note.kind() == Json::Kind::object ? note["text"] : note;
    if (text.kind() != Json::Kind::text) return Json("(a note that is too long)");
    return Json(text.text().substr(0, most / 8));
}

inline Json answer(Bot& bot, int& seat, const Json& asked) {
    const std::string& type = asked["type"].text();
    if (type == "hello") return hello(bot);
    if (type == "match") {
        bot.match({asked["game"].text(), static_cast<int>(asked["version"].whole()),
                   texts(asked["seats"])});
    } else if (type == "start") {
        seat = static_cast<int>(asked["seat"].whole());
        bot.start({seat, asked["seed"].whole(), asked["options"], asked["budget"].number(),
                   asked["random_seed"].text()});
    } else if (type == "turn") {
        Turn turn{seat,
                  steps(asked["moves"]),
                  numbers(asked["left"]),
                  asked["limit"].number(),
                  texts(asked["legal"]),
                  asked["view"]};
        bot.noted = Json();
        Json::Object reply{{"type", "move"}, {"n", asked["n"]}, {"move", bot.move(turn)}};
        if (!bot.noted.is_null()) reply["note"] = shortened(bot.noted);
        return Json(std::move(reply));
    } else if (type == "end") {
        bot.end({steps(asked["moves"]), numbers(asked["scores"]), asked["reason"].text(),
                 asked["detail"]});
    }
    return Json(Json::Object{{"type", "ready"}});
}

inline Json failure(const std::string& what) {
    return Json(Json::Object{{"type", "error"},
                             {"kind", "crash"},
                             {"en", "it threw an exception: " + what},
                             {"zh", "抛出异常：" + what}});
}

}  // namespace detail

// Answers the referee until it hangs up; give what it returns to main.
inline int run(Bot& bot) {
    if (detail::pipes.for_a_person()) {
        std::cerr << "This is a bot for Ludus and waits for a referee. Try: ludus play GAME "
                     "THIS_FILE random\n"
                     "这是 Ludus 的 AI，需要由裁判启动，例如：ludus play 游戏 本文件 random\n";
        return 2;
    }
    int seat = 0;
    Json asked;
    while (detail::receive(asked)) {
        Json reply;
        try {
            reply = detail::answer(bot, seat, asked);
        } catch (const std::exception& error) {
            reply = detail::failure(error.what());
        } catch (...) {
            reply = detail::failure("?");
        }
        std::cout.flush();
        std::fflush(stdout);
        detail::pipes.send(detail::framed(reply.dump()));
    }
    return 0;
}

}  // namespace ludus

#endif
