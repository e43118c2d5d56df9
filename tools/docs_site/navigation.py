"""The pages of the docs site in their order, with the names that the navigation gives them.

A page is a file ``docs/LANGUAGE/NAME.md``, or one of ``reference.GENERATED_PAGES``. A test compares
the files with this list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ludus.lang import Text


class DocsPage(NamedTuple):
    """A page of the site."""

    name: str
    title: Text


class DocsSection(NamedTuple):
    """Pages under one heading of the navigation; a section may hold others."""

    title: Text
    entries: tuple[DocsPage | DocsSection, ...]


def _page(name: str, en: str, zh: str) -> DocsPage:
    return DocsPage(name, Text(en, zh))


def _section(en: str, zh: str, *entries: DocsPage | DocsSection) -> DocsSection:
    return DocsSection(Text(en, zh), entries)


NAVIGATION = (
    _section(
        "Start",
        "开始",
        _page("index", "Start", "开始"),
        _page("page", "The page", "网页"),
        _page("glossary", "Glossary", "术语"),
    ),
    _section(
        "Write a bot",
        "编写 AI",
        _page("bots", "Writing bots", "编写 AI"),
        _section(
            "The games",
            "各个游戏",
            _page("reversi", "Reversi", "黑白棋"),
            _page("ataxx", "Ataxx", "同化棋"),
            _page("duel2048", "Duel 2048", "贰零肆捌"),
            _page("eraser", "Eraser", "星际消战"),
            _page("paperio", "Paper.io", "纸带圈地"),
            _page("tablut", "Tablut", "塔布鲁特棋"),
        ),
        _section(
            "Languages",
            "编程语言",
            _page("languages", "Other languages, folders, zips", "其他语言、文件夹与压缩包"),
            _page("kits", "Kits for C++ and JavaScript", "C++ 与 JavaScript 开发包"),
            _page("python", "Ludus from Python", "在 Python 中使用"),
        ),
        _section(
            "Better bots",
            "改进 AI",
            _page("debugging", "Debugging", "调试"),
            _page("analysis", "Why did I lose?", "为什么输了？"),
            _page("tuning", "Tuning", "调参"),
        ),
        _page("git", "Submit with git", "用 git 提交"),
        _section(
            "Other players",
            "其他棋手",
            _page("llm", "Language models", "语言模型"),
            _page("mcp", "Coding agents (MCP)", "编程智能体（MCP）"),
        ),
    ),
    _section(
        "Contests and courses",
        "赛事与课程",
        _page("contests", "Hold a contest", "举办赛事"),
        _page("course", "Hold a course", "开设课程"),
    ),
    _section("Host an arena", "架设弈场", _page("arena", "The arena online", "在线弈场")),
    _section(
        "Add a game",
        "添加游戏",
        _page("games", "In Python", "用 Python 编写"),
        _page("saiblo", "For Saiblo", "Saiblo 游戏"),
        _page("judger", "Saiblo's judger", "Saiblo 裁判"),
        _page("botzone", "Botzone's bots and judges", "Botzone 的 AI 与裁判"),
    ),
    _section(
        "Train an agent",
        "训练智能体",
        _page("learning", "Learning", "学习"),
        _page("gym", "Environments", "训练环境"),
        _page("yardsticks", "Yardsticks", "参照对手"),
    ),
    _section(
        "Coming from …",
        "从别处来",
        _page("from-duel2048", "Duel 2048 (2020)", "贰零肆捌（2020）"),
        _page("from-eraser", "Eraser (2023)", "星际消战（2023）"),
        _page("from-paperio", "Paper.io (2018)", "纸带圈地（2018）"),
        _page("from-tablut", "Tablut with AlphaZero", "AlphaZero 版塔布鲁特棋"),
        _page("from-saiblo", "Saiblo", "Saiblo"),
        _page("from-botzone", "Botzone", "Botzone"),
        _page("from-kaggle", "Kaggle", "Kaggle"),
        _page("from-pettingzoo", "PettingZoo, Gymnasium", "PettingZoo、Gymnasium"),
    ),
    _section(
        "How it works",
        "工作原理",
        _section(
            "Protocols",
            "协议",
            _page("protocol", "ludus/1", "ludus/1"),
            _page("gtp", "GTP", "GTP"),
            _page("tablut-challenge", "Tablut challenge", "Tablut 挑战赛"),
        ),
        _page("ratings", "Ratings", "等级分"),
        _section(
            "Security",
            "安全",
            _page("sandbox", "The jail", "沙箱"),
            _page("security", "Promises and their tests", "承诺与测试"),
        ),
        _page("architecture", "Architecture", "架构"),
    ),
    _section(
        "Reference",
        "参考",
        _page("reference-cli", "Commands", "命令"),
        _page("reference-python", "Python", "Python"),
        _page("reference-games", "Writing games", "编写游戏"),
        _page("reference-rest", "REST", "REST"),
        _page("reference-training", "Training settings", "训练设置"),
    ),
)


def iter_pages(entries: tuple[DocsPage | DocsSection, ...] = NAVIGATION) -> Iterator[DocsPage]:
    """All pages, in their order."""
    for entry in entries:
        if isinstance(entry, DocsSection):
            yield from iter_pages(entry.entries)
        else:
            yield entry
