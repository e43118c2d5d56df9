/* Answers every four bytes with a message of four bytes. */
#include <unistd.h>

int main(void) {
    char word[4];
    for (;;) {
        for (int got = 0, more; got < 4; got += more)
            if ((more = read(0, word + got, 4 - got)) <= 0) return 0;
        if (write(1, "\0\0\0\4move", 8) != 8) return 1;
    }
}
