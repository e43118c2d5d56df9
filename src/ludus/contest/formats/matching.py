"""Pairs in a graph: can everybody still be paired, and with whom?"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

Graph = Sequence[set[int]]
"""For each vertex the vertices that it may be paired with."""


class Matching:
    """As many pairs as the graph allows (Edmonds' algorithm)."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.mate: list[int | None] = [None] * len(graph)
        self.active = set(range(len(graph)))
        for vertex in range(len(graph)):
            if self.mate[vertex] is None:
                self.augment(vertex)

    @property
    def perfect(self) -> bool:
        """Whether every vertex that is left has a partner."""
        return all(self.mate[vertex] is not None for vertex in self.active)

    def fix_pair(self, one: int, other: int) -> bool:
        """Take a pair out of a perfect matching, if the rest can then still be paired."""
        widows = (self.mate[one], self.mate[other])
        before = list(self.mate)
        self.active -= {one, other}
        self.mate[one] = self.mate[other] = None
        if widows[0] == other:
            return True
        for widow in widows:
            assert widow is not None
            self.mate[widow] = None
        assert widows[0] is not None
        if self.augment(widows[0]):
            return True
        self.active |= {one, other}
        self.mate = before
        return False

    def augment(self, root: int) -> bool:
        """Find a way from a lonely vertex to another and shift the pairs along it."""
        search = _Search(self, root)
        end = search.run()
        if end is None:
            return False
        search.flip(end)
        return True


class _Search:
    """A breadth-first search for a way on which pairs and non-pairs take turns.

    Odd circles are shrunk to a single vertex, their base.
    """

    def __init__(self, matching: Matching, root: int) -> None:
        size = len(matching.graph)
        self.graph, self.mate, self.active = matching.graph, matching.mate, matching.active
        self.root = root
        self.before: list[int | None] = [None] * size
        self.base = list(range(size))
        self.outer = {root}
        self.queue = deque([root])

    def run(self) -> int | None:
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
        meeting = self._common_base(one, other)
        circle: set[int] = set()
        self._mark(one, meeting, other, circle)
        self._mark(other, meeting, one, circle)
        for vertex in range(len(self.base)):
            if self.base[vertex] in circle:
                self.base[vertex] = meeting
                self._reach(vertex)

    def _common_base(self, one: int, other: int) -> int:
        """The first base that lies on the ways of both back to the root."""
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
        """Two steps towards the root."""
        partner = self.mate[vertex]
        assert partner is not None
        step = self.before[partner]
        assert step is not None
        return step

    def _mark(self, vertex: int, meeting: int, child: int, circle: set[int]) -> None:
        while self.base[vertex] != meeting:
            partner = self.mate[vertex]
            assert partner is not None
            circle |= {self.base[vertex], self.base[partner]}
            self.before[vertex] = child
            child = partner
            vertex = self._step_back(vertex)

    def flip(self, end: int) -> None:
        here: int | None = end
        while here is not None:
            step = self.before[here]
            assert step is not None
            after = self.mate[step]
            self.mate[here], self.mate[step] = step, here
            here = after
