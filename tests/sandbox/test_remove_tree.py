"""Trees that a stranger's program left are removed, whatever they look like."""

import os
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest

from ludus.sandbox.remove_tree import remove_tree


def nest(folder: Path, depth: int) -> None:
    """Folders in folders, deeper than any path can be long, with a file in the last."""
    folder.mkdir()
    at = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d" * 20, dir_fd=at)
        below = os.open("d" * 20, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("last", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)


@pytest.mark.parametrize("depth", [0, 63, 64, 65, 3000])
def test_folders_of_any_depth(depth: int) -> None:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # quicker than a disk
    with tempfile.TemporaryDirectory(dir=memory) as place:
        nest(Path(place, "deep"), depth)
        remove_tree(Path(place, "deep"))
        assert os.listdir(place) == []


def test_two_who_remove_the_same_tree_leave_nothing(tmp_path: Path) -> None:
    for number in range(4):
        nest(tmp_path / "deep" / str(number), 100) if number else nest(tmp_path / "deep", 100)
    other = threading.Thread(target=remove_tree, args=(tmp_path / "deep",))
    other.start()
    remove_tree(tmp_path / "deep")
    other.join()
    assert os.listdir(tmp_path) == []


def test_any_name_any_mode_and_no_link_is_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "word").write_text("stays")
    tree = tmp_path / "tree"
    (tree / "closed" / "inner").mkdir(parents=True)
    (tree / "closed" / "file").touch(0o000)
    os.close(os.open(os.fsencode(tree) + b"/\xff\xfe", os.O_CREAT))
    os.mkdir(os.fsencode(tree) + b"/\xff\xfd")
    os.mkfifo(tree / "pipe")
    (tree / "link").symlink_to(kept)
    (tree / "loop").symlink_to(tree)
    (tree / "closed" / "inner").chmod(0)
    (tree / "closed").chmod(0)
    remove_tree(tree)
    assert os.listdir(tmp_path) == ["kept"]
    assert (kept / "word").read_text() == "stays"


def test_what_is_gone_or_no_folder_is_no_error(tmp_path: Path) -> None:
    remove_tree(tmp_path / "never" / "was")
    (tmp_path / "file").touch()
    remove_tree(str(tmp_path / "file") + "/")
    (tmp_path / "link").symlink_to("/etc")
    remove_tree(tmp_path / "link")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file immutable")
def test_immutable_files(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "inner").mkdir(parents=True)
    (tree / "inner" / "file").touch()
    made = subprocess.run(["chattr", "-R", "+i", str(tree)], capture_output=True)
    if made.returncode:
        pytest.skip("this file system has no such flag")
    remove_tree(tree)
    assert os.listdir(tmp_path) == []
