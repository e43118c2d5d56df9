// Tic-tac-toe as a judge of Botzone, kept running: after its first output it reads only the newest
// answers. A request is the opponent's last cell, 0 to 8, or -1; so is a response.
#include <iostream>
#include <string>

#include "jsoncpp/json.h"

namespace {

const int LINES[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
                         {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};

struct Board {
    std::string cells = ".........";
    int player = 0;
    int played = 0;

    bool play(const Json::Value& answer) {
        const Json::Value& cell = answer["response"];
        if (answer["verdict"].asString() != "OK" || !cell.isInt()) return false;
        int at = cell.asInt();
        if (at < 0 || at > 8 || cells[at] != '.') return false;
        cells[at] = player == 0 ? 'X' : 'O';
        played++;
        return true;
    }

    bool won() const {
        for (const auto& line : LINES)
            if (cells[line[0]] != '.' && cells[line[0]] == cells[line[1]] &&
                cells[line[1]] == cells[line[2]])
                return true;
        return false;
    }

    Json::Value display() const {
        Json::Value rows(Json::arrayValue);
        for (int row = 0; row < 3; row++) rows.append(cells.substr(3 * row, 3));
        return rows;
    }
};

Json::Value request(const Board& board, int last) {
    Json::Value output;
    output["command"] = "request";
    output["content"][std::to_string(board.player)] = last;
    output["display"] = board.display();
    return output;
}

Json::Value finish(const Board& board, int first, int second) {
    Json::Value output;
    output["command"] = "finish";
    output["content"]["0"] = first;
    output["content"]["1"] = second;
    output["display"] = board.display();
    return output;
}

// The output after one more answer.
Json::Value judge(Board& board, const Json::Value& answers) {
    const Json::Value& answer = answers[std::to_string(board.player)];
    int player = board.player;
    if (!board.play(answer)) return finish(board, 2 * player, 2 - 2 * player);
    if (board.won()) return finish(board, 2 - 2 * player, 2 * player);
    if (board.played == 9) return finish(board, 1, 1);
    board.player = 1 - player;
    return request(board, answer["response"].asInt());
}

Json::Value read() {
    std::string line;
    Json::Value message;
    Json::Reader reader;
    if (std::getline(std::cin, line)) reader.parse(line, message);
    return message;
}

void print(const Json::Value& output) {
    Json::FastWriter writer;
    std::cout << writer.write(output);
    std::cout << ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<" << std::endl;
}

}  // namespace

int main() {
    Json::Value message = read();
    Board board;
    Json::Value output = request(board, -1);
    for (Json::ArrayIndex i = 1; i < message["log"].size(); i += 2)
        output = judge(board, message["log"][i]);
    print(output);
    while (output["command"].asString() == "request") {
        Json::Value answers = read();
        if (answers.isNull()) break;
        output = judge(board, answers);
        print(output);
    }
    return 0;
}
