"""Use a limited time on one accelerator well: train experiments, measure while the next one trains.

    PYTHONPATH=src python -m bench.gpu_session FOLDER [EXPERIMENT or GROUP…] [--limit 1500]

Experiments are those of ``--file`` (bench/gpu_experiments.toml), in the order of that file; without
names all of them, and ``--list`` shows them. They are trained one after the other; with
``--overlap 45`` the next one starts so many seconds before the end of the last, because importing
and compiling leave the accelerator idle (an experiment that is ``alone`` shares it with none).
What is trained is measured on the CPU cores, with low priority, while the next one is trained: by
``ludus rate``, one rival at a time, and by ``bench.yardsticks`` where ``--engines`` is given.

Each experiment has a folder in FOLDER (log.jsonl, net.onnx and a network every five waves, what
the processes printed). Every result is appended to FOLDER/results.jsonl at once, and
FOLDER/summary.txt is written anew. Killed at any moment, nothing of that is lost, and the same
command goes on with what is missing. An experiment that does not fit into the time that is left is
not begun. ``--tiny`` makes everything very small, to see without an accelerator whether it runs.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

EXPERIMENTS = Path(__file__).parent / "gpu_experiments.toml"
ROOT = Path(__file__).parents[1]
TRAINING_GRACE_S = 60.0
"""How long a training that should have stopped by itself is waited for."""
TINY = [
    *("net.blocks=1", "net.channels=8", "search.simulations=2", "search.considered=2"),
    *("play.bouts=4", "play.plies=2", "learn.steps=1", "learn.batch=4", "learn.waves=2"),
    *("learn.window=2", "play.exact_plies=0", "search.early_waves=0"),
    "search.quick_plies=0",
]
PARENT_DEATH_SIGNAL = 1
"""Linux's number of the option of ``prctl``."""


@dataclass(frozen=True)
class Experiment:
    """A training run and how it is measured."""

    name: str
    group: str
    game: str
    preset: str = "gpu"
    options: dict[str, str] = field(default_factory=dict)
    settings: list[str] = field(default_factory=list)
    """Such as ``learn.waves=20``, as for ``ludus train -s``."""
    seconds: float = 150.0
    """The most that the training may take, compilation included."""
    rate: list[str] = field(default_factory=list)
    """Rivals for ``ludus rate``."""
    yardsticks: list[str] = field(default_factory=list)
    """Rivals for ``bench.yardsticks``, if there are engines …"""
    equal_cpu: list[str] = field(default_factory=list)
    """… and those that are met with as much CPU time as they take."""
    alone: bool = False
    """Whether nothing else may be trained meanwhile, because the time it takes is reported."""
    bouts: int = 200
    why: str = ""


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.gpu_session",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("names", nargs="*", help="experiments or groups; all if none is given")
    parser.add_argument("--limit", type=float, default=1500.0, help="seconds for everything")
    parser.add_argument("--file", type=Path, default=EXPERIMENTS)
    parser.add_argument("--list", action="store_true", help="show the experiments and end")
    parser.add_argument("--engines", type=Path, help="other people's programs, for the yardsticks")
    parser.add_argument("--compile-cache", type=Path, help="by default in FOLDER")
    parser.add_argument(
        "--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="for measuring"
    )
    parser.add_argument("--lanes", type=int, default=1, help="experiments measured at a time")
    parser.add_argument("--overlap", type=float, default=0.0, help="seconds, see above")
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--bouts", type=int, help="in place of what the experiments say")
    parser.add_argument("--seconds", type=float, help="in place of what the experiments say")
    parser.add_argument("--tiny", action="store_true")
    return parser.parse_args()


def read_experiments(path: Path, names: list[str]) -> list[Experiment]:
    """The experiments with these names, or of these groups; all if none is named."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    known = [Experiment(**each) for each in table["experiment"]]
    words = {each.name for each in known} | {each.group for each in known}
    if unknown := sorted(set(names) - words):
        sys.exit(f"there is no experiment {unknown[0]!r} in {path}; there are: {sorted(words)}")
    return [each for each in known if not names or {each.name, each.group} & set(names)]


class Results:
    """The rows of results.jsonl, each written to the disk at once, and a summary for people."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lock = folder, threading.Lock()
        path = folder / "results.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.rows = [json.loads(line) for line in lines if line.endswith("}")]
        self.file = open(path, "a", encoding="utf-8")  # noqa: SIM115 - open as long as the session
        if lines and not lines[-1].endswith("}"):
            self.file.write("\n")

    def add(self, event: str, experiment: str, **facts: Any) -> None:
        row = {"event": event, "experiment": experiment, "at": round(time.time(), 1), **facts}
        with self.lock:
            self.rows.append(row)
            self.file.write(json.dumps(row) + "\n")
            self.file.flush()
            os.fsync(self.file.fileno())
            (self.folder / "summary.txt").write_text(self._summary(), encoding="utf-8")
        print(format_row(row), flush=True)

    def has(self, event: str, experiment: str, **facts: Any) -> bool:
        wanted = {"event": event, "experiment": experiment, **facts}
        return any(wanted.items() <= row.items() for row in self.rows)

    def _summary(self) -> str:
        return "".join(format_row(row) + "\n" for row in self.rows)


def format_row(row: dict[str, Any]) -> str:
    head = f"{row['experiment']}: {row['event']}"
    if row["event"] == "trained":
        part = f" of {row['planned_waves']}" if row["stopped"] else ""
        return f"{head}, {row['waves']}{part} waves in {row['seconds']:.0f} s"
    if "share" in row:
        low, high = row["interval"]
        return f"{head} against {row['rival']}: {row['share']:.1%} [{low:.1%}, {high:.1%}]"
    return " ".join([head, str(row.get("lines") or row.get("why", ""))]).strip()


class Session:
    """Trains in this thread and measures in another until the time is up."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given, self.folder = given, given.folder.absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.deadline = time.monotonic() + given.limit
        self.results = Results(self.folder)
        self.cache = (given.compile_cache or self.folder / "compile-cache").absolute()
        self.waiting: queue.Queue[Callable[[], None] | None] = queue.Queue()
        """Measurements to be made."""
        self.processes: set[subprocess.Popen[bytes]] = set()
        self.over = False

    def run(self, experiments: list[Experiment]) -> None:
        lanes = range(self.given.lanes)
        measurers = [threading.Thread(target=self._measure_all, daemon=True) for _ in lanes]
        for measurer in measurers:
            measurer.start()
        try:
            self._train_all(experiments)
            for _ in measurers:
                self.waiting.put(None)
            for measurer in measurers:
                measurer.join(max(0.0, self.deadline - time.monotonic()))
            if any(measurer.is_alive() for measurer in measurers):
                print("the time is up; the same command goes on with the measurements")
        finally:
            self.over = True
            for process in list(self.processes):
                process.terminate()

    def _train_all(self, experiments: list[Experiment]) -> None:
        """Train one after the other, or with the overlap that is asked for."""
        with ThreadPoolExecutor(2, "trainer") as threads:
            last: Future[None] | None = None
            before: Experiment | None = None
            for experiment in experiments:
                if last is not None and before is not None:
                    alone = experiment.alone or before.alone
                    seconds = self.given.seconds or before.seconds
                    wait([last], None if alone else max(0.0, seconds - self.given.overlap))
                    if not self.given.overlap:
                        wait([last])
                last, before = threads.submit(self._train_and_queue, experiment), experiment

    def _train_and_queue(self, experiment: Experiment) -> None:
        if not self._train(experiment):
            return
        for rival in experiment.rate:
            self.waiting.put(partial(self._rate, experiment, rival))
        if self.given.engines:
            for rival in experiment.equal_cpu:
                self.waiting.put(partial(self._compare, experiment, rival, "--equal-cpu"))
            for rival in experiment.yardsticks:
                self.waiting.put(partial(self._compare, experiment, rival))

    def _train(self, experiment: Experiment) -> bool:
        """Whether there is a network of the experiment, now or from before."""
        if self.results.has("trained", experiment.name):
            return True
        seconds = self.given.seconds or experiment.seconds
        if time.monotonic() + seconds > self.deadline:
            why = f"{seconds:.0f} s do not fit into the time that is left"
            self.results.add("not begun", experiment.name, why=why)
            return False
        folder = self.folder / experiment.name
        folder.mkdir(exist_ok=True)
        began = time.time()
        tiny = TINY if self.given.tiny else []
        task = asdict(experiment) | {
            "settings": [*experiment.settings, *tiny],
            "seconds": seconds,
            "started": began,
            "compile_cache": str(self.cache),
        }
        (folder / "experiment.json").write_text(json.dumps(task, indent=1), encoding="utf-8")
        words = ["-m", "bench.gpu_train", str(folder)]
        code = self._run(words, folder / "train.txt", seconds + TRAINING_GRACE_S)
        spent = round(time.time() - began, 1)
        if code != 0 or not (folder / "trained.json").exists():
            tail = (folder / "train.txt").read_text(encoding="utf-8", errors="replace")[-500:]
            self.results.add("failed", experiment.name, seconds=spent, why=tail)
            return False
        found = json.loads((folder / "trained.json").read_text(encoding="utf-8"))
        self.results.add("trained", experiment.name, seconds=spent, **found)
        return True

    def _measure_all(self) -> None:
        while (measure := self.waiting.get()) is not None and not self.over:
            measure()

    def _rate(self, experiment: Experiment, rival: str) -> None:
        if self.over or self.results.has("measured", experiment.name, asked=rival):
            return
        folder = self.folder / experiment.name
        words = ["-m", "ludus", "rate", experiment.game, str(folder / "net.onnx"), rival, "--json"]
        words += ["--jobs", str(self.given.jobs), "--simulations", str(self.given.simulations)]
        words += ["--bouts", str(self.given.bouts or experiment.bouts)]
        for name, value in experiment.options.items():
            words += ["-o", f"{name}={value}"]
        said = folder / f"rate-{rival.replace(':', '-')}.json"
        code = self._run(words, said, self.deadline - time.monotonic(), measuring=True)
        if self.over:
            return
        if code != 0:
            why = (folder / f"{said.name}.err").read_text(encoding="utf-8", errors="replace")
            self.results.add("not measured", experiment.name, asked=rival, why=why[-500:])
            return
        [rated] = json.loads(said.read_text(encoding="utf-8"))["rated"]
        kept = {name: rated[name] for name in ("rival", "share", "interval", "seats", "plies")}
        self.results.add("measured", experiment.name, asked=rival, **kept)

    def _compare(self, experiment: Experiment, rival: str, *options: str) -> None:
        """Play the bouts of a yardstick; their log has every bout at once."""
        event = "compared at equal CPU" if options else "compared"
        if self.over or self.results.has(event, experiment.name, asked=rival):
            return
        folder = self.folder / experiment.name
        name = "-".join(["yardstick", rival.replace(":", "-"), *options])
        words = ["-m", "bench.yardsticks", str(folder / "net.onnx"), "--no-docs", *options]
        words += ["--rivals", rival, "--jobs", str(self.given.jobs)]
        words += ["--engines", str(self.given.engines.absolute())]
        words += ["--bouts", str(self.given.bouts or experiment.bouts)]
        words += ["--simulations", str(self.given.simulations)]
        words += ["--log", str(folder / f"{name}.jsonl")]
        said = folder / f"{name}.txt"
        code = self._run(words, said, self.deadline - time.monotonic(), measuring=True)
        if not self.over:
            lines = said.read_text(encoding="utf-8").splitlines()
            said_as = event if code == 0 else f"not {event}"
            self.results.add(said_as, experiment.name, asked=rival, lines=lines)

    def _run(self, words: list[str], said: Path, seconds: float, measuring: bool = False) -> int:
        """Run Python with these words; what it prints goes to a file. Gives its exit code."""
        environment = dict(os.environ)
        paths = [str(ROOT / "src"), str(ROOT), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        if self.given.overlap:  # two of them at a time
            environment.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.45")
        if measuring:
            environment |= {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
        errors_to = said.with_name(f"{said.name}.err") if measuring else said
        with open(said, "ab") as out, open(errors_to, "ab") as errors:
            out.truncate(0)
            process = subprocess.Popen(
                [sys.executable, *words],
                cwd=ROOT,
                env=environment,
                stdout=out,
                stderr=errors,
                preexec_fn=end_with_parent_politely if measuring else end_with_parent,
            )
        self.processes.add(process)
        try:
            return process.wait(max(1.0, seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()
        finally:
            self.processes.discard(process)


def end_with_parent() -> None:
    """End a child when this session is killed."""
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)


def end_with_parent_politely() -> None:
    """The same, for one that leaves the CPUs to the training."""
    end_with_parent()
    os.nice(10)


def main() -> None:
    given = parse_arguments()
    experiments = read_experiments(given.file, [] if given.list else given.names)
    if given.list or given.folder is None:
        for each in experiments:
            print(f"{each.group:10} {each.name:28} {each.seconds:4.0f} s  {each.why}")
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    Session(given).run(experiments)


if __name__ == "__main__":
    main()
