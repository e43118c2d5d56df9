"""Our own linear algebra against numpy's."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

from ludus.rating import matrices


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 7, 8, 9, 30, 61])
def test_matrices_are_solved_and_inverted_as_by_numpy(size: int) -> None:
    rng = np.random.default_rng(size)
    half = rng.normal(size=(size, size))
    whole = half @ half.T + np.diag(rng.uniform(0.1, 100, size))
    flat = array("d", whole.ravel())
    target = rng.normal(size=size)
    assert np.allclose(matrices.solve(flat, array("d", target)), np.linalg.solve(whole, target))
    inverse = np.linalg.inv(whole)
    assert np.allclose(matrices.invert(flat, size), inverse.ravel(), rtol=1e-9, atol=1e-12)
    assert flat == array("d", whole.ravel()), "what was given is left as it was"
    assert np.allclose(matrices.diagonal(flat, size), np.diag(whole))


def test_covariances_of_some_are_relative_to_their_own_mean() -> None:
    drawn = np.random.default_rng(1).normal(size=(6, 1000))
    covariance = array("d", np.cov(drawn, bias=True).ravel())
    chosen = [4, 0, 3]
    found = matrices.center(matrices.select(covariance, 6, array("q", chosen)), 3)
    some = drawn[chosen]
    assert np.allclose(found, np.cov(some - some.mean(axis=0), bias=True).ravel())
