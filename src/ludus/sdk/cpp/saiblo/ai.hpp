// For AIs of Saiblo games. C++17 or later.
//
// A game says what it sends to its AIs and what it wants to hear. Any game:
//
//     #include <saiblo/ai.hpp>
//
//     int main() {
//         saiblo::Judger judger;
//         std::string line;
//         while (judger.line(line)) judger.answer("rock");
//     }
//
// Games that talk in Ludus' words (the samples, everything that ludus judge --serve serves):
//
//     struct First : saiblo::Ai {
//         std::string move(const saiblo::Turn& turn) override { return turn.legal.front(); }
//     };
//
//     int main() {
//         First ai;
//         return saiblo::run(ai);
//     }
//
// What an AI writes to std::cout goes to std::cerr.

#ifndef SAIBLO_AI_HPP
#define SAIBLO_AI_HPP

#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "../json.hpp"
#include "../pipes.hpp"

namespace saiblo {

using ludus::Json;

// The judger, which passes on what is said.
class Judger {
   public:
    // The next line that the game sends, without its end; false when nothing more comes.
    bool line(std::string& text) { return ludus::detail::pipes.line(text); }
    // Exactly so many bytes, for games that do not talk in lines.
    bool read(std::string& bytes, std::size_t size) {
        return ludus::detail::pipes.read(bytes, size);
    }
    // Send the game an answer.
    void answer(const std::string& text) { ludus::detail::pipes.send(ludus::detail::framed(text)); }
};

struct Start {
    std::string game;
    int version = 0;
    int seat = 0;                    // yours
    std::vector<std::string> seats;  // their names
    Json options;
    double budget = 0;  // seconds for the whole bout; 0 if only moves are limited
};

// The moves that were made at the same moment: seat -> move. One, in most games.
using Step = std::map<int, std::string>;

struct Turn {
    int n = 0;                       // your turns so far, this one included
    double limit = 0;                // seconds that this move may take
    std::vector<std::string> legal;  // all legal moves, if the game tells them
    Json view;                       // what you see of the position
    std::vector<double> left;        // seconds left to each seat
    std::vector<Step> moves;  // since your last turn, your own included; none if they are hidden
};

struct End {
    std::vector<double> scores;
    std::string reason;
    Json detail;
};

// An AI. Only move() must be written.
struct Ai {
    virtual ~Ai() = default;
    virtual void start(const Start&) {}
    virtual std::string move(const Turn&) = 0;
    virtual void see(const Json&) {}  // the position changed, and it is not your turn
    virtual void end(const End&) {}
};

namespace detail {

inline std::vector<std::string> texts(const Json& given) {
    std::vector<std::string> found;
    for (const Json& item : given.list()) found.push_back(item.text());
    return found;
}

inline std::vector<double> numbers(const Json& given) {
    std::vector<double> found;
    for (const Json& item : given.list()) found.push_back(item.number());
    return found;
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

inline Turn turn_of(const Json& said) {
    return {static_cast<int>(said["n"].whole()),
            said["limit"].number(),
            texts(said["legal"]),
            said["view"],
            numbers(said["left"]),
            steps(said["moves"])};
}

inline Start start_of(const Json& said) {
    return {said["game"].text(),
            static_cast<int>(said["version"].whole()),
            static_cast<int>(said["seat"].whole()),
            texts(said["seats"]),
            said["options"],
            said["budget"].number()};
}

}  // namespace detail

// Plays until nothing more comes; give what it returns to main.
inline int run(Ai& ai) {
    if (ludus::detail::pipes.for_a_person()) {
        std::cerr << "This is an AI and waits for a judger. Try: ludus judge LOGIC THIS_FILE … "
                     "REPLAY\n"
                     "这是 AI，需要由裁判程序启动，例如：ludus judge 逻辑 本文件 … 回放文件\n";
        return 2;
    }
    Judger judger;
    std::string line;
    while (judger.line(line)) {
        Json said = Json::parse(line);
        const std::string& type = said["type"].text();
        if (type == "turn") {
            judger.answer(ai.move(detail::turn_of(said)));
        } else if (type == "start") {
            ai.start(detail::start_of(said));
        } else if (type == "view") {
            ai.see(said["view"]);
        } else if (type == "end") {
            ai.end({detail::numbers(said["scores"]), said["reason"].text(), said["detail"]});
        }
    }
    return 0;
}

}  // namespace saiblo

#endif
