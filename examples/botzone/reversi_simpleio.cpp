// A Reversi bot for Botzone with simple interaction: numbers in place of JSON. It plays the first
// move that it finds.
// In Ludus: ludus match reversi examples/botzone/reversi_simpleio.cpp greedy
#include <iostream>

int board[8][8]; // 1 black, -1 white

bool play(int x, int y, int color, bool trial) {
    if (x < 0 || board[x][y] != 0)
        return false;
    bool legal = false;
    for (int dx = -1; dx <= 1; dx++)
        for (int dy = -1; dy <= 1; dy++) {
            int length = 0, ax = x, ay = y;
            do {
                length++;
                ax += dx;
                ay += dy;
            } while ((dx || dy) && ax >= 0 && ax < 8 && ay >= 0 && ay < 8 &&
                     board[ax][ay] == -color);
            if (length < 2 || ax < 0 || ax > 7 || ay < 0 || ay > 7 || board[ax][ay] != color)
                continue;
            legal = true;
            for (int step = 0; step < length && !trial; step++)
                board[x + step * dx][y + step * dy] = color;
        }
    return legal;
}

int main() {
    board[3][4] = board[4][3] = 1;
    board[3][3] = board[4][4] = -1;
    int turns, x, y, mine = -1;
    std::cin >> turns;
    for (int turn = 0; turn < 2 * turns - 1; turn++) { // request, response, request, …
        std::cin >> x >> y;
        if (turn == 0 && x < 0)
            mine = 1;
        play(x, y, turn % 2 ? mine : -mine, false);
    }
    for (x = 0; x < 8; x++)
        for (y = 0; y < 8; y++)
            if (play(x, y, mine, true)) {
                std::cout << x << " " << y << std::endl;
                return 0;
            }
    std::cout << "-1 -1" << std::endl;
}
