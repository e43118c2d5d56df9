/* logic ROUNDS PLAYERS: asks the players in turn, and does nothing with their answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fetch(char *to, int size) {
    while (size > 0) {
        int got = read(0, to, size);
        if (got <= 0) _exit(3);
        to += got;
        size -= got;
    }
}

static void hear(void) {
    static char body[1 << 16];
    unsigned char head[4];
    fetch((char *)head, 4);
    fetch(body, head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3]);
}

static void tell(const char *body) {
    static char out[4096];
    int size = strlen(body);
    out[0] = size >> 24, out[1] = size >> 16, out[2] = size >> 8, out[3] = size;
    memset(out + 4, 0xff, 4);
    memcpy(out + 8, body, size);
    if (write(1, out, size + 8) != size + 8) _exit(4);
}

int main(int count, char **words) {
    if (count < 3) return 2;
    long rounds = atol(words[1]);
    int players = atoi(words[2]);
    char said[2000];
    hear();
    for (long state = 1; state <= rounds; state++) {
        int seat = state % players;
        sprintf(said, "{\"state\": %ld, \"listen\": [%d], \"player\": [%d], \"content\": [\"move\"]}",
                state, seat, seat);
        tell(said);
        hear();
    }
    strcpy(said, "{\"state\": -1, \"end_info\": \"{");
    for (int seat = 0; seat < players; seat++)
        sprintf(said + strlen(said), "%s\\\"%d\\\": 0", seat ? ", " : "", seat);
    strcat(said, "}\"}");
    tell(said);
    return 0;
}
