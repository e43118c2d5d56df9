"""A Monte Carlo search tree over any game of two seats, compiled; it runs without the interpreter.

``tree_storage`` holds the nodes and edges, ``tree_puct`` and ``tree_gumbel`` choose the moves to
follow; this module runs the simulations and reports what they found.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import cython

from ludus.learn.tree_gumbel import log_priors, raised_values, softmax

if TYPE_CHECKING:  # only training and networks need numpy
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

if not cython.compiled:
    from math import exp
    from math import inf as INFINITY

    from ludus.games.search_position import SearchPosition, mixed
    from ludus.learn.tree_gumbel import SequentialHalving, choose_improved
    from ludus.learn.tree_known_results import (
        conclude,
        is_refuted,
        is_settled,
        restrict_root,
        winning_edge,
    )
    from ludus.learn.tree_puct import choose_puct
    from ludus.learn.tree_storage import ENDED, LEAF, OPEN, SEEN, WAITING, TreeStorage
else:
    from cython.cimports.libc.math import INFINITY, exp  # type: ignore[no-redef]
    from cython.cimports.ludus.games.search_position import (  # type: ignore[no-redef]
        SearchPosition,
        mixed,
    )
    from cython.cimports.ludus.learn.tree_gumbel import (  # type: ignore[no-redef]
        SequentialHalving,
        choose_improved,
    )
    from cython.cimports.ludus.learn.tree_known_results import (  # type: ignore[no-redef]
        conclude,
        is_refuted,
        is_settled,
        restrict_root,
        winning_edge,
    )
    from cython.cimports.ludus.learn.tree_puct import choose_puct  # type: ignore[no-redef]
    from cython.cimports.ludus.learn.tree_storage import (  # type: ignore[no-redef]
        ENDED,
        LEAF,
        OPEN,
        SEEN,
        WAITING,
        TreeStorage,
    )

COMPLETE = cython.declare(cython.int, -1)
COLLIDED = cython.declare(cython.int, -2)
"""What ``visit`` answers when the simulation is complete, and when it has to be made later."""

HOPELESS = -0.8
"""Where no move that is not refuted is worth as much, the likeliest one is played: a rival errs
more easily where the loss is close."""

NOT_BEGUN = SequentialHalving(0, None, 1, 0)
"""For a tree in which no Gumbel search has begun; its first round never starts."""


@cython.final
@cython.cclass
class Tree(TreeStorage):
    """The tree of one bout.

    ``gumbel`` chooses moves of the root by sequential halving and below it by the improved policy;
    otherwise PUCT with exploration ``explore`` is used everywhere, and a move that was never tried
    counts as ``unseen`` worse than its position. ``alert``: a leaf whose end can be foreseen is
    worth that end, without evaluation, and at the root every move has the prior 0 that loses at
    once, or does not win where a win is sure. ``width`` leaves can wait for the network at once.

    ``exact``: known results are reasoned with (``tree_known_results``), so that moves which lose
    for certain are not tried again, and the search is done as soon as the root's result is known.
    ``prove`` is asked for the result of every new leaf, as a score of seat 0, or None if it cannot
    tell.

    A search with a network: ``gather`` leaves, evaluate them, ``answer``, until ``done``. The
    first ``gather`` of a new tree asks about the root alone; then ``begin`` sets the budget.
    """

    def __init__(
        self,
        position: SearchPosition,
        *,
        gumbel: bool = False,
        explore: float = 1.5,
        unseen: float = 0.0,
        seed: int = 0,
        width: int = 8,
        alert: bool = True,
        exact: bool = False,
        prove: Callable[[Any], int | None] | None = None,
    ) -> None:
        TreeStorage.__init__(self, position)
        self.exact, self.prove = exact, prove
        self.failure: BaseException | None = None
        self.gumbel, self.explore, self.unseen, self.alert = gumbel, explore, unseen, alert
        self.random = (seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) & 0xFFFFFFFFFFFFFFFF or 1
        self.queue = array("i", bytes(4 * width))
        self.halving = NOT_BEGUN

    # The search, as Python code steers it.

    def reset(self) -> None:
        """Forget everything but the root's position."""
        TreeStorage.reset(self)
        self.asked = 0
        self._end_search()

    def _keep_subtree(self, root: int) -> None:
        TreeStorage._keep_subtree(self, root)
        self._end_search()

    def _end_search(self) -> None:
        self.waiting = self.simulations = self.budget = self.depth = 0

    def begin(self, simulations: int, noise: Floats | None = None, considered: int = 16) -> None:
        """Start a search of so many simulations from the root.

        A Gumbel search begins with the ``considered`` best moves; ``noise`` is one number of the
        Gumbel distribution for each move of the root, or None for a search without chance.
        """
        self.budget, self.simulations, self.asked = simulations, 0, 0
        if self.alert and self.node[0].state == OPEN:
            restrict_root(self)
            self._raise_failure()
        if not self.gumbel:
            return
        if self.node[0].state != OPEN:
            raise ValueError("evaluate the root before a Gumbel search begins")
        self.halving = SequentialHalving(self.node[0].count, noise, considered, simulations)

    def think(self, simulations: int, rollouts: bool = False) -> None:
        """Search without a network: a leaf is worth the result of a random bout, or 0."""
        self.begin(simulations)
        node: cython.int
        score: cython.double
        while self.simulations < self.budget:
            self.make_room(self.budget - self.simulations)
            with cython.nogil:
                while self.simulations < self.budget and self.has_room() and not self.walk.failed:
                    node = self.visit()
                    if node < 0:
                        continue
                    self.node[node].state, self.node[node].value = SEEN, 0.0
                    score = 0.0
                    if rollouts:
                        self.random = mixed(self.random)
                        score = self.walk.rollout(self.random)
                    self.back_up(node, score)
            self._raise_failure()

    @cython.locals(rows="float[::1]")
    def gather(self, out: Floats) -> int:
        """Go on until a leaf waits for each row of ``out``, or no more can wait.

        Returns how many wait; what the network sees of them is in the rows.
        """
        self.make_room(self.budget - self.simulations)
        most: cython.int = min(out.shape[0], len(self.queue))
        rows = out.reshape(-1)
        with cython.nogil:
            self.step(most, rows)
        self._raise_failure()
        return self.waiting

    def _raise_failure(self) -> None:
        self.walk.raise_failure()
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    @cython.locals(rows="float[:, ::1]", worth="float[::1]")
    def answer(self, policy: Floats, values: Floats) -> None:
        """The network's output for the leaves that wait: a row of logits and a value for each."""
        import numpy as np

        number: cython.int
        rows = np.require(policy, np.float32, ["C", "W"])
        worth = np.require(values, np.float32, ["C", "W"])
        with cython.nogil:
            for number in range(self.waiting):
                self.reply(self.queue[number], rows, number, worth[number])
        self.waiting = 0

    @property
    def done(self) -> bool:
        """Whether the search has made its simulations."""
        return bool(self.simulations >= self.budget)

    @property
    def opened(self) -> bool:
        """Whether the root has its moves, or none because the bout is over."""
        return self.node[0].state in (OPEN, ENDED)

    # What was found, per move of the root.

    def moves(self) -> list[int]:
        """The numbers of the root's moves."""
        return [self.edge[self.node[0].first + i].move for i in range(self.node[0].count)]

    def texts(self) -> list[str]:
        """The root's moves in the game's notation."""
        return [self.position.text(move) for move in self.moves()]

    def value_of(self, index: int) -> float:
        """What a move of the root is worth to its mover; 0 if never tried."""
        place: cython.int = self.node[0].first + index
        tries: cython.int = self.edge[place].tries
        return float(self.edge[place].total) / max(1, tries)

    def worth(self) -> float:
        """What the root is worth to its mover, by the search."""
        place: cython.int
        tries: cython.int = 0
        total: cython.double = 0.0
        for place in range(self.node[0].first, self.node[0].first + self.node[0].count):
            tries += self.edge[place].tries
            total += self.edge[place].total
        return total / tries if tries else float(self.node[0].value)

    def best(self) -> int:
        """The index of the root's move to play: one that wins for certain, else the winner of the
        halving, or the most tried."""
        won: cython.int = winning_edge(self, 0) if self.exact else -1
        if won >= 0:
            return int(won - self.node[0].first)
        return self._winner_of_halving() if self.gumbel else self._most_tried()

    def _most_tried(self) -> int:
        """Among equals the one of the best value, a little for its prior."""
        place: cython.int
        first: cython.int = self.node[0].first
        best: cython.int = 0
        most: cython.int = -1
        top: cython.double = -INFINITY
        for place in range(first, first + self.node[0].count):
            value: cython.double = self.value_of(place - first) + 1e-3 * self.edge[place].prior
            tries: cython.int = self.edge[place].tries
            if tries > most or (tries == most and value > top):
                best, most, top = place - first, tries, value
        return best

    # The same for all moves of the root at once, as arrays of numpy.

    def actions(self) -> npt.NDArray[np.int32]:
        """The indices of the root's moves in the network's output."""
        return self.root_column("action").copy()

    def visits(self) -> npt.NDArray[np.int32]:
        """How often each move of the root was tried."""
        return self.root_column("tries").copy()

    def tried(self) -> npt.NDArray[np.int32]:
        """How often each move of the root was tried in this Gumbel search alone."""
        import numpy as np

        return np.array(self.halving.tries)

    def values(self) -> Floats:
        """What each move of the root is worth to its mover; 0 if never tried."""
        import numpy as np

        worth: Floats = self.root_column("total") / np.maximum(self.root_column("tries"), 1)
        return worth

    def priors(self) -> Floats:
        """The probabilities that the network gave to the root's moves."""
        return self.root_column("prior").copy()

    def set_priors(self, priors: Floats) -> None:
        """Replace the priors of the root, for instance to add noise."""
        self.root_column("prior")[:] = priors

    def improved(self) -> Floats:
        """The policy that a network should learn: the priors raised by the values found."""
        return softmax(log_priors(self.priors()) + self._raised_values())

    def _winner_of_halving(self) -> int:
        import numpy as np

        scores = np.asarray(self.halving.noise) + log_priors(self.priors()) + self._raised_values()
        tried = self.tried()
        if not self.exact:
            return int(np.argmax(np.where(tried == tried.max(), scores, -np.inf)))
        refuted = self._refuted()
        tried[refuted] = -1
        best = int(np.argmax(np.where(tried == tried.max(), scores, -np.inf)))
        if refuted.all() or (refuted.any() and self.value_of(best) < HOPELESS):
            return int(np.argmax(self.priors()))
        return best

    def _refuted(self) -> npt.NDArray[np.bool_]:
        """Which moves of the root lose for certain."""
        import numpy as np

        first: cython.int = self.node[0].first
        return np.array([is_refuted(self, first + i) for i in range(self.node[0].count)], np.bool_)

    def _raised_values(self) -> Floats:
        value = float(self.node[0].value)
        return raised_values(value, self.visits(), self.priors(), self.values())

    # One simulation, without the interpreter.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def visit(self) -> cython.int:
        """Make one simulation, as far as it goes without an evaluation.

        A simulation descends from the root to a node without moves, finds out what that node is
        worth, and adds the value to every edge on the way back up. What happens at the node:

        - Its bout is over, or its end can be foreseen (``alert``) or proven (``prove``): the value
          is known.
        - An earlier node holds the same position: its priors and value are copied.
          In both cases the simulation is ``COMPLETE``.
        - Otherwise the node is returned, and the caller finds the value: at once by a random bout
          (``think``), or later from the network (``step``, ``answer``). The walk stands on its
          position.
        - It already waits for the network, because several leaves are gathered before any is
          evaluated: the descent is undone, and the answer is ``COLLIDED``.

        So that the next descents of a gathering do not follow the same path, ``descend`` counts
        each try as lost (a *virtual loss*); ``back_up`` adds 1 to the value to make up for it.
        """
        node: cython.int = self.descend()
        if self.node[node].state == WAITING:
            self.undo(node)
            return COLLIDED
        self.simulations += 1
        if node > 0 and self.node[node].state == LEAF:
            self.find_result(node)
        if self.node[node].state == ENDED:
            if self.exact:
                conclude(self, node)
                if is_settled(self, 0):
                    self.budget = self.simulations
            self.back_up(node, self.node[node].value)
            return COMPLETE
        if self.node[node].state == OPEN or self.recall(node):
            score: cython.double = self.node[node].value
            self.back_up(node, score if self.node[node].seat == 0 else -score)
            return COMPLETE
        return node

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_result(self, node: cython.int) -> cython.void:
        """End a new leaf if its result can be known; open it if it was evaluated before."""
        known: cython.int = 0
        if self.alert:
            known = self.walk.foreseen()
        if known:
            self.node[node].state = ENDED
            self.node[node].value = known if self.walk.seat == 0 else -known
        elif self.exact and not self.recall(node):
            with cython.gil:
                self.ask_prover(node)

    @cython.cfunc
    @cython.exceptval(check=False)
    def ask_prover(self, node: cython.int) -> cython.void:
        """End a leaf if ``prove`` knows its result. No C code expects an error: it waits until the
        search comes back."""
        if self.prove is None or self.failure is not None:
            return
        try:
            score = self.prove(self.walk)
        except BaseException as error:
            self.failure = error
            return
        if score is not None:
            self.node[node].state, self.node[node].value = ENDED, score

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(out="float[::1]")
    def step(self, most: cython.int, out: Any) -> cython.void:
        """Make simulations until so many leaves wait; each writes its input to the next row.

        A Gumbel search never gathers across the end of a round: the next one is chosen by values
        that are not known before the network has answered.
        """
        node: cython.int
        edge: cython.int
        size: cython.int = self.walk.planes * self.walk.cells
        while self.waiting < most and self.has_room() and not self.walk.failed:
            if self.simulations >= self.budget and self.node[0].state != LEAF:
                break
            if self.gumbel and self.waiting and self.halving.round_is_over():
                break
            node = self.visit()
            if node == COLLIDED:
                break
            if node >= 0:
                self.open(node)
                for edge in range(self.node[node].first, self.edges):
                    self.edge[edge].action = self.walk.action(
                        cython.cast(cython.int, self.edge[edge].move)
                    )
                self.walk.encode(out, self.waiting * size)
                self.node[node].state = WAITING
                self.queue[self.waiting] = node
                self.waiting += 1
                self.asked += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(self) -> cython.int:
        """Walk down to a node without moves; every try on the way counts as lost for now."""
        node: cython.int = 0
        edge: cython.int
        depth: cython.int = 0
        self.walk.become(self.position)
        while True:
            if self.node[node].state == SEEN:
                self.open(node)
            if self.node[node].state != OPEN:
                break
            if not self.gumbel:
                edge = choose_puct(self, node, self.explore, self.unseen)
            elif node == 0:
                edge = self.halving.choose(self)
            else:
                edge = choose_improved(self, node)
            self.edge[edge].tries += 1
            self.edge[edge].total -= 1
            self.node[node].tries += 1
            self.walk.make(cython.cast(cython.int, self.edge[edge].move))
            depth += 1
            if self.edge[edge].child < 0:
                self.edge[edge].child = self.add_node(node, edge)
                node = self.edge[edge].child
                if self.walk.over:
                    self.node[node].state, self.node[node].value = ENDED, self.walk.score
            else:
                node = self.edge[edge].child
        if depth > self.depth:
            self.depth = depth
        return node

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(policy="float[:, ::1]")
    def reply(
        self, node: cython.int, policy: Any, row: cython.int, value: cython.double
    ) -> cython.void:
        """Take in the network's output for a leaf: logits, and what it is worth to its mover."""
        first: cython.int = self.node[node].first
        edge: cython.int
        top: cython.double = -INFINITY
        whole: cython.double = 0.0
        for edge in range(first, first + self.node[node].count):
            top = max(top, policy[row, self.edge[edge].action])
        for edge in range(first, first + self.node[node].count):
            self.edge[edge].prior = exp(policy[row, self.edge[edge].action] - top)
            whole += self.edge[edge].prior
        for edge in range(first, first + self.node[node].count):
            self.edge[edge].prior /= whole
        self.node[node].value = value
        self.node[node].state = OPEN
        self.remember(node)
        self.back_up(node, value if self.node[node].seat == 0 else -value)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def back_up(self, node: cython.int, score: cython.double) -> cython.void:
        """Add a score to all edges on the way to a node, in place of the virtual losses; from an
        edge to a known result on, that result instead."""
        edge: cython.int = self.node[node].via
        known: cython.bint
        gain: cython.double
        while edge >= 0:
            known = self.exact and self.node[node].state == ENDED
            if known:
                score = self.node[node].value
            node = self.node[node].parent
            gain = score if self.node[node].seat == 0 else -score
            if known:
                self.edge[edge].total = self.edge[edge].tries * gain
            else:
                self.edge[edge].total += 1.0 + gain
            edge = self.node[node].via

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def undo(self, node: cython.int) -> cython.void:
        """Take back the descent to a node."""
        edge: cython.int = self.node[node].via
        while edge >= 0:
            self.edge[edge].tries -= 1
            self.edge[edge].total += 1.0
            node = self.node[node].parent
            self.node[node].tries -= 1
            if node == 0 and self.gumbel:
                self.halving.undo(edge - self.node[0].first)
            edge = self.node[node].via
