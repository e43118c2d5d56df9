"""Ataxx for accelerators.

A bout is lost by a move after which the boards of the last two moves, each before any piece
turned, come up one after the other again. So a state holds more than the cells: the key of the
last such board, and the keys of all pairs since the last piece was added, as many as a bout can
have moves. They are the very keys of the compiled board, computed with words of 32 bits, so that
both agree on every repetition.

What a network sees, and which moves are legal, depends on the cells alone. Samples keep no more
than those, and a state without keys is played on as if nothing had come up before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludus.games.ataxx.actions import FRAME, JUMPS, list_moves
from ludus.games.ataxx.rules import AtaxxPosition, opening
from ludus.games.ataxx.search_position import PLANES
from ludus.games.tablut.actions import cell_symmetries
from ludus.learn.environments.environment import Array, BoutArrays, Environment, select_bouts
from ludus.learn.environments.words import Word64, constant_word, multiply, xor_shifted

WAYS = 1 + len(JUMPS)
"""Ways in which a piece comes to a cell: it is added, or jumps from one of 16 cells."""
GOLDEN, SILVER = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9
"""The factors of the compiled board's keys."""
REACH = 2
"""The steps of a jump."""


class RepetitionKeys(NamedTuple):
    """What the rule about repetitions needs to know of a bout."""

    placed: Word64
    """The key of the last board before pieces turned."""
    jumps: Array
    """Moves since the last piece was added, uint32."""
    path: Word64
    """The keys of those moves, oldest first; the rest is 0."""


class AtaxxEnvironment(Environment):
    """The rules of Ataxx on an accelerator."""

    name = "ataxx"
    planes = PLANES
    margin_scale = 12.0

    def __init__(self, options: Any) -> None:
        self.size = self.rows = self.columns = options.size
        self.actions = WAYS * self.cells
        self.limit: int = options.limit
        self.max_plies = self.limit
        self.moves = list_moves(self.size)
        self.numbers = {move: number for number, move in enumerate(self.moves) if move}
        self.cell_images = cell_symmetries(self.size)
        self.action_images = find_action_images(self.cell_images, self.size)
        self.jump_steps = np.array([0, *(down * self.size + right for down, right in JUMPS)])
        first = self.from_positions([AtaxxPosition(opening(self.size), 0, self.limit)])
        self.first_state = np.asarray(first.cells)

    @property
    def state_size(self) -> int:
        return self.cells + 4 * (3 + 2 * self.limit)

    @property
    def sample_size(self) -> int:
        return self.cells

    def start(self, count: int, key: Array | None = None) -> BoutArrays:
        return BoutArrays(
            jnp.tile(jnp.asarray(self.first_state), (count, 1)),
            jnp.zeros(count, jnp.int8),
            jnp.zeros(count, jnp.int16),
            jnp.zeros(count, bool),
            jnp.zeros(count, jnp.int8),
        )

    def _boards(self, state: Array, seat: Array) -> tuple[Array, Array]:
        """The pieces of a seat and those of the other."""
        board = state[:, : self.cells].reshape(-1, self.size, self.size)
        mine = (seat + 1)[:, None, None]
        return board == mine, board == 3 - mine

    def legal(self, bouts: BoutArrays) -> Array:
        own, rival = self._boards(bouts.cells, bouts.seat)
        empty = ~own & ~rival
        wide = pad_widely(own)
        beside = grow(own, 1)
        ways = [beside, *(shift_widely(wide, down, right) for down, right in JUMPS)]
        legal = jnp.stack([way & empty for way in ways], axis=-1).reshape(-1, self.actions)
        return legal & ~bouts.over[:, None]

    def step(self, bouts: BoutArrays, action: Array) -> BoutArrays:
        target, way = action // WAYS, action % WAYS
        source = jnp.where(way > 0, target + jnp.asarray(self.jump_steps)[way], -1)
        place = jnp.arange(self.cells)
        mine = (bouts.seat + 1)[:, None].astype(jnp.int8)
        cells = jnp.where(place == source[:, None], 0, bouts.cells[:, : self.cells])
        cells = jnp.where(place == target[:, None], mine, cells).astype(jnp.int8)
        turned = self._near(target) & (cells == 3 - mine)
        after = jnp.where(turned, mine, cells)
        keys, repeats = self._record_repetition(bouts.cells, cells, way == 0)
        moved = BoutArrays(
            jnp.concatenate([after, keys], axis=1),
            (1 - bouts.seat).astype(jnp.int8),
            bouts.ply + 1,
            bouts.over,
            bouts.score,
        )
        return select_bouts(bouts.over, bouts, self._decide_outcomes(moved, repeats))

    def _near(self, target: Array) -> Array:
        """The cells around a target, itself included."""
        rows, columns = np.divmod(np.arange(self.cells), self.size)
        row, column = target[:, None] // self.size, target[:, None] % self.size
        return (jnp.abs(rows - row) <= 1) & (jnp.abs(columns - column) <= 1)

    def _record_repetition(self, state: Array, cells: Array, added: Array) -> tuple[Array, Array]:
        """The keys after a move that led to these cells, as bytes, and whether it repeats."""
        if state.shape[1] == self.cells:
            return state[:, :0], jnp.zeros(added.shape, bool)
        old = unpack_keys(state[:, self.cells :])
        placed = self._key(cells)
        key = mix(old.placed ^ constant_word(GOLDEN)) ^ placed
        place = jnp.arange(self.limit)
        same = (old.path.high == key.high[:, None]) & (old.path.low == key.low[:, None])
        earlier = place < old.jumps[:, None].astype(jnp.int32) - 1  # not the move just before
        repeats = (same & earlier).any(axis=1) & ~added
        here = place == old.jumps[:, None]

        def record(path: Array, word: Array) -> Array:
            return jnp.where(added[:, None], 0, jnp.where(here, word[:, None], path))

        path = Word64(*map(record, old.path, key))
        jumps = jnp.where(added, 0, old.jumps + 1).astype(jnp.uint32)
        return pack_keys(RepetitionKeys(placed, jumps, path)), repeats

    def _key(self, cells: Array) -> Word64:
        """The compiled board's key of the pieces."""
        rows, columns = np.divmod(np.arange(self.cells), self.size)
        bits = FRAME * rows + columns
        low = np.where(bits < 32, 1 << (bits % 32), 0).astype(np.uint32)
        high = np.where(bits >= 32, 1 << (bits % 32), 0).astype(np.uint32)

        def pieces(owner: int) -> Word64:
            held = (cells == owner).astype(jnp.uint32)
            return Word64((held * high).sum(axis=1), (held * low).sum(axis=1))

        return mix(mix(pieces(1) ^ constant_word(GOLDEN)) ^ pieces(2))

    def _decide_outcomes(self, bouts: BoutArrays, repeats: Array) -> BoutArrays:
        black, white = self._boards(bouts.cells, jnp.zeros_like(bouts.seat))
        both_move = can_move(black, white) & can_move(white, black)
        late = bouts.ply >= self.limit
        lead = jnp.sign(self._count_lead(black, white))
        loser = jnp.where(bouts.seat == 0, 1, -1)  # for seat 0, when the last mover has lost
        over = repeats | late | ~both_move
        score = jnp.where(repeats, loser, jnp.where(over, lead, 0))
        return bouts._replace(over=over, score=score.astype(jnp.int8))

    def _count_lead(self, black: Array, white: Array) -> Array:
        """By how many cells black leads; empty ones belong to a seat that alone can move."""
        pieces = black.sum((1, 2)) - white.sum((1, 2))
        empty = (~black & ~white).sum((1, 2))
        movable = can_move(black, white).astype(jnp.int32) - can_move(white, black)
        return pieces + movable * empty

    def lead(self, bouts: BoutArrays) -> Array:
        """Who loses by a repetition is behind by one cell, whatever lies on the board."""
        counted = self._count_lead(*self._boards(bouts.cells, jnp.zeros_like(bouts.seat)))
        return jnp.where(jnp.sign(counted) == bouts.score, counted, bouts.score)

    def observe(self, bouts: BoutArrays) -> Array:
        own, rival = self._boards(bouts.cells, bouts.seat)
        left = 1 - bouts.ply.astype(jnp.float32) / self.limit
        planes = [own, rival, jnp.broadcast_to(left[:, None, None], own.shape)]
        return jnp.stack([plane.astype(jnp.bfloat16) for plane in planes], axis=-1)

    def from_positions(self, positions: list[Any]) -> BoutArrays:
        outcomes = [each.outcome for each in positions]
        scores = [
            0 if each is None else round(each.scores[0] - each.scores[1]) for each in outcomes
        ]
        return BoutArrays(
            jnp.asarray(np.stack([self._state_of(each) for each in positions])),
            jnp.array([each.seat for each in positions], jnp.int8),
            jnp.array([each.ply for each in positions], jnp.int16),
            jnp.array([each is not None for each in outcomes]),
            jnp.array(scores, jnp.int8),
        )

    def _state_of(self, position: Any) -> np.ndarray[Any, np.dtype[np.int8]]:
        """The cells, then the last board's key, the number of keys and the keys."""
        signs = str(position).split()
        cells = np.array([".xo".index(sign) for sign in signs], np.int8)
        *path, placed = position.board.history()
        words = np.zeros(3 + 2 * self.limit, np.uint32)
        words[:3] = placed >> 32, placed & 0xFFFFFFFF, len(path)
        words[3 : 3 + len(path)] = [key >> 32 for key in path]
        words[3 + self.limit :][: len(path)] = [key & 0xFFFFFFFF for key in path]
        return np.concatenate([cells, words.view(np.int8)])

    def parse_action(self, position: Any, move: str) -> int:
        return self.numbers[move]

    def format_action(self, position: Any, action: int) -> str:
        return self.moves[action]


def mix(word: Word64) -> Word64:
    """``mix`` of the compiled board."""
    word = multiply(xor_shifted(word, 30), SILVER)
    return xor_shifted(multiply(xor_shifted(word, 27), GOLDEN), 31)


def pack_keys(keys: RepetitionKeys) -> Array:
    """Keys as bytes of a state."""
    first = jnp.stack([keys.placed.high, keys.placed.low, keys.jumps], axis=1)
    words = jnp.concatenate([first, keys.path.high, keys.path.low], axis=1)
    return jax.lax.bitcast_convert_type(words, jnp.int8).reshape(len(words), -1)


def unpack_keys(stored: Array) -> RepetitionKeys:
    """The keys that ``pack_keys`` has made bytes of."""
    words = jax.lax.bitcast_convert_type(stored.reshape(len(stored), -1, 4), jnp.uint32)
    limit = (words.shape[1] - 3) // 2
    path = Word64(words[:, 3 : 3 + limit], words[:, 3 + limit :])
    return RepetitionKeys(Word64(words[:, 0], words[:, 1]), words[:, 2], path)


def pad_widely(board: Array) -> Array:
    """The board with an edge as wide as a jump."""
    return jnp.pad(board, [(0, 0), (REACH, REACH), (REACH, REACH)])


def shift_widely(wide: Array, rows: int, columns: int) -> Array:
    """A shifted padded board: ``out[:, y, x] = board[:, y + rows, x + columns]``."""
    height, width = wide.shape[1] - 2 * REACH, wide.shape[2] - 2 * REACH
    top, left = REACH + rows, REACH + columns
    return wide[:, top : top + height, left : left + width]


def grow(pieces: Array, steps: int) -> Array:
    """The cells at most so many steps away from a piece."""
    wide = pad_widely(pieces)
    across = [shift_widely(wide, 0, step) for step in range(-steps, steps + 1)]
    wide = pad_widely(jnp.stack(across).any(axis=0))
    along = [shift_widely(wide, step, 0) for step in range(-steps, steps + 1)]
    return jnp.stack(along).any(axis=0)


def can_move(own: Array, rival: Array) -> Array:
    """Whether an empty cell is within reach of a piece."""
    return (grow(own, REACH) & ~own & ~rival).any(axis=(1, 2))


def find_action_images(images: np.ndarray, size: int) -> np.ndarray:
    """Where the symmetries send each action: its target, and where a jump comes from."""
    ways = {step: number for number, step in enumerate([(0, 0), *JUMPS])}
    found = []
    for image in images:
        goes = np.argsort(image)  # a piece on cell c goes to the place that takes from c
        corner, below, beside = (np.array(divmod(int(goes[cell]), size)) for cell in (0, size, 1))
        steps = [down * (below - corner) + right * (beside - corner) for down, right in ways]
        turned = [ways[int(down), int(right)] for down, right in steps]
        found.append((WAYS * goes[:, None] + np.array(turned)).reshape(-1))
    return np.array(found, np.int32)
