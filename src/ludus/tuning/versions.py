"""The files of the versions that play, one pair for each iteration that is under way."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
from pathlib import Path

from ludus.bots.resolve import BotSource
from ludus.bots.source_files import compute_digest
from ludus.home import make_folder
from ludus.sandbox import BOT_FOLDER
from ludus.tuning.plan import TuningPlan
from ludus.tuning.spsa import Perturbation


class VersionFolder:
    """Writes versions of a bot into a folder, beside the files that the bot imports.

    A worker that runs bots in its own process keeps a module for every file name, so there the
    names are used again; elsewhere every version has a name of its own.
    """

    def __init__(self, folder: Path, plan: TuningPlan, lag: int) -> None:
        self.folder = folder
        self._plan = plan
        self._lag = lag
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)
        make_folder(folder)
        if plan.plays_in_process:
            self._copy_imports()

    def _copy_imports(self) -> None:
        spec = self._plan.bot.build_spec
        assert spec.code is not None
        for inside, path in spec.files.items():
            name = inside.removeprefix(f"{BOT_FOLDER}/")
            if name == spec.code.main:
                continue
            target = self.folder / name
            make_folder(target.parent)
            if path.is_dir():
                shutil.copytree(path, target)
            else:
                shutil.copyfile(path, target)

    def write(self, perturbation: Perturbation) -> tuple[BotSource, BotSource]:
        """The two versions of an iteration as bots."""
        plus, minus = self._plan.source.make_versions(perturbation)
        number = perturbation.iteration
        return self._write_version(number, "plus", plus), self._write_version(
            number, "minus", minus
        )

    def remove(self, iteration: int) -> None:
        """Remove the versions of an iteration that is over."""
        for side in ("plus", "minus"):
            self._place(iteration, side).unlink(missing_ok=True)

    def _place(self, iteration: int, side: str) -> Path:
        number = iteration % self._lag if self._plan.plays_in_process else iteration
        return self.folder / f"tuned_{side}_{number}.py"

    def _write_version(self, iteration: int, side: str, content: bytes) -> BotSource:
        bot = self._plan.bot
        spec = bot.build_spec
        assert spec.code is not None
        path = self._place(iteration, side)
        path.write_bytes(content)
        files = {**spec.files, f"{BOT_FOLDER}/{spec.code.main}": path}
        names = {name.removeprefix(f"{BOT_FOLDER}/"): file for name, file in files.items()}
        spec = dataclasses.replace(spec, files=files, digest=compute_digest(names), python=path)
        return dataclasses.replace(bot, name=f"{bot.name}_{side}", build_spec=spec)
