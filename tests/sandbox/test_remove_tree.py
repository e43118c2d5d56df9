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


@pytest.mark.parametrize("depth", [100, 3000])
def test_of_two_who_remove_the_same_tree_each_returns_when_nothing_is_left(depth: int) -> None:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as place:
        deep = Path(place, "deep")
        for _ in range(3):
            nest(deep, depth)
            nest(deep / "beside", depth)
            left: list[bool] = []

            def remove(path: Path = deep, left: list[bool] = left) -> None:
                remove_tree(path)
                left.append(path.exists())

            both = [threading.Thread(target=remove) for _ in range(2)]
            for one in both:
                one.start()
            for one in both:
                one.join()
            assert left == [False, False]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_another_user_owns_is_left_and_the_rest_is_removed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    tree = tmp_path / "tree"
    (tree / "theirs" / "deep").mkdir(parents=True)
    (tree / "theirs" / "file").touch()
    (tree / "ours" / "deep").mkdir(parents=True)
    for folder in (tree, tree / "ours", tree / "ours" / "deep"):
        os.chown(folder, 65534, 65534)
    if not (child := os.fork()):
        os.chdir(tmp_path)
        os.setuid(65534)
        remove_tree("tree")
        os._exit(0)
    os.waitpid(child, 0)
    assert sorted(path.name for path in tree.rglob("*")) == ["deep", "file", "theirs"]


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
