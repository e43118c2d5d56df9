// Shows what would have beaten the rival's last hand.

#include <saiblo/ai.hpp>

int main() {
    saiblo::Judger judger;
    std::string heard;
    while (judger.line(heard)) {
        judger.answer(heard == "rock" ? "paper" : heard == "paper" ? "scissors" : "rock");
    }
}
