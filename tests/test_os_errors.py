"""Reasons of the operating system are told in the reader's language."""

import errno
import os
import re
import socket
from pathlib import Path

import pytest

import ludus
from ludus.bots.read_source import unreadable_error
from ludus.contest.settings import read_contest_settings
from ludus.errors import LudusError
from ludus.os_errors import CHINESE_REASONS, describe_os_error

CHINESE = re.compile("[\u4e00-\u9fff]")
SOURCES = Path(ludus.__file__).parent


@pytest.mark.parametrize("number", sorted(CHINESE_REASONS))
def test_a_reason_is_told_in_both_languages(number: int) -> None:
    told = describe_os_error(OSError(number, os.strerror(abs(number)), "/secret/place"))
    assert told.en == os.strerror(abs(number)) and CHINESE.search(told.zh)
    assert "place" not in told.en + told.zh


def test_errors_without_a_number_and_of_libraries_have_words() -> None:
    assert describe_os_error(TimeoutError()).zh == "超时"
    assert describe_os_error(socket.gaierror(socket.EAI_NONAME, "unknown")).zh == "未知的主机名"
    assert describe_os_error(ValueError("odd")) == {"en": "odd", "zh": "odd"}
    assert describe_os_error(OSError(9999, "strange")) == {"en": "strange", "zh": "strange"}


def test_a_missing_file_is_told_in_chinese(tmp_path: Path) -> None:
    with pytest.raises(LudusError) as refused:
        read_contest_settings(tmp_path / "none.toml")
    assert refused.value.text.zh.endswith("：没有这个文件或文件夹")
    error = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    assert unreadable_error(tmp_path, error).text.zh == f"无法读取 {tmp_path}：没有权限"


def test_no_chinese_sentence_quotes_the_system_in_english() -> None:
    found = [
        f"{path.relative_to(SOURCES)}: {line.strip()}"
        for path in SOURCES.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if "strerror}" in line and CHINESE.search(line)
    ]
    assert found == []
