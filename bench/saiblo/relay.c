/* relay LOGIC ROUNDS PLAYERS AI: passes bytes on between a logic and its AIs, and nothing else.
   What the fewest possible words of C can do, for comparison. */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

static void start(char **words, int *in, int *out) {
    int to[2], from[2];
    if (pipe(to) || pipe(from)) exit(1);
    if (!fork()) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        for (int fd = 3; fd < 256; fd++) close(fd);
        execv(words[0], words);
        _exit(9);
    }
    close(to[0]);
    close(from[1]);
    *in = to[1];
    *out = from[0];
}

int main(int count, char **words) {
    if (count < 5) return 2;
    long rounds = atol(words[2]), round = 0;
    int players = atoi(words[3]), in[65], out[65];
    char *logic[] = {words[1], words[2], words[3], 0}, *ai[] = {words[4], 0};
    static char said[65536];
    struct pollfd ready[65];
    for (int seat = 0; seat < players; seat++) start(ai, &in[seat], &out[seat]);
    start(logic, &in[players], &out[players]);
    for (int who = 0; who <= players; who++) ready[who] = (struct pollfd){out[who], POLLIN, 0};
    if (write(in[players], "\0\0\0\2{}", 6) != 6) return 1;
    while (round <= rounds) {
        if (poll(ready, players + 1, -1) <= 0) return 1;
        for (int who = 0; who <= players; who++) {
            if (!ready[who].revents) continue;
            int size = read(out[who], said, sizeof said);
            if (size <= 0) return 1;
            if (who < players) {
                if (write(in[players], said, size) != size) return 1;
            } else if (++round <= rounds && write(in[round % players], "move", 4) != 4) {
                return 1;
            }
        }
    }
    return 0;
}
