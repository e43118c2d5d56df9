"""Maximum matching in a graph: can everyone still be paired, and with whom?

A Swiss round needs a *perfect* matching: all entrants in pairs. The edges of the graph are the
pairs that the rules allow. A greedy choice can run into a dead end (the last two have met before),
and trying all choices takes for ever; Edmonds' blossom algorithm finds the answer in O(n³).

Its idea: if a matching is not maximal, there is an *augmenting path*, from one unmatched vertex to
another, on which edges outside the matching and edges inside it take turns. Exchanging the two
kinds along the path gives one pair more. The path is searched breadth first from an unmatched root;
vertices at an even distance are called *outer*, and only from them does the search go on.

In a graph with odd cycles a vertex can be reached both at an odd and at an even distance, and a
plain search would miss paths. When two outer vertices are found to be neighbours, their paths to
the root form such a cycle with that edge (a *blossom*). All its vertices can be reached at an even
distance, one way round or the other, so the cycle is shrunk to its *base*, the vertex nearest to
the root: ``base`` maps every vertex to the base of its blossom. ``before`` holds the vertex before
each vertex on the path from the root; inside a blossom ``_mark`` sets it both ways round, so that
``flip`` can walk back through the cycle without expanding it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

Graph = Sequence[set[int]]
"""For each vertex the vertices that it may be paired with."""


class Matching:
    """As many pairs as the graph allows; ``mate`` has the partner of each vertex."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.mate: list[int | None] = [None] * len(graph)
        self.active = set(range(len(graph)))
        for vertex in range(len(graph)):
            if self.mate[vertex] is None:
                self.augment(vertex)

    @property
    def perfect(self) -> bool:
        """Whether every vertex that is not fixed yet has a partner."""
        return all(self.mate[vertex] is not None for vertex in self.active)

    def fix_pair(self, one: int, other: int) -> bool:
        """Fix a pair of a perfect matching, if the rest can then still be paired; else False.

        If the two were not partners, their former partners are left over. One augmenting path
        between these repairs the matching; if there is none, everything is restored.
        """
        unmatched = (self.mate[one], self.mate[other])
        before = list(self.mate)
        self.active -= {one, other}
        self.mate[one] = self.mate[other] = None
        if unmatched[0] == other:
            return True
        for vertex in unmatched:
            assert vertex is not None
            self.mate[vertex] = None
        assert unmatched[0] is not None
        if self.augment(unmatched[0]):
            return True
        self.active |= {one, other}
        self.mate = before
        return False

    def augment(self, root: int) -> bool:
        """Match an unmatched vertex by an augmenting path; False if there is none."""
        search = _Search(self, root)
        end = search.run()
        if end is None:
            return False
        search.flip(end)
        return True


class _Search:
    """A breadth-first search for an augmenting path, which shrinks odd cycles."""

    def __init__(self, matching: Matching, root: int) -> None:
        size = len(matching.graph)
        self.graph, self.mate, self.active = matching.graph, matching.mate, matching.active
        self.root = root
        self.before: list[int | None] = [None] * size
        self.base = list(range(size))
        self.outer = {root}
        self.queue = deque([root])

    def run(self) -> int | None:
        """The end of an augmenting path from the root, or None."""
        while self.queue:
            here = self.queue.popleft()
            for there in sorted(self.graph[here] & self.active):
                if self.base[here] == self.base[there] or self.mate[here] == there:
                    continue
                if self._is_outer(there):
                    self._shrink(here, there)
                elif self.before[there] is None:
                    self.before[there] = here
                    partner = self.mate[there]
                    if partner is None:
                        return there
                    self._reach(partner)
        return None

    def _is_outer(self, vertex: int) -> bool:
        partner = self.mate[vertex]
        return vertex == self.root or (partner is not None and self.before[partner] is not None)

    def _reach(self, vertex: int) -> None:
        if vertex not in self.outer:
            self.outer.add(vertex)
            self.queue.append(vertex)

    def _shrink(self, one: int, other: int) -> None:
        """Shrink the odd cycle that two outer neighbours close."""
        meeting = self._common_base(one, other)
        blossom: set[int] = set()
        self._mark(one, meeting, other, blossom)
        self._mark(other, meeting, one, blossom)
        for vertex in range(len(self.base)):
            if self.base[vertex] in blossom:
                self.base[vertex] = meeting
                self._reach(vertex)

    def _common_base(self, one: int, other: int) -> int:
        """The first base that is on the paths of both to the root."""
        passed = set()
        here = one
        while True:
            here = self.base[here]
            passed.add(here)
            if here == self.root or self.mate[here] is None:
                break
            here = self._step_back(here)
        here = self.base[other]
        while here not in passed:
            here = self.base[self._step_back(here)]
        return here

    def _step_back(self, vertex: int) -> int:
        """The outer vertex before an outer vertex: two steps towards the root."""
        partner = self.mate[vertex]
        assert partner is not None
        step = self.before[partner]
        assert step is not None
        return step

    def _mark(self, vertex: int, meeting: int, child: int, blossom: set[int]) -> None:
        while self.base[vertex] != meeting:
            partner = self.mate[vertex]
            assert partner is not None
            blossom |= {self.base[vertex], self.base[partner]}
            self.before[vertex] = child
            child = partner
            vertex = self._step_back(vertex)

    def flip(self, end: int) -> None:
        """Exchange the edges inside and outside the matching along the path to ``end``."""
        here: int | None = end
        while here is not None:
            step = self.before[here]
            assert step is not None
            after = self.mate[step]
            self.mate[here], self.mate[step] = step, here
            here = after
