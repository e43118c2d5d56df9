// The rules of Uno for two to five, and nothing about judgers or boards.
//
// A card is a text: colour and sign. Colours are r y g b; signs 0 to 9, s (skip), r (reverse) and
// + (draw two). The wild cards are w and w4 (draw four).
//
// A move is a card to play, "draw" or "pass". With a wild card goes the colour that is wanted: wr,
// w4b. Whoever draws may play the drawn card at once, or pass; if it does not fit, the turn is over.

#ifndef UNO_RULES_HPP
#define UNO_RULES_HPP

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace uno {

using Card = std::string;
using Cards = std::vector<Card>;

inline const std::string colours = "rygb";
inline const std::string signs = "0123456789sr+";
constexpr int hand_size = 7;
constexpr int most_moves = 1000;

inline bool is_wild(const Card& card) { return card[0] == 'w'; }

inline int points(const Card& card) {
    if (is_wild(card)) return 50;
    bool number = card[1] >= '0' && card[1] <= '9';
    return number ? card[1] - '0' : 20;
}

inline int points(const Cards& cards) {
    int sum = 0;
    for (const Card& card : cards) sum += points(card);
    return sum;
}

// The 108 cards.
inline Cards deck() {
    Cards cards;
    for (char colour : colours) {
        for (char sign : signs) {
            for (int copy = sign == '0' ? 1 : 0; copy < 2; ++copy) cards.push_back({colour, sign});
        }
    }
    for (int copy = 0; copy < 4; ++copy) cards.insert(cards.end(), {"w", "w4"});
    return cards;
}

// A bout under way.
class Uno {
   public:
    std::vector<Cards> hands;
    Card top;         // of the discards
    char colour = 0;  // that must be matched
    int mover = 0;
    int direction = 1;
    Card drawn;  // what the mover has just drawn and may play

    Uno(int seats, std::uint32_t seed)
        : hands(static_cast<std::size_t>(seats)), pile_(deck()), dice_(seed) {
        shuffle(pile_);
        for (Cards& hand : hands) {
            for (int i = 0; i < hand_size; ++i) take(hand);
        }
        std::size_t first = pile_.size() - 1;  // the topmost card with a number
        while (points(pile_[first]) >= 20) --first;
        top = pile_[first];
        colour = top[0];
        pile_.erase(pile_.begin() + static_cast<std::ptrdiff_t>(first));
    }

    int seats() const { return static_cast<int>(hands.size()); }
    int pile() const { return static_cast<int>(pile_.size()); }
    int moves() const { return moves_; }
    bool is_out(int seat) const { return std::count(out_.begin(), out_.end(), seat) > 0; }
    const Cards& hand(int seat) const { return hands[static_cast<std::size_t>(seat)]; }

    bool over() const {
        bool finished = seats() - static_cast<int>(out_.size()) < 2 || moves_ >= most_moves;
        for (int seat = 0; seat < seats(); ++seat) {
            finished = finished || (hand(seat).empty() && !is_out(seat));
        }
        return finished;
    }

    // Every move of the mover, in a fixed order.
    std::vector<std::string> legal() const {
        std::vector<std::string> found;
        const Cards& choice = drawn.empty() ? hand(mover) : Cards{drawn};
        for (const Card& card : std::set<Card>(choice.begin(), choice.end())) {
            if (!fits(card)) continue;
            if (is_wild(card)) {
                for (char wanted : colours) found.push_back(card + wanted);
            } else {
                found.push_back(card);
            }
        }
        found.push_back(drawn.empty() ? "draw" : "pass");
        return found;
    }

    // Plays one of the legal moves.
    void play(const std::string& move) {
        ++moves_;
        if (move == "draw") {
            if (draw(mover, 1) && fits(hand(mover).back())) {
                drawn = hand(mover).back();
            } else {
                pass(1);
            }
        } else if (move == "pass") {
            pass(1);
        } else {
            put(move);
        }
    }

    // A seat leaves the bout; its cards go under the pile.
    void leave(int seat) {
        Cards& hand = hands[static_cast<std::size_t>(seat)];
        pile_.insert(pile_.begin(), hand.begin(), hand.end());
        hand.clear();
        out_.push_back(seat);
        if (seat == mover && !over()) pass(1);
    }

    // Per seat the share of the others that it is ahead of: 1 for the winner. Who holds fewer points
    // is ahead; whoever left is behind those who stayed longer.
    std::vector<double> scores() const {
        std::vector<double> found;
        for (int seat = 0; seat < seats(); ++seat) {
            double ahead = 0;
            for (int other = 0; other < seats(); ++other) {
                if (other == seat) continue;
                ahead += debt(seat) < debt(other) ? 1 : debt(seat) == debt(other) ? 0.5 : 0;
            }
            found.push_back(ahead / (seats() - 1));
        }
        return found;
    }

   private:
    Cards pile_, discards_;
    std::vector<int> out_;  // who left, in order
    int moves_ = 0;
    std::mt19937 dice_;

    // The same on every machine, which std::shuffle is not.
    void shuffle(Cards& cards) {
        for (std::size_t left = cards.size(); left > 1; --left) {
            std::swap(cards[left - 1], cards[dice_() % left]);
        }
    }

    bool take(Cards& hand) {
        if (pile_.empty()) {
            pile_.swap(discards_);
            shuffle(pile_);
        }
        if (pile_.empty()) return false;
        hand.push_back(pile_.back());
        pile_.pop_back();
        return true;
    }

    // Whether there was a card at all.
    bool draw(int seat, int count) {
        bool got = false;
        while (count-- > 0) got = take(hands[static_cast<std::size_t>(seat)]) || got;
        return got;
    }

    // A draw four only fits a hand without the colour.
    bool fits(const Card& card) const {
        if (card == "w4") {
            const Cards& mine = hand(mover);
            return std::none_of(mine.begin(), mine.end(),
                                [&](const Card& other) { return other[0] == colour; });
        }
        return is_wild(card) || card[0] == colour || card[1] == top[1];
    }

    int next() const {
        int seat = mover;
        do {
            seat = (seat + direction + seats()) % seats();
        } while (is_out(seat));
        return seat;
    }

    void pass(int steps) {
        drawn.clear();
        while (steps-- > 0) mover = next();
    }

    void put(const std::string& move) {
        Card card = is_wild(move) ? move.substr(0, move.size() - 1) : move;
        Cards& mine = hands[static_cast<std::size_t>(mover)];
        mine.erase(std::find(mine.begin(), mine.end(), card));
        discards_.push_back(top);
        top = card;
        colour = is_wild(card) ? move.back() : card[0];
        char sign = card.back();
        int playing = seats() - static_cast<int>(out_.size());
        if (!is_wild(card) && sign == 'r' && playing > 2) direction = -direction;
        bool skips = card == "w4" || (!is_wild(card) && (sign == 's' || sign == '+'));
        skips = skips || (!is_wild(card) && sign == 'r' && playing == 2);
        if (card == "w4") draw(next(), 4);
        if (!is_wild(card) && sign == '+') draw(next(), 2);
        pass(skips ? 2 : 1);
    }

    // What counts against a seat.
    int debt(int seat) const {
        auto left = std::find(out_.begin(), out_.end(), seat);
        if (left == out_.end()) return points(hand(seat));
        return 1000000 - static_cast<int>(left - out_.begin());
    }
};

}  // namespace uno

#endif
