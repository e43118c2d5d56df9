"""Tests of the bot: it plays whole bouts without a fault. Add your own, and run them with

ludus python -m unittest
"""

import unittest
from pathlib import Path

import ludus

GAME = "reversi"
BOT = str(Path(__file__).parent)
RIVALS = ["greedy"]


class BotTest(unittest.TestCase):
    def test_it_plays_whole_bouts_on_every_seat_without_faults(self):
        for seat in range(len(RIVALS) + 1):
            bots = [*RIVALS[:seat], BOT, *RIVALS[seat:]]
            with self.subTest(seat=seat):
                bout = ludus.play(GAME, *bots, seed=seat)
                self.assertEqual(bout.faults, [], bout.reason)


if __name__ == "__main__":
    unittest.main()
