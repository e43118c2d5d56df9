"""Fitting the weights of pattern networks."""

import random
from array import array
from pathlib import Path

import numpy as np
import pytest

from ludus.games.reversi import patterns
from tests.support.compiled import COMPILED

pytest.importorskip("jax")
pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")


def test_what_is_fitted_is_what_the_search_looks_up(tmp_path: Path) -> None:
    from ludus.games.reversi.pattern_bouts import PatternBouts
    from ludus.games.reversi.pattern_search import PatternSearch
    from ludus.learn.patterns import fit
    from ludus.learn.patterns.run import read_leads

    generator = random.Random(1)
    count = patterns.PHASES * patterns.stored_size()
    path = tmp_path / "w.patterns"
    patterns.write_weights(path, [generator.randint(-40, 40) for _ in range(count)])
    weights = patterns.read_weights(path)
    own, rival, lead = PatternBouts(weights, 1, 1).collect(100)
    found = fit.pack_positions(own, rival, lead)
    blur = np.zeros(len(found.lead), np.int32)
    expected = np.asarray(fit.predict(read_leads(path), found.words, blur)) * patterns.UNIT
    search = PatternSearch(weights)
    values = [
        search.evaluate(*each) for each in zip(array("Q", own), array("Q", rival), strict=True)
    ]
    close = np.abs(expected) < 64 * patterns.UNIT
    assert close.any()
    assert np.abs(expected - values)[close].max() < 1


@pytest.mark.slow
def test_a_run_learns_and_writes_weights(tmp_path: Path) -> None:
    from ludus.learn.patterns.run import main

    words = [
        "--rounds",
        "2",
        "--workers",
        "1",
        "--positions",
        "20000",
        "--depths",
        "1",
        "--kept",
        "2",
    ]
    main([str(tmp_path), *words])
    rows = (tmp_path / "log.jsonl").read_text("utf-8").splitlines()
    assert len(rows) == 2
    assert any(patterns.read_stored(tmp_path / "reversi.patterns"))
