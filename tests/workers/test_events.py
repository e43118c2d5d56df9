"""Events on their way from a task to its pool."""

import threading
import time

from ludus.workers.events import BATCH_INTERVAL_S, EventBatcher


def test_a_batcher_closes_although_its_thread_sleeps() -> None:
    for part in range(10):
        sent: list[int] = []
        batcher = EventBatcher(sent.extend)
        for number in range(3):  # the first goes at once, the others wait for the thread
            batcher.add(number)
        time.sleep(BATCH_INTERVAL_S * part / 5)
        closing = threading.Thread(target=batcher.close, daemon=True)
        closing.start()
        closing.join(20)
        assert not closing.is_alive() and sent == [0, 1, 2]
