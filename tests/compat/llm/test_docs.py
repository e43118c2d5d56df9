"""The page about language models says what holds."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from ludus.compat.llm.settings import ModelSettings

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_lists_every_setting_and_its_file_is_valid(lang: str) -> None:
    page = (DOCS / lang / "llm.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    models = msgspec.convert(tomllib.loads(block), dict[str, ModelSettings])
    assert set(models) == {"small", "large"}
    rows = [line.split("|")[1:3] for line in page.splitlines() if line.startswith("| `")]
    named = {name: default.strip() for names, default in rows for name in names.split("`")[1::2]}
    assert set(named) == set(ModelSettings.__struct_fields__)
    for name in ("timeout", "attempts", "backoff", "retries"):
        assert float(named[name]) == getattr(ModelSettings("x"), name)


def test_both_languages_show_the_same_commands() -> None:
    commands = [
        re.findall(r"```sh\n(.*?)```", (DOCS / lang / page).read_text(encoding="utf-8"), re.S)
        for page in ("llm.md", "gtp.md")
        for lang in ("en", "zh")
    ]
    assert commands[0] == commands[1] and commands[2] == commands[3] and commands[2]
