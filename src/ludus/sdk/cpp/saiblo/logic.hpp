// For the logic of a Saiblo game: the judger and the players behind it, as one table. C++17 or
// later; works with the versions v1, v1.1 and v2 of the protocol.
//
//     #include <saiblo/logic.hpp>
//
//     std::vector<double> play(saiblo::Table& table) {
//         auto answers = table.ask({{0, "a number?\n"}, {1, "a number?\n"}});
//         return {std::stod(answers[0].text), std::stod(answers[1].text)};
//     }
//
//     int main() { return saiblo::run(play); }
//
// What the logic writes to std::cout goes to std::cerr.

#ifndef SAIBLO_LOGIC_HPP
#define SAIBLO_LOGIC_HPP

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "../json.hpp"
#include "../pipes.hpp"

namespace saiblo {

using ludus::Json;

// What can be said of a player, as Saiblo abbreviates it.
inline const std::string ok = "OK", crashed = "RE", late = "TLE", wordy = "OLE", illegal = "IA";

// What a seat answered in a round, or why it did not.
struct Answer {
    std::string text;
    double seconds = 0;   // since the round began, where the judger tells it
    std::string trouble;  // crashed, late or wordy; empty if it answered
};

// The judger's table. Made once, at the beginning: it waits for the judger's first word.
class Table {
   public:
    int seats = 0;          // how many players
    std::set<int> people;   // seats of people, who need more time
    Json config;            // what was configured: an object, or in older versions a text or null
    std::string replay;     // where the replay belongs; see save()
    Json seed;              // what chance should begin with; null if that was not configured

    Table() {
        Json init = hear();
        const Json::List& kinds = init["player_list"].list();
        seats = static_cast<int>(kinds.size());
        for (int seat = 0; seat < seats; ++seat) {
            if (kinds[static_cast<std::size_t>(seat)].whole() == 2) people.insert(seat);
            if (kinds[static_cast<std::size_t>(seat)].whole() == 0) trouble(seat, crashed);
        }
        config = init["config"];
        replay = init["replay"].text();
        if (config.kind() == Json::Kind::object) seed = config["random_seed"];
    }

    // Sends each seat a text and waits until every one of them has answered, or cannot. With
    // `again` the round goes on: its time is not counted anew.
    std::map<int, Answer> ask(const std::map<int, std::string>& questions, bool again = false) {
        std::map<int, Answer> answers;
        Json::List asked, contents;
        for (const auto& [seat, text] : questions) {
            if (gone_.count(seat)) {
                answers[seat].trouble = gone_[seat];
            } else {
                asked.push_back(seat);
                contents.push_back(text);
            }
        }
        if (!asked.empty()) {
            if (!again || state_ == 0) ++state_;
            send(judger, Json(Json::Object{{"state", state_},
                                           {"listen", asked},
                                           {"player", asked},
                                           {"content", contents}})
                             .dump());
        }
        while (answers.size() < questions.size()) {
            for (auto& [seat, answer] : heard(hear())) {
                if (!questions.count(seat) || !answers.emplace(seat, answer).second) continue;
                if (answer.trouble == late) trouble(seat, late);
            }
        }
        return answers;
    }

    Answer ask(int seat, const std::string& text, bool again = false) {
        return ask(std::map<int, std::string>{{seat, text}}, again)[seat];
    }

    // How long a round may last, from now on.
    void limit(double seconds) {
        if (seconds != seconds_) {
            seconds_ = seconds;
            send(judger, Json(Json::Object{{"state", 0}, {"time", seconds}}).dump());
        }
    }

    // How many bytes an answer may have, from now on.
    void limit_length(int bytes) {
        send(judger, Json(Json::Object{{"state", 0}, {"length", bytes}}).dump());
    }

    // Says something to a seat that it need not answer.
    void tell(int seat, const std::string& text) {
        if (!gone_.count(seat)) send(seat, text);
    }

    // Says something to the spectators, where there can be any.
    void watch(const std::string& text) {
        if (config.kind() == Json::Kind::object) {  // since v2, as spectators are
            send(judger, Json(Json::Object{{"watch", text}}).dump());
        }
    }

    // Says what a seat did wrong, `illegal` for an illegal move; its first fault counts.
    void blame(int seat, const std::string& verdict) { verdicts_.emplace(seat, verdict); }

    // Writes the replay.
    void save(const std::string& text) {
        std::ofstream file(replay, std::ios::binary);
        file << text;
        if (!file.flush()) throw std::runtime_error("cannot write the replay to " + replay);
    }

    // Ends the match; one score for each seat. The replay must have been saved before.
    void end(const std::vector<double>& scores) {
        if (scores.size() != static_cast<std::size_t>(seats)) {
            throw std::runtime_error("one score for each seat is needed");
        }
        Json::Object info, said{{"state", -1}};
        Json::List verdicts;
        for (int seat = 0; seat < seats; ++seat) {
            info[std::to_string(seat)] = scores[static_cast<std::size_t>(seat)];
            auto found = verdicts_.find(seat);
            verdicts.push_back(found == verdicts_.end() ? ok : found->second);
        }
        said["end_info"] = Json(info).dump();
        if (!verdicts_.empty()) said["end_state"] = Json(verdicts).dump();
        send(judger, Json(said).dump());
        ended_ = true;
    }

    bool ended() const { return ended_; }

   private:
    static constexpr int judger = -1;
    int state_ = 0;
    double seconds_ = 0;
    bool ended_ = false;
    std::map<int, std::string> gone_;
    std::map<int, std::string> verdicts_;

    Answer trouble(int seat, const std::string& what) {
        if (what != late) gone_.emplace(seat, what);  // nothing more is heard of it
        blame(seat, what);
        return {"", 0, what};
    }

    Json hear() {
        std::string body;
        if (!ludus::detail::pipes.frame(body)) {
            std::cerr << "the judger has hung up\n";
            std::exit(1);
        }
        return Json::parse(body);
    }

    void send(int target, const std::string& body) {
        using namespace ludus::detail;
        pipes.send(four_bytes(static_cast<long long>(body.size())) + four_bytes(target) + body);
    }

    // What a message of the judger means for each seat.
    std::map<int, Answer> heard(const Json& said) {
        int seat = static_cast<int>(said["player"].whole());
        if (seat != judger) {
            return {{seat, {said["content"].text(), said["time"].number() / 1000, ""}}};
        }
        Json error = Json::parse(said["content"].text());
        seat = static_cast<int>(error["player"].whole());
        auto kind = error["error"].whole();
        if (kind != 1) return {{seat, trouble(seat, kind == 0 ? crashed : wordy)}};
        std::map<int, Answer> found;
        if (error["state"].is_null()) {  // v1 names the round instead of the seats
            for (int each = 0; seat == state_ && each < seats; ++each) found[each].trouble = late;
        } else if (error["state"].whole() == state_) {  // else it is about an earlier round
            found[seat].trouble = late;
        }
        return found;
    }
};

// Plays one match; give what it returns to main. `play` returns the scores, or none if it has ended
// the match itself.
template <typename Play>
int run(Play play) {
    if (ludus::detail::pipes.for_a_person()) {
        std::cerr << "This is a game's logic and waits for a judger. Try: ludus judge THIS_FILE "
                     "AI… REPLAY\n"
                     "这是游戏逻辑，需要由裁判程序启动，例如：ludus judge 本文件 AI… 回放文件\n";
        return 2;
    }
    try {
        Table table;
        std::vector<double> scores = play(table);
        if (!table.ended()) table.end(scores);
    } catch (const std::exception& error) {
        std::cerr << "the logic failed: " << error.what() << "\n";
        return 1;
    }
    return 0;
}

}  // namespace saiblo

#endif
