"""An agent can name the files of one folder, and nothing else."""

import os
from pathlib import Path

import pytest

from ludus.compat.mcp.workspace import MAX_SOURCE_BYTES, OutsideWorkspace, Workspace
from ludus.errors import LudusError
from ludus.games import get
from tests.support.cli import LEGAL

GAME = get("ataxx")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.py").write_text(LEGAL)
    (tmp_path / "inside").mkdir()
    return Workspace(tmp_path / "inside")


@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret.py",
        "a/../../outside/secret.py",
        "/etc/passwd",
        "..",
        "./../outside",
        "link.py",
        "folder/secret.py",
        "chain/secret.py",
    ],
)
def test_a_path_that_leads_out_is_refused(workspace: Workspace, path: str) -> None:
    (workspace.root / "link.py").symlink_to("../outside/secret.py")
    (workspace.root / "folder").symlink_to("../outside")
    (workspace.root / "chain").symlink_to("folder")
    for use in (
        workspace.locate,
        workspace.locate_existing,
        lambda named: workspace.find_bot(f"./{named}" if named == ".." else named, GAME),
        lambda named: workspace.write_source(named, "", True),
    ):
        with pytest.raises(OutsideWorkspace, match="outside of"):
            use(path)
    assert (workspace.root.parent / "outside" / "secret.py").read_text() == LEGAL


def test_paths_in_the_folder_may_be_absolute_or_links(workspace: Workspace) -> None:
    place = workspace.write_source("bots/mine.py", LEGAL, False)
    (workspace.root / "link.py").symlink_to("bots/mine.py")
    for path in ("bots/mine.py", str(place), "link.py", "bots/../bots/mine.py"):
        assert workspace.locate_existing(path) == place
        assert workspace.find_bot(path, GAME).name == "mine"
    assert workspace.name(place) == "bots/mine.py"


def test_a_folder_started_through_a_link_is_the_folder_itself(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    workspace = Workspace(tmp_path / "link")
    assert workspace.locate("bot.py") == tmp_path.resolve() / "real" / "bot.py"


@pytest.mark.parametrize("where", ["beside", "in a folder"])
def test_a_bot_cannot_bring_files_of_elsewhere_through_links(
    workspace: Workspace, where: str
) -> None:
    if where == "beside":
        workspace.write_source("bot.py", f"import secret\n{LEGAL}", False)
        (workspace.root / "secret.py").symlink_to("../outside/secret.py")
        bot = "bot.py"
    else:
        workspace.write_source("mine/ludus.toml", 'name = "mine"\nlanguage = "python"\n', False)
        workspace.write_source("mine/bot.py", LEGAL, False)
        (workspace.root / "mine" / "secret.py").symlink_to("../../outside/secret.py")
        bot = "mine"
    with pytest.raises(LudusError):
        workspace.find_bot(bot, GAME)


@pytest.mark.parametrize(
    "spec", ["cmd:true", "gtp:gnugo", "tcp:localhost:1", "llm:x", "learned:/etc/passwd", "", "a\0b"]
)
def test_commands_and_addresses_are_no_bots(workspace: Workspace, spec: str) -> None:
    with pytest.raises(LudusError):
        workspace.find_bot(spec, GAME)


def test_house_bots_and_searches_go_by_their_names(workspace: Workspace) -> None:
    for spec in ("greedy", "search:20", "search"):
        assert workspace.find_bot(spec, GAME).trusted


def test_a_file_is_replaced_only_on_request_and_not_too_large(workspace: Workspace) -> None:
    workspace.write_source("bot.py", "one", False)
    with pytest.raises(LudusError, match="exists already"):
        workspace.write_source("bot.py", "two", False)
    workspace.write_source("bot.py", "two", True)
    assert (workspace.root / "bot.py").read_text() == "two"
    with pytest.raises(LudusError, match="at most"):
        workspace.write_source("bot.py", "x" * (MAX_SOURCE_BYTES + 1), True)
    (workspace.root / "folder").mkdir()
    os.mkfifo(workspace.root / "pipe.py")
    for path in ("folder", "pipe.py", "bot.py/inner.py", ""):
        with pytest.raises(LudusError):
            workspace.write_source(path, "three", True)


def test_records_go_into_new_folders_and_never_through_a_link(workspace: Workspace) -> None:
    assert workspace.name(workspace.make_record_folder("match")) == "records/match-0001"
    assert workspace.name(workspace.make_record_folder("match")) == "records/match-0002"
    (workspace.root / "records").rename(workspace.root / "old")
    (workspace.root / "records").symlink_to("../outside")
    with pytest.raises(OutsideWorkspace):
        workspace.make_record_folder("match")
    (workspace.root / "records").unlink()
    (workspace.root / "records").write_text("a file")
    with pytest.raises(LudusError, match="cannot make a folder"):
        workspace.make_record_folder("match")
