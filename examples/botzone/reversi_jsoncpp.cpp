// A Reversi bot for Botzone in C++ with JsonCpp, started anew for every turn: prefers corners and
// keeps away from the cells beside them.
// In Ludus: ludus match reversi examples/botzone/reversi_jsoncpp.cpp greedy
#include <iostream>
#include <string>

#include "jsoncpp/json.h"

const int SIZE = 8;
int board[SIZE][SIZE]; // 1 black, -1 white

bool inside(int x, int y) { return x >= 0 && x < SIZE && y >= 0 && y < SIZE; }

// How many discs turn when a color plays at (x, y); plays the move unless it is only a trial.
int play(int x, int y, int color, bool trial) {
    if (!inside(x, y) || board[x][y] != 0)
        return 0;
    int turned = 0;
    for (int dx = -1; dx <= 1; dx++)
        for (int dy = -1; dy <= 1; dy++) {
            int length = 0, ax = x + dx, ay = y + dy;
            while ((dx || dy) && inside(ax, ay) && board[ax][ay] == -color) {
                length++;
                ax += dx;
                ay += dy;
            }
            if (length == 0 || !inside(ax, ay) || board[ax][ay] != color)
                continue;
            turned += length;
            for (int step = 1; step <= length && !trial; step++)
                board[x + step * dx][y + step * dy] = color;
        }
    if (turned > 0 && !trial)
        board[x][y] = color;
    return turned;
}

int worth(int x, int y) {
    int dx = std::min(x, SIZE - 1 - x), dy = std::min(y, SIZE - 1 - y);
    if (dx == 0 && dy == 0)
        return 100;
    return dx <= 1 && dy <= 1 ? -50 : dx == 0 || dy == 0 ? 10 : 0;
}

int main() {
    std::string line;
    std::getline(std::cin, line);
    Json::Value input;
    Json::Reader().parse(line, input);
    board[3][4] = board[4][3] = 1;
    board[3][3] = board[4][4] = -1;
    const int mine = input["requests"][0]["x"].asInt() < 0 ? 1 : -1;
    const int turn = input["responses"].size();
    for (int i = 0; i <= turn; i++) {
        play(input["requests"][i]["x"].asInt(), input["requests"][i]["y"].asInt(), -mine, false);
        if (i < turn)
            play(input["responses"][i]["x"].asInt(), input["responses"][i]["y"].asInt(), mine,
                 false);
    }
    int best_x = -1, best_y = -1, best = -1000;
    for (int x = 0; x < SIZE; x++)
        for (int y = 0; y < SIZE; y++) {
            int turned = play(x, y, mine, true);
            if (turned > 0 && worth(x, y) - turned > best) {
                best = worth(x, y) - turned;
                best_x = x;
                best_y = y;
            }
        }
    Json::Value output;
    output["response"]["x"] = best_x;
    output["response"]["y"] = best_y;
    output["debug"] = "worth " + std::to_string(best);
    std::cout << Json::FastWriter().write(output);
}
