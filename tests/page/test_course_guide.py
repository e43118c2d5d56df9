"""The guide for teachers is followed step by step, in the browser and in the shell, as written."""

import contextlib
import os
import re
import shlex
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.guide_steps import GuidePart, Step, UnknownStep, read_guide
from tests.support.page_server import NewPage, pages_of
from tests.support.page_site import Site, wait_for
from tests.support.term import read_csv
from tools.docs_site.sources import DOCS

ROOT = DOCS.parent
HEADINGS = {"en": "A first course, step by step", "zh": "一步一步开一门课"}
WHO = {"Teacher": "teacher", "Student": "student", "教师": "teacher", "学生": "student"}
"""The first word of a heading says in whose window its steps are."""
SERVE = ["./ludus", "serve"]
APART = ["--no-browser", "--no-demo", "--jobs", "2"]
"""What keeps the server of a test apart from one that people use."""
PRIVATE_LINK = re.compile(r"http://\S+(/welcome#code=\S+)")
LONG_MS = 180_000


def guide(language: str) -> list[GuidePart]:
    page = (DOCS / language / "course.md").read_text("utf-8")
    return read_guide(page, HEADINGS[language], language)


def test_both_languages_lead_along_the_same_way() -> None:
    english, chinese = guide("en"), guide("zh")
    ways = [
        [(WHO[re.split("[:：]", part.title)[0]], step.act) for part in parts for step in part.steps]
        for parts in (english, chinese)
    ]
    assert ways[0] == ways[1] and len(ways[0]) > 60
    blocks = [
        [step.value for part in parts for step in part.steps if step.act in ("run", "paste")]
        for parts in (english, chinese)
    ]
    assert blocks[0] == blocks[1]


@pytest.mark.parametrize(
    "sentence", ["Think about it.", "Press it.", "Run this in the folder of Ludus:", "打开*班级*。"]
)
def test_a_step_that_cannot_be_followed_is_noticed(sentence: str) -> None:
    with pytest.raises(UnknownStep):
        read_guide(f"## X\n\n### Teacher: y\n\n1. {sentence}\n", "X", "en")


@dataclass
class Reader:
    """A person who does what the guide says, and nothing else."""

    site: Site
    open_page: NewPage
    stop: contextlib.ExitStack
    language: str = ""
    windows: dict[str, Page] = field(default_factory=dict)
    who: str = "teacher"
    saved: dict[str, bytes] = field(default_factory=dict)
    """What was downloaded, by name."""

    def follow(self, language: str) -> None:
        self.language = language
        for part in guide(language):
            self.who = WHO[re.split("[:：]", part.title)[0]]
            for step in part.steps:
                try:
                    getattr(self, f"_{step.act.replace(' ', '_')}")(step)
                except BaseException as error:
                    error.add_note(f"{part.title}: {step}")
                    raise

    @property
    def page(self) -> Page:
        return self.windows[self.who]

    def _open_window(self, address: str) -> None:
        """In a browser of its own, as a private window is."""
        page = self.open_page(address, self.language, accept_downloads=True)
        self.windows[self.who] = page

    # The shell

    def _run(self, step: Step) -> None:
        home = self.site.home
        environment = {**os.environ, "LUDUS_HOME": str(home), "LUDUS_LANG": self.language}
        for line in step.value.splitlines():
            words = shlex.split(line)
            if words[:2] == SERVE:
                self._serve(words, environment)
                continue
            assert words[0] == "./ludus"
            words[0] = str(ROOT / "ludus")
            done = subprocess.run(
                words, cwd=home, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, (line, done.stdout, done.stderr)

    def _serve(self, words: list[str], environment: dict[str, str]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        self.site.url = f"http://127.0.0.1:{port}"
        command = [*words, *APART, "--port", str(port)]
        log = self.site.home / "server.log"
        with log.open("wb") as out:
            server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)

        def end() -> None:
            server.terminate()
            server.wait(30)

        self.stop.callback(end)
        wait_for(lambda: server.poll() is not None or self.site.answers(), 120)
        assert server.poll() is None, log.read_text("utf-8")

    # Links

    def _open_private_link(self, step: Step) -> None:
        log = self.site.home / "server.log"
        wait_for(lambda: PRIVATE_LINK.search(log.read_text("utf-8")))
        found = PRIVATE_LINK.search(log.read_text("utf-8"))
        assert found
        self._open_window(self.site.url + found[1])

    def _open_own_link(self, step: Step) -> None:
        rows = read_csv(self.saved["codes.csv"])
        [link] = [list(row.values())[-1] for row in rows if step.value in row.values()]
        self._open_window(link)

    def _open(self, step: Step) -> None:
        beginning = re.compile(rf"^\s*{re.escape(step.name)}(\s|\d|$)")
        self.page.get_by_role("link", name=beginning).first.click()

    # Forms

    def _press(self, step: Step) -> None:
        self._find_button(self.page.locator("body"), step.name).click(timeout=LONG_MS)

    def _press_in_line(self, step: Step) -> None:
        line = self.page.get_by_role("row").filter(has_text=step.value)
        self._find_button(line, step.name).click()

    def _find_button(self, place: Locator, name: str) -> Locator:
        button = place.get_by_role("button", name=name, exact=True)
        return button.or_(place.get_by_role("link", name=name, exact=True)).first

    def _save(self, step: Step) -> None:
        with self.page.expect_download() as download:
            self._press(step)
        assert download.value.suggested_filename == step.value
        self.saved[step.value] = download.value.path().read_bytes()

    def _find_field(self, name: str) -> Locator:
        return self.page.get_by_label(re.compile(rf"^\s*{re.escape(name)}")).first

    def _enter(self, step: Step) -> None:
        self._find_field(step.name).fill(step.value)

    def _paste(self, step: Step) -> None:
        self._find_field(step.name).fill(step.value)

    def _tick(self, step: Step) -> None:
        self._find_field(step.name).check()

    def _choose(self, step: Step) -> None:
        field = self._find_field(step.name)
        field.wait_for(state="attached")
        if field.get_attribute("role") == "radiogroup":
            field.get_by_role("radio", name=step.value, exact=True).check(force=True)
        else:
            field.select_option(label=step.value)

    def _see(self, step: Step) -> None:
        expect(self.page.locator("body")).to_contain_text(step.value, timeout=LONG_MS)


@pytest.fixture
def reader(browser: Browser, tmp_path: Path) -> Iterator[Reader]:
    site = Site("", tmp_path)
    opened = pages_of(browser, site, {})
    with contextlib.ExitStack() as stop:
        yield Reader(site, next(opened), stop)
        next(opened, None)  # closes the pages; none of them has complained


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_guide_leads_from_an_empty_folder_to_the_end_of_the_term(
    reader: Reader, language: str
) -> None:
    reader.follow(language)
    marks = list(reader.saved.values())[-1]
    name, report = {"en": ("name", "Report"), "zh": ("姓名", "报告")}[language]
    assert [(row[name], row[report]) for row in read_csv(marks)] == [("张三", "8.5"), ("李四", "")]
    assert (reader.site.home / "term.ludus-backup").stat().st_size > 1000
