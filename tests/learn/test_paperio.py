"""Paper.io is learned: its rules on the device, what a network sees, and how a policy plays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.cli import rate
from ludus.errors import LudusError
from ludus.games import Clock, get
from ludus.games.paperio.paths import FAR, distances
from ludus.games.paperio.rules import MOVES, PaperPosition
from ludus.learn import paperio_view, policy_player
from ludus.learn.evaluation import measure
from ludus.learn.opponents import find_opponent
from ludus.match.referee import play
from tests.support.extras import Later, need_extra
from tests.support.paperio_rules import compare_rules, random_positions
from tests.support.training_runs import ignore, killed_and_whole, small

need_extra("learn", "jax", "optax", "onnx")
jax, jnp = Later("jax"), Later("jax.numpy")
training, worlds = Later("ludus.learn.trainer"), Later("ludus.learn.environments")
policy_net, policy_step = Later("ludus.learn.policy_net"), Later("ludus.learn.policy_step")
policy_self_play = Later("ludus.learn.policy_self_play")

GAME = get("paperio")
FIELD = {"k": 8, "h": 13, "turns": 40}


@pytest.mark.parametrize(
    ("given", "count"), [(FIELD, 3000), ({"k": 7, "h": 7, "turns": 6}, 1500), ({}, 256)]
)
def test_the_device_agrees_with_the_rules_on_random_positions(
    given: dict[str, Any], count: int
) -> None:
    """bench/paperio_device.py compares 100,000."""
    compared, ends = compare_rules(given, count, batch=64, seed=5)
    assert compared >= count
    if given:
        assert len(ends) >= 2


def test_new_bouts_begin_as_those_of_the_game() -> None:
    environment = worlds.make_environment(GAME, GAME.Options.parse(FIELD))
    bouts = jax.tree.map(np.asarray, environment.start(jax.random.key(3), 64))
    starts = [GAME.start(GAME.Options.parse(FIELD), seed).field.heads for seed in range(300)]
    for seat in range(2):
        for part, values in enumerate((bouts.x, bouts.y, bouts.heading)):
            drawn = {heads[seat][part] for heads in starts}
            assert set(values[:, seat].tolist()) <= drawn
            assert len(set(values[:, seat].tolist())) > 3
    heads = np.stack([bouts.x, bouts.y, bouts.heading], -1)[:16].tolist()
    fixed = [GAME.Options(**FIELD, first=tuple(a), second=tuple(b)) for a, b in heads]
    wanted = environment.from_positions([GAME.start(each, 0) for each in fixed])
    for name in wanted._fields:
        assert (np.asarray(getattr(wanted, name)) == getattr(bouts, name)[:16]).all(), name


@pytest.mark.parametrize("given", [FIELD, {}])
def test_the_device_shows_what_a_playing_network_sees(given: dict[str, Any]) -> None:
    positions = random_positions(given, 24, seed=2)
    environment = worlds.make_environment(GAME, GAME.Options.parse(given))
    device = jax.jit(environment.observe)(environment.from_positions(positions))
    playing = policy_player.observe_fields([each.field for each in positions])
    assert (np.asarray(device.seen) == playing.seen).all()
    assert (np.asarray(device.legal) == playing.legal).all()
    assert np.allclose(device.facts, playing.facts, atol=1e-6)
    assert playing.seen.shape[1:] == (paperio_view.GRID, paperio_view.GRID, paperio_view.PLANES)
    assert playing.facts.shape[1:] == (paperio_view.FACTS,)


def test_a_view_is_the_same_from_every_side_and_turns_over_in_a_mirror() -> None:
    """A field that is turned or mirrored with everything on it."""
    positions = random_positions({"k": 7, "h": 14, "turns": 40}, 16, seed=3)
    environment = worlds.make_environment(GAME, GAME.Options.parse({"k": 7, "h": 14, "turns": 40}))
    bouts = environment.from_positions(positions)
    observe = jax.jit(environment.observe)
    view = observe(bouts)
    turned = bouts._replace(  # by a quarter to the right: what was east is south
        land=jnp.swapaxes(bouts.land, 1, 2)[:, ::-1],
        bands=jnp.swapaxes(bouts.bands, 1, 2)[:, ::-1],
        x=13 - bouts.y,
        y=bouts.x,
        heading=(bouts.heading + 1) & 3,
    )
    assert all(np.allclose(a, b) for a, b in zip(observe(turned), view, strict=True))
    flipped = bouts._replace(
        land=bouts.land[:, :, ::-1],
        bands=bouts.bands[:, :, ::-1],
        y=13 - bouts.y,
        heading=-bouts.heading & 3,
    )
    mirrored = paperio_view.mirror(view, jnp)
    assert all(np.allclose(a, b) for a, b in zip(observe(flipped), mirrored, strict=True))
    assert not np.allclose(mirrored.seen, view.seen)


def test_a_field_that_is_too_small_or_has_fixed_starts_is_refused() -> None:
    for given, named in (({"k": 5}, "k=7"), ({"h": 6}, "h=7"), ({"first": (3, 3, 0)}, "first")):
        with pytest.raises(LudusError, match=named):
            worlds.make_environment(GAME, GAME.Options(**given))


def test_advantages_change_their_sign_from_ply_to_ply() -> None:
    """Three plies; the second ends its bout, the third belongs to the next one."""
    reward, value = np.array([[0.5], [1.0], [0.0]]), np.array([[0.1], [0.2], [0.3]])
    ended = np.array([[False], [True], [False]])
    found = policy_self_play.estimate_advantages(
        jnp.asarray(reward), jnp.asarray(value), jnp.asarray(ended), jnp.array([0.4]), 0.9, 0.5
    )
    last = 0.0 - 0.9 * 0.4 - 0.3
    second = 1.0 - 0.2
    first = 0.5 - 0.9 * 0.2 - 0.1 - 0.9 * 0.5 * second
    assert np.allclose(np.asarray(found)[:, 0], [first, second, last])


def test_training_makes_moves_likelier_that_went_better(tmp_path: Path) -> None:
    """In every position a turn to the left went well and others did not."""
    trainer = training.make_trainer(small("policy"), tmp_path)
    positions = random_positions({"k": 7, "h": 9, "turns": 20}, 32, seed=4)
    view = policy_player.observe_fields([each.field for each in positions])
    action = np.arange(32) % 3
    action = np.where(view.legal[np.arange(32), action], action, view.legal.argmax(1))
    samples = policy_self_play.PolicySamples(
        view.seen,
        view.facts.astype(np.float16),
        view.legal,
        action.astype(np.int8),
        np.full(32, -np.log(3), np.float32),
        np.where(action == 0, 1.0, -1.0).astype(np.float32),
        np.zeros(32, np.float32),
        np.ones(32, bool),
    )
    window = jax.tree.map(jnp.asarray, samples)
    step = policy_step.policy_loss
    state = trainer.train_state

    def left(weights: Any) -> float:
        logits, _ = policy_net.forward(weights, trainer.policy_shape, window.seen, window.facts)
        return float(jax.nn.softmax(logits)[:, 0].mean())

    gradients, _ = jax.jit(
        lambda weights: jax.grad(step, has_aux=True)(
            weights, trainer.policy_shape, window, trainer.settings.policy, 0.5
        )
    )(state.weights)
    moved = jax.tree.map(lambda w, g: w - 0.05 * g, state.weights, gradients)
    assert left(moved) > left(state.weights)


def test_a_policy_run_that_is_killed_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    killed, whole = killed_and_whole(tmp_path, waves=6, kills=1, seed=8, kind="policy")
    assert killed == whole
    facts, arrays = killed
    assert facts["logged"] == list(range(1, 7)) and facts["counts"]["samples"] == 6 * 24
    assert any(name.startswith("older/") for name in arrays)


def test_a_policy_needs_the_device(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match=r"play\.engine = device"):
        training.make_trainer(small("policy", play__engine="cpu", play__old_share=0.0), tmp_path)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The network of a run of one wave."""
    folder = tmp_path_factory.mktemp("run")
    training.make_trainer(small("policy"), folder).run(ignore, until=1)
    return folder / "net.onnx"


def test_the_exported_policy_answers_like_the_trained_one(network: Path) -> None:
    trainer = training.make_trainer(small("policy"), network.parent)
    positions = random_positions(FIELD, 8, seed=6)
    view = policy_player.observe_fields([each.field for each in positions])
    weights = jax.tree.map(np.asarray, trainer.train_state.weights)
    logits, value = policy_net.forward(weights, trainer.policy_shape, view.seen, view.facts)
    found, worth = policy_player.OnnxPolicy(network).evaluate_view(view)
    assert np.allclose(np.where(view.legal, logits, -np.inf), found, atol=1e-4)
    assert np.allclose(value, worth, atol=1e-4)


@pytest.mark.parametrize("isolate", [False, True])
def test_a_policy_plays_fields_of_every_size_within_its_clock(network: Path, isolate: bool) -> None:
    for given in ({"k": 2, "h": 3, "turns": 5}, {"k": 12, "h": 30, "turns": 15}):
        source = resolve_bot(f"learned:{network}", GAME)
        players = [create_player(source, GAME, isolate=isolate) for _ in GAME.seats]
        try:
            record = play(GAME, GAME.Options.parse(given), 3, players, Clock(budget=10.0))
        finally:
            for player in players:
                player.close()
        assert record.faults == []


def test_a_policy_of_another_game_is_refused(network: Path) -> None:
    tablut = get("tablut")
    with pytest.raises(LudusError, match="not tablut"):
        policy_player.OnnxPolicy(network).check_game(tablut, tablut.start(tablut.Options(), 0))


def test_a_policy_is_rated_with_and_without_tactics(network: Path) -> None:
    options = GAME.Options.parse({"k": 7, "h": 9, "turns": 10})
    hunter = find_opponent("hunter", GAME, options, None)
    for subject, name in ((str(network), "net"), (f"policy:{network}", "policy of net")):
        player = rate.create_player(subject, GAME, options, None, 64, 0)
        measured = measure(GAME, options, player, hunter, 4)
        assert measured.subject == name and measured.result.bouts + measured.copies == 4


def walk(options: dict[str, Any], moves: str) -> PaperPosition:
    position = GAME.start(GAME.Options(**options), 0)
    for move in moves:
        position.play({position.to_move[0]: move})
    return position


LIKES_LEFT = np.array([2.0, 1.0, 0.0], np.float32)
STARTS = {"k": 10, "h": 20, "turns": 100, "first": (4, 10, 0), "second": (14, 10, 2)}


def chosen(position: PaperPosition, logits: Any = LIKES_LEFT, careful: bool = True) -> str:
    return MOVES[policy_player.choose_move(position, logits, careful)]


def test_the_policy_decides_where_nothing_is_certain() -> None:
    assert chosen(walk(STARTS, "")) == "L"
    assert chosen(walk(STARTS, ""), LIKES_LEFT[::-1]) == "R"


def test_a_move_that_loses_at_once_is_not_played() -> None:
    edge = walk({**STARTS, "first": (4, 0, 0)}, "")
    assert chosen(edge, careful=False) == "L" and chosen(edge) == "S"


def test_a_band_that_can_be_reached_in_time_is_cut() -> None:
    """The second seat goes far out, to the first one, which waits at home."""
    exposed = walk(STARTS, "LS" * 6)
    seat = exposed.to_move[0]
    theirs = distances(exposed.field, 1 - seat)
    outlooks = [policy_player.look_ahead(exposed, move) for move in range(3)]
    assert min(each.steps_to_cut(theirs) for each in outlooks) < FAR
    follow = exposed
    while follow.outcome is None:
        turn = follow.to_move[0]
        follow.play({turn: chosen(follow) if turn == seat else "S"})
    assert follow.outcome.winner == seat


def test_the_way_home_stays_shorter_than_the_rivals_way_to_the_band() -> None:
    """Whoever only wants to go straight on turns back in time, and is never cut."""
    straight = np.array([0.0, 1.0, 0.0], np.float32)
    position = walk({**STARTS, "turns": 60}, "")
    while position.outcome is None:
        position.play({position.to_move[0]: chosen(position, straight)})
    assert position.outcome.reason == "area"
