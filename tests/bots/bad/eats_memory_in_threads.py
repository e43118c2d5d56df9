"""Takes its memory in threads, which have no exception to show for it."""

import threading

import normal

VERDICT = "memory"


class Player(normal.Player):
    def misbehave(self, board):
        self.hoard = []
        self.failed = []
        self.dinner = threading.Event()
        threads = [threading.Thread(target=self.eat) for _ in range(8)]
        for thread in threads:
            thread.start()
        self.dinner.set()
        for thread in threads:
            thread.join()
        if self.failed:
            raise self.failed[0]

    def eat(self):
        self.dinner.wait()
        try:
            for _ in range(80):
                self.hoard.append(b"x" * (16 << 20))
        except MemoryError as error:
            self.failed.append(error)
