"""Runs Zensical, the generator, once for each language."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import tomlkit

from ludus.lang import LANGUAGES, Text
from tools.docs_site.navigation import NAVIGATION, DocsPage, DocsSection

LANGUAGE_NAMES = {"en": "English", "zh": "中文"}
SITE_NAME = Text("Ludus docs", "弈场文档")
DESCRIPTION = Text(
    "Ludus, an arena for game-playing programs: how to write bots, hold contests, add games.",
    "弈场 Ludus，游戏 AI 的竞技场：编写 AI、举办赛事、添加游戏。",
)
SWITCH_TO_DARK = Text("Switch to dark colours", "切换为深色")
SWITCH_TO_LIGHT = Text("Switch to light colours", "切换为浅色")
STYLE = Path(__file__).with_name("style.css")
LOGO = Path(__file__).with_name("logo.svg")
EXTENSIONS: dict[str, dict[str, Any]] = {
    "attr_list": {},
    "md_in_html": {},
    # Anchors as GitHub makes them, Chinese headings included.
    "toc": {
        "permalink": True,
        "slugify": {"object": "pymdownx.slugs.slugify", "kwds": {"case": "lower"}},
    },
    "tables": {},
    "pymdownx.highlight": {"pygments_lang_class": True},
    "pymdownx.superfences": {},
}
FEATURES = [
    "content.code.copy",
    "navigation.footer",
    "navigation.indexes",
    "navigation.sections",
    "navigation.tabs",
    "navigation.top",
    "search.highlight",
    "toc.follow",
]


class BuildFailed(Exception):
    """The generator, or what it makes, is not as expected."""


def generate(language: str, folder: Path, packages: Path | None) -> Path:
    """Build the site of one language from ``folder/docs``; the folder where it lies.

    ``packages`` is where the generator is installed, if not in this environment.
    """
    for source, name in ((STYLE, "ludus.css"), (LOGO, "logo.svg")):
        (folder / "docs" / name).write_bytes(source.read_bytes())
    config = folder / "zensical.toml"
    config.write_text(tomlkit.dumps(make_config(language)), encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(packages or ""), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", str(config)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise BuildFailed(f"{done.stdout}{done.stderr}")
    return folder / "site"


def make_config(language: str) -> dict[str, Any]:
    """The generator's settings for one language."""
    return {
        "project": {
            "site_name": SITE_NAME[language],
            "site_description": DESCRIPTION[language],
            "use_directory_urls": False,
            "extra_css": ["ludus.css"],
            "nav": [_nav_entry(each, language) for each in NAVIGATION],
            "markdown_extensions": EXTENSIONS,
            "extra": {
                "alternate": [
                    {"name": LANGUAGE_NAMES[each], "link": f"../{each}/index.html", "lang": each}
                    for each in LANGUAGES
                ],
                "generator": False,
            },
            "theme": {
                "variant": "modern",
                "language": language,
                "font": False,  # those of the system: nothing is loaded from elsewhere
                "logo": "logo.svg",
                "favicon": "logo.svg",
                "features": FEATURES,
                "palette": [
                    _palette("light", "default", "lucide/sun", SWITCH_TO_DARK[language]),
                    _palette("dark", "slate", "lucide/moon", SWITCH_TO_LIGHT[language]),
                ],
            },
        }
    }


def _nav_entry(entry: DocsPage | DocsSection, language: str) -> dict[str, Any]:
    if isinstance(entry, DocsPage):
        return {entry.title[language]: f"{entry.name}.md"}
    return {entry.title[language]: [_nav_entry(each, language) for each in entry.entries]}


def _palette(media: str, scheme: str, icon: str, name: str) -> dict[str, Any]:
    return {
        "media": f"(prefers-color-scheme: {media})",
        "scheme": scheme,
        "toggle": {"icon": icon, "name": name},
    }
