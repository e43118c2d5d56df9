"""Does a language work on this machine? Compiles and runs its sample as it would a bot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ludus.bots.build import Recipe
from ludus.bots.languages.language import Code, Language
from ludus.bots.source_files import digest_of
from ludus.bots.temp_folders import Scratch
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.sandbox import BOT, Limits, run

SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Health:
    """How a language fares here."""

    language: Language
    works: bool
    there: bool
    """Whether its toolchain is on this machine at all."""
    text: Text
    detail: str = ""


def examine(language: Language) -> Health:
    """Try a language out."""
    try:
        tool = language.toolchain()
    except LudusError as error:
        return Health(language, False, False, error.text)
    try:
        said = _greeting(language)
    except LudusError as error:
        return Health(language, False, True, error.text, error.detail)
    named = f"{language.title}: {language.tool} {tool.version}"
    if said.strip() == "hello":
        return Health(language, True, True, {"en": f"{named} works", "zh": f"{named} 可用"})
    text = {"en": f"{named} does not work in a jail", "zh": f"{named} 在沙箱中无法工作"}
    return Health(language, False, True, text, said[-2000:])


def _greeting(language: Language) -> str:
    """What the sample says: ``hello``, or what went wrong."""
    with Scratch("sample") as folder:
        main = Path(folder, language.main)
        main.write_text(language.sample)
        code = Code(main.name, (main.name,), (main.name,), language.sample)
        files = {f"{BOT}/{main.name}": main}
        recipe = Recipe(main.name, files, digest_of(files), language, code)
        limits = Limits()
        done = run(recipe.program(limits), seconds=SECONDS, limits=limits)
        return done.stdout if done.code == 0 else done.stderr or str(done.why or done.code)
