// Uno in Ludus' board language: the piles in the first row, the cards of a hand in the others.

#ifndef UNO_VIEW_HPP
#define UNO_VIEW_HPP

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <json.hpp>

#include "rules.hpp"

namespace uno {

using ludus::Json;

constexpr int rows = 4, columns = 8;
constexpr int discards_at = 3, pile_at = 4, hand_at = columns;
constexpr int nobody = -1;

inline Json words(const std::string& en, const std::string& zh) {
    return Json::Object{{"en", en}, {"zh", zh}};
}

inline std::pair<std::string, std::string> name_of(char colour) {
    switch (colour) {
        case 'r':
            return {"red", "红"};
        case 'y':
            return {"yellow", "黄"};
        case 'g':
            return {"green", "绿"};
        default:
            return {"blue", "蓝"};
    }
}

// The hand as it is shown: by colour, then by sign.
inline Cards in_order(Cards hand) {
    std::sort(hand.begin(), hand.end());
    return hand;
}

inline Json gesture(int cell, const std::string& move) {
    return Json::Object{
        {"kind", "cell"}, {"row", cell / columns}, {"column", cell % columns}, {"move", move}};
}

// Clicks on every card of the hand that the move plays.
inline void add_clicks(Json::List& found, const Cards& hand, const std::string& card,
                       const std::string& move) {
    for (int cell = hand_at; cell < rows * columns; ++cell) {
        auto i = static_cast<std::size_t>(cell - hand_at);
        if (i < hand.size() && hand[i] == card) found.push_back(gesture(cell, move));
    }
}

// Cards are clicked. A click on a wild card leaves the colour open, so that each has a button too.
inline Json::List gestures(const Uno& game, const Cards& hand) {
    Json::List found, wilds;
    for (const std::string& move : game.legal()) {
        if (move == "draw") {
            found.push_back(gesture(pile_at, move));
        } else if (move == "pass") {
            found.push_back(Json::Object{
                {"kind", "button"}, {"label", words("pass", "不出")}, {"move", move}});
        } else if (is_wild(move)) {
            auto [en, zh] = name_of(move.back());
            bool four = move.size() > 2;
            Json label = words((four ? "wild draw four, " : "wild, ") + en, (four ? "加四，" : "变色，") + zh);
            found.push_back(
                Json::Object{{"kind", "button"}, {"label", label}, {"move", move}});
            add_clicks(wilds, hand, move.substr(0, move.size() - 1), move);
        } else {
            add_clicks(found, hand, move, move);
        }
    }
    found.insert(found.end(), wilds.begin(), wilds.end());
    return found;
}

inline Json phase(const Uno& game) {
    if (game.over()) return words("over", "结束");
    auto [en, zh] = name_of(game.colour);
    return words("the colour is " + en, "当前颜色：" + zh);
}

// The move that led to a position, and whose it was.
struct LastMove {
    int seat = nobody;
    std::string move;
};

inline std::pair<std::string, std::string> name_of_sign(const std::string& sign) {
    if (sign == "s") return {"skip", "跳过"};
    if (sign == "r") return {"reverse", "反转"};
    if (sign == "+") return {"draw two", "加二"};
    return {sign, sign};
}

// A move in words that everybody may read: what was drawn stays a secret.
inline Json told(const LastMove& last) {
    const std::string& move = last.move;
    Json text;
    if (move == "draw") {
        text = words("draws a card", "摸一张牌");
    } else if (move == "pass") {
        text = words("passes", "不出");
    } else if (move == "leave") {
        text = words("is out", "出局");
    } else if (is_wild(move)) {
        auto [en, zh] = name_of(move.back());
        bool four = move.size() > 2;
        text = words((four ? "plays draw four, asks for " : "plays wild, asks for ") + en,
                     (four ? "出加四，选" : "出变色，选") + zh);
    } else {
        auto [en, zh] = name_of(move[0]);
        auto [sign_en, sign_zh] = name_of_sign(move.substr(1));
        text = words("plays " + en + " " + sign_en, "出" + zh + " " + sign_zh);
    }
    return Json::Object{{"seat", last.seat}, {"text", text}};
}

// What a seat sees; with `nobody`, what spectators do. `last` is the move that led here.
inline Json view(const Uno& game, int seat, const LastMove& last) {
    Json::List cells(rows * columns, Json("")), counts, marks, legal;
    bool wild = is_wild(game.top);
    cells[discards_at] = wild ? game.top + game.colour : game.top;
    if (game.pile() > 0) cells[pile_at] = "back";
    Cards hand = seat == nobody ? Cards{} : in_order(game.hand(seat));
    for (std::size_t i = 0; i < hand.size() && hand_at + i < cells.size(); ++i) {
        cells[hand_at + i] = hand[i];
    }
    for (const Cards& each : game.hands) counts.push_back(static_cast<int>(each.size()));
    if (!last.move.empty()) marks.push_back(last.move == "draw" ? pile_at : discards_at);
    bool mine = !game.over() && seat == game.mover;
    Json::Object offered;
    if (mine) offered[std::to_string(seat)] = gestures(game, hand);
    return Json::Object{
        {"told", last.move.empty() ? Json() : told(last)},
        {"layers", Json::Object{{"cards", cells}}},
        {"counters", Json::Object{{"cards", counts}, {"pile", game.pile()}}},
        {"marks", Json::Object{{"last", marks}}},
        {"phase", phase(game)},
        {"to_move", game.over() ? Json::List{} : Json::List{game.mover}},
        {"gestures", offered},
        {"top", game.top},
        {"colour", std::string(1, game.colour)},
        {"direction", game.direction},
        {"hand", Json::List(hand.begin(), hand.end())},
        {"drawn", mine ? game.drawn : ""}};
}

}  // namespace uno

#endif
