"""The steps of a guide: sentences of a few forms, which a test can follow as a reader would."""

import re
from dataclasses import dataclass

NAME, VALUE = r"\*(?P<name>[^*]+)\*", r"`(?P<value>[^`]+)`"
FORMS: dict[str, dict[str, str]] = {
    "en": {
        "run": r"Run this in the folder of Ludus:",
        "paste": rf"Paste this into {NAME}:",
        "open private link": r"Open the private link that the server prints\.",
        "open own link": rf"Open the link of {VALUE} from the file in a private window\.",
        "open": rf"Open {NAME}\.",
        "save": rf"Press {NAME} to save {VALUE}\.",
        "press in line": rf"Press {NAME} in the line of {VALUE}\.",
        "press": rf"Press {NAME}\.",
        "enter": rf"Enter {VALUE} as {NAME}\.",
        "choose": rf"Choose {VALUE} as {NAME}\.",
        "tick": rf"Tick {NAME}\.",
        "see": rf"You see {VALUE}\.",
    },
    "zh": {
        "run": r"在 Ludus 文件夹中运行：",
        "paste": rf"把下面的内容粘贴到{NAME}：",
        "open private link": r"打开服务器打印的私密链接。",
        "open own link": rf"在无痕窗口中打开文件里 {VALUE} 的链接。",
        "open": rf"打开{NAME}。",
        "save": rf"点击{NAME}，保存 {VALUE}。",
        "press in line": rf"在 {VALUE} 一行点击{NAME}。",
        "press": rf"点击{NAME}。",
        "enter": rf"在{NAME}中填写 {VALUE}。",
        "choose": rf"在{NAME}中选择 {VALUE}。",
        "tick": rf"勾选{NAME}。",
        "see": rf"可以看到 {VALUE}。",
    },
}
"""What a guide may tell a reader to do, by language."""
ITEM = re.compile(r"(?m)^\d+\. ((?:.*)(?:\n(?: {4,}.*|[ ]*$))*)")
BLOCK = re.compile(r"\s*```\w*\n(?P<text>.*?)```", re.DOTALL)


class UnknownStep(Exception):
    """A guide says something that no reader's test can do."""


@dataclass(frozen=True)
class Step:
    """Something to do, or to see."""

    act: str
    name: str = ""
    """Of a button, a link or a field."""
    value: str = ""
    """What to enter, choose, run or see."""


@dataclass(frozen=True)
class GuidePart:
    """A heading and the steps below it."""

    title: str
    steps: tuple[Step, ...]


def read_guide(page: str, heading: str, language: str) -> list[GuidePart]:
    """The parts of a section of a page of the docs. Only numbered items are steps: what stands
    between them is for the reader."""
    [section] = re.findall(rf"(?ms)^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page)
    parts = []
    for part in re.split(r"(?m)^### ", section)[1:]:
        title, _, text = part.partition("\n")
        items = [re.sub(r"(?m)^ {4}", "", item) for item in ITEM.findall(text)]
        parts.append(GuidePart(title, tuple(s for each in items for s in _read(each, language))))
    return parts


def _read(item: str, language: str) -> list[Step]:
    steps, rest = [], item.strip()
    while rest:
        act, found = _find_form(rest, language)
        rest = rest[found.end() :]
        given = found.groupdict()
        if act in ("run", "paste"):
            if not (block := BLOCK.match(rest)):
                raise UnknownStep(f"{found[0]} without a block of code")
            given["value"], rest = block["text"], rest[block.end() :]
        steps.append(Step(act, **given))
        rest = rest.strip()
    return steps


def _find_form(text: str, language: str) -> tuple[str, re.Match[str]]:
    """What a text tells a reader to do first. Lines may end between any two words."""
    for act, form in FORMS[language].items():
        if found := re.match(re.sub(" ", r"\\s+", form), text):
            return act, found
    raise UnknownStep(text)
