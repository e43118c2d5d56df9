"""The settings of a training run: one TOML file, with presets to start from."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.lang import Text

PRESETS_FOLDER = Path(__file__).parent / "presets"
OPTIMISERS = ("adamw", "muon")


@dataclass(frozen=True, slots=True)
class NetSettings:
    """The size of the network."""

    blocks: int = 3
    """Residual blocks of two convolutions."""
    channels: int = 32
    """Channels of each convolution."""
    pooling: bool = False
    """Whether each block sees averages over the whole board (squeeze and excitation)."""
    value_channels: int = 16
    """Channels that the value is computed from …"""
    value_hidden: int = 128
    """… and the units of its dense layer."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How moves are searched in self-play."""

    simulations: int = 16
    """Simulations of a ply."""
    gumbel: bool = True
    """Gumbel search with sequential halving; else PUCT, which needs ``play.engine = "cpu"``."""
    considered: int = 8
    """Moves that a Gumbel search begins with."""
    early_waves: int = 0
    """In so many first waves, while values say little …"""
    early_simulations: int = 16
    """… this is the number of simulations, and the most moves to begin with."""
    quick_plies: int = 0
    """After each ply that is searched in full, so many …"""
    quick_simulations: int = 8
    """… are searched with this number of simulations. Values learn from them, policies do not."""
    explore: float = 1.5
    """PUCT's constant."""
    noise: float = 0.15
    """PUCT: the share of Dirichlet noise at the root …"""
    concentration: float = 0.3
    """… with this concentration …"""
    hot: int = 20
    """… and plies at the beginning of a bout in which moves are drawn by visits, not the best."""

    def in_wave(self, wave: int) -> SearchSettings:
        """The settings with which a wave is played; waves count from 0."""
        if wave >= self.early_waves:
            return dataclasses.replace(self, early_waves=0)
        return dataclasses.replace(
            self,
            early_waves=0,
            simulations=self.early_simulations,
            considered=min(self.considered, self.early_simulations),
        )

    def quickly(self) -> SearchSettings:
        """The settings of the plies that are not searched in full."""
        return dataclasses.replace(
            self,
            simulations=self.quick_simulations,
            considered=min(self.considered, max(2, self.quick_simulations // 2)),
        )

    def simulations_of(self, plies: int) -> int:
        """The simulations of so many plies of a bout in a wave."""
        quick = plies * self.quick_plies // (self.quick_plies + 1)
        return (plies - quick) * self.simulations + quick * self.quick_simulations


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """The bouts of self-play."""

    engine: str = "device"
    """``device``: everything on the accelerator. ``cpu``: compiled trees and onnxruntime."""
    bouts: int = 64
    """Bouts played side by side."""
    plies: int = 32
    """Moves of each bout in a wave."""
    tasks: int = 1
    """``cpu``: the tasks of a wave, each for one core or machine."""
    random_plies: int = 4
    """In so many first plies of a bout …"""
    random_share: float = 0.5
    """… this share of moves is random, so that bouts differ."""
    varied_plies: int = 10_000
    """In so many first plies moves are drawn with the search's noise; later the best is played."""
    exact_plies: int = 0
    """Positions of so many last plies of the longest bout get their exact result as the value
    target, in games that have a solver; bouts end four plies later."""
    trust: float = 0.0
    """The share of later searches in a value target; the rest is the result of the bout."""
    old_share: float = 0.0
    """The share of bouts in which an earlier network plays one seat."""
    old_age: int = 8
    """The age of that network in waves; at most twice that."""
    averaged: bool = False
    """Whether self-play uses the averaged weights of ``learn.average``."""


@dataclass(frozen=True, slots=True)
class LearnSettings:
    """How the network is trained."""

    waves: int = 50
    """Waves of the whole run."""
    steps: int = 64
    """Training steps after each wave."""
    batch: int = 256
    """Samples of a training step."""
    rate: float = 2e-3
    """The highest learning rate."""
    warmup: int = 200
    """Steps until the rate is reached; from there it falls to ``last_rate`` of it, as a cosine."""
    last_rate: float = 0.02
    """The part of the rate that is left at the end."""
    optimiser: str = "adamw"
    """``adamw``, or ``muon``: the updates of kernels and matrices are made orthogonal, those of
    everything else are Adam's. Muon learns faster with twice the rate that suits AdamW."""
    decay: float = 1e-4
    """Weight decay."""
    clip: float = 1.0
    """The largest norm of a gradient."""
    average: float = 0.0
    """How slowly averaged weights follow the weights, per step, such as 0.998; the exported network
    has them. 0: it has the weights of the last step."""
    window: int = 12
    """Waves whose samples are used for training."""
    begin: int = 1
    """Waves before training begins."""
    value_weight: float = 1.0
    """The weight of the value in the loss; that of the policy is 1."""
    margin_weight: float = 0.3
    """The weight of the margin by which bouts are won, in games that have one."""


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """How a policy is trained that plays without a search (Paper.io)."""

    discount: float = 0.998
    """What a gain is worth one ply later."""
    trace: float = 0.97
    """The weight of later surprises in the advantage of a move, per ply."""
    clip: float = 0.2
    """How far the probability of a move may change in one wave, as a ratio."""
    entropy: float = 0.01
    """The weight of the policy's entropy, which keeps it trying."""
    land_weight: float = 1.0
    """What land is worth, compared with winning the bout."""
    short_share: float = 0.5
    """The share of bouts that begin as if part of their turns was over."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """When a new network replaces the one that plays."""

    bouts: int = 0
    """Bouts of the new network against the best, after each wave; 0: every network is accepted."""
    threshold: float = 0.54
    """The share of decided bouts that the new network must win."""
    simulations: int = 25
    """Simulations of a move in these bouts."""


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """All settings of a training run."""

    game: str = "tablut"
    options: Mapping[str, Any] = field(default_factory=dict)
    """The game's own options."""
    seed: int = 1
    """Fixes all random numbers of the run."""
    net: NetSettings = NetSettings()
    search: SearchSettings = SearchSettings()
    play: PlaySettings = PlaySettings()
    learn: LearnSettings = LearnSettings()
    policy: PolicySettings = PolicySettings()
    gate: GateSettings = GateSettings()
    save: int = 10
    """Waves between two checkpoints."""
    keep: int = 0
    """Waves between two networks that are kept in the folder, each a bot; 0: only the last is
    kept."""
    rate_every: int = 0
    """Waves between two measurements of strength; 0: never."""
    openings: str = ""
    """The openings of bouts that measure strength, as for ``ludus match``; empty: the game's."""
    rate_bouts: int = 64
    """Bouts of a measurement against each rival …"""
    rate_simulations: int = 64
    """… and simulations of a move in them."""
    background_saves: bool = False
    """Whether checkpoints and networks are written to the disk while the next wave is played."""
    compile_ahead: bool = False
    """Whether the programs of self-play and training are compiled at the same time, in threads."""

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


SECTIONS = {
    "net": NetSettings,
    "search": SearchSettings,
    "play": PlaySettings,
    "learn": LearnSettings,
    "policy": PolicySettings,
    "gate": GateSettings,
}


def list_presets() -> list[str]:
    return sorted(path.stem for path in PRESETS_FOLDER.glob("*.toml"))


def find_preset(preset: str, game: str) -> Path:
    """The file of a preset, of the game's own if it has one with that name; else a path."""
    for path in (PRESETS_FOLDER / game / f"{preset}.toml", PRESETS_FOLDER / f"{preset}.toml"):
        if path.is_file():
            return path
    return Path(preset).expanduser()


def load_settings(preset: str, given: Mapping[str, str], game: str) -> TrainingSettings:
    """A preset or TOML file with single settings replaced, such as ``learn.waves=20``."""
    path = find_preset(preset, game)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        known = ", ".join(list_presets())
        raise LudusError(
            f"there is no preset and no file {preset!r}; presets: {known}",
            f"没有预设或文件 {preset!r}；预设：{known}",
        ) from None
    except UnicodeDecodeError:
        raise LudusError(
            f"{path} is not a TOML file: it is not text in UTF-8",
            f"{path} 不是 TOML 文件：内容不是 UTF-8 文本",
        ) from None
    except (ValueError, RecursionError) as error:
        raise LudusError(f"{path}: {error}", f"{path}：{error}") from None
    table = {**table, "game": game}
    for name, value in given.items():
        _set_value(table, name, value)
    return settings_from_dict(table)


def _set_value(table: dict[str, Any], name: str, value: str) -> None:
    section, _, key = name.rpartition(".")
    try:
        parsed = tomllib.loads(f"x = {value}")["x"]
    except (ValueError, RecursionError):
        parsed = value
    inner = table.setdefault(section, {}) if section else table
    inner[key] = parsed


def settings_from_dict(table: Mapping[str, Any]) -> TrainingSettings:
    """Settings from nested dictionaries, validated."""
    given = dict(table)
    for name, kind in SECTIONS.items():
        given[name] = _build(kind, given.get(name, {}), f"{name}.")
    made: TrainingSettings = _build(TrainingSettings, given, "")
    return _check_settings(made)


def list_other_settings(stored: Mapping[str, Any], wanted: TrainingSettings) -> Text | None:
    """The settings of a run that differ from the wanted ones, in words; None if it can go on with
    these.

    Settings that there were not yet have their default, which changes nothing.
    """
    try:
        read = settings_from_dict(stored).as_dict()
    except LudusError as error:
        return error.text
    there, here = (_flatten(json.loads(json.dumps(each))) for each in (read, wanted.as_dict()))
    names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    values = [(name, json.dumps(there.get(name)), json.dumps(here.get(name))) for name in names]
    if not names:
        return None
    return Text(
        "; ".join(f"{name}: {old} there, {new} here" for name, old, new in values),
        "；".join(f"{name}：那里是 {old}，这里是 {new}" for name, old, new in values),
    )


def _flatten(table: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """The values of nested tables by their names with dots."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        nested = isinstance(value, dict) and (where or name in SECTIONS)
        flat |= _flatten(value, f"{where}{name}.") if nested else {f"{where}{name}": value}
    return flat


def _build(kind: Any, table: Mapping[str, Any], where: str) -> Any:
    fields = {each.name: each for each in dataclasses.fields(kind)}
    for name, value in table.items():
        if name not in fields:
            known = ", ".join(where + each for each in fields)
            raise LudusError(
                f"there is no setting {where}{name}; there are: {known}",
                f"没有设置 {where}{name}；可用的有：{known}",
            )
        default = fields[name].default
        if isinstance(default, float) and type(value) is int:
            continue
        if default is not dataclasses.MISSING and type(value) is not type(default):
            wanted = type(default).__name__
            raise LudusError(
                f"setting {where}{name} must be of type {wanted}, got {value!r}",
                f"设置 {where}{name} 应为 {wanted}，得到 {value!r}",
            )
    return kind(**table)


def _check_settings(made: TrainingSettings) -> TrainingSettings:
    positive = {
        "net.blocks": made.net.blocks,
        "net.channels": made.net.channels,
        "net.value_channels": made.net.value_channels,
        "net.value_hidden": made.net.value_hidden,
        "search.early_simulations": made.search.early_simulations,
        "search.quick_simulations": made.search.quick_simulations,
        "search.simulations": made.search.simulations,
        "search.considered": made.search.considered,
        "play.bouts": made.play.bouts,
        "play.plies": made.play.plies,
        "play.tasks": made.play.tasks,
        "learn.waves": made.learn.waves,
        "learn.batch": made.learn.batch,
        "learn.window": made.learn.window,
        "save": made.save,
    }
    for name, value in positive.items():
        if value < 1:
            raise LudusError(
                f"setting {name} must be at least 1, got {value}",
                f"设置 {name} 至少为 1，得到 {value}",
            )
    if made.play.engine not in ("device", "cpu"):
        raise LudusError(
            f"setting play.engine must be device or cpu, got {made.play.engine}",
            f"设置 play.engine 只能是 device 或 cpu，得到 {made.play.engine}",
        )
    if made.learn.optimiser not in OPTIMISERS:
        raise LudusError(
            f"setting learn.optimiser must be adamw or muon, got {made.learn.optimiser}",
            f"设置 learn.optimiser 只能是 adamw 或 muon，得到 {made.learn.optimiser}",
        )
    if not 0 <= made.learn.average < 1:
        raise LudusError(
            f"setting learn.average must be at least 0 and less than 1, got {made.learn.average}",
            f"设置 learn.average 应不小于 0 且小于 1，得到 {made.learn.average}",
        )
    if made.play.averaged and not made.learn.average:
        raise LudusError(
            "play.averaged needs learn.average, such as 0.998",
            "play.averaged 需要 learn.average，例如 0.998",
        )
    device_only = {
        "play.old_share": made.play.old_share,
        "play.exact_plies": made.play.exact_plies,
        "search.quick_plies": made.search.quick_plies,
    }
    for name, given in device_only.items():
        if made.play.engine == "cpu" and given:
            raise LudusError(
                f"{name} needs play.engine = device",
                f"{name} 需要 play.engine = device",
            )
    _check_quick_plies(made)
    if made.play.engine == "device" and not made.search.gumbel:
        raise LudusError(
            "PUCT needs play.engine = cpu; the device searches with Gumbel",
            "PUCT 需要 play.engine = cpu；device 引擎使用 Gumbel 搜索",
        )
    return made


def _check_quick_plies(made: TrainingSettings) -> None:
    quick = made.search.quick_plies
    if quick < 0:
        raise LudusError(
            f"setting search.quick_plies must be at least 0, got {quick}",
            f"设置 search.quick_plies 至少为 0，得到 {quick}",
        )
    if made.play.plies % (quick + 1):
        raise LudusError(
            f"play.plies must be a multiple of search.quick_plies + 1, which is {quick + 1}",
            f"play.plies 应为 search.quick_plies + 1（即 {quick + 1}）的倍数",
        )
