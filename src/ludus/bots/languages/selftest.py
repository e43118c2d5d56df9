"""Tests whether a language works on this machine by compiling and running its sample as a bot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ludus.bots.build import BuildSpec
from ludus.bots.languages.base import BotCode, Language
from ludus.bots.source_files import compute_digest
from ludus.bots.temp_folders import TempFolder
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.sandbox import BOT_FOLDER, Limits, run

SELF_TEST_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class SelfTestResult:
    """Whether a language works on this machine, with a message about it."""

    language: Language
    works: bool
    installed: bool
    """Whether its toolchain is installed."""
    text: Text
    detail: str = ""


def run_self_test(language: Language) -> SelfTestResult:
    """Compile and run a language's sample in a jail."""
    try:
        tool = language.toolchain()
    except LudusError as error:
        return SelfTestResult(language, False, False, error.text)
    try:
        output = _run_sample(language)
    except LudusError as error:
        return SelfTestResult(language, False, True, error.text, error.detail)
    named = f"{language.title}: {language.tool} {tool.version}"
    if output.strip() == "hello":
        return SelfTestResult(language, True, True, Text(f"{named} works", f"{named} 可用"))
    text = Text(f"{named} does not work in a jail", f"{named} 在沙箱中无法工作")
    return SelfTestResult(language, False, True, text, output[-2000:])


def _run_sample(language: Language) -> str:
    """The output of the sample: ``hello``, or what went wrong."""
    with TempFolder("sample") as folder:
        main = Path(folder, language.main)
        main.write_text(language.sample)
        code = BotCode(main.name, (main.name,), (main.name,), language.sample)
        files = {f"{BOT_FOLDER}/{main.name}": main}
        spec = BuildSpec(main.name, files, compute_digest(files), language, code)
        limits = Limits()
        done = run(spec.build_program(limits), seconds=SELF_TEST_TIMEOUT_S, limits=limits)
        return done.stdout if done.code == 0 else done.stderr or str(done.why or done.code)
