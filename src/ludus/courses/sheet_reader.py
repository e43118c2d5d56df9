"""Reads a table from CSV, from cells copied out of a spreadsheet, or from an XLSX file.

The files come from strangers: every size is bounded before anything is unpacked, and XML with
declarations of its own (entities, external files) is refused.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import NamedTuple
from xml.parsers import expat

from ludus.courses.table_text import decode_table
from ludus.errors import LudusError

MAX_ROWS = 5000
MAX_COLUMNS = 100
MAX_CELL_CHARS = 500
"""Longer cells are cut; no cell of a class list is that long."""
MAX_PART_BYTES = 16 << 20
"""Of one XML file inside an XLSX file, unpacked."""
MAX_SHARED_STRINGS = MAX_ROWS * MAX_COLUMNS
OLD_EXCEL = b"\xd0\xcf\x11\xe0"
ZIP = b"PK\x03\x04"
SHEET_PATH = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
CELL_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
INTEGER_AS_FLOAT = re.compile(r"-?\d+\.0+|-?\d(\.\d+)?[Ee]\+?\d+")


class SheetRow(NamedTuple):
    """A row of a table that is not empty."""

    line: int
    """Its number in the file, from 1."""
    cells: list[str]
    """Without the spaces around them."""


def read_sheet(data: bytes) -> list[SheetRow]:
    """The rows of the first table of a file; LudusError if it is none that can be read."""
    if data.startswith(OLD_EXCEL):
        raise LudusError(
            "this is a file of an old Excel (.xls); save it as .xlsx or CSV",
            "这是旧版 Excel 文件（.xls）；请另存为 .xlsx 或 CSV",
        )
    rows = _read_xlsx(data) if data.startswith(ZIP) else _read_text(decode_table(data))
    kept = [row for row in rows if any(row.cells)]
    if len(kept) > MAX_ROWS:
        raise _too_many_rows()
    return kept


def _read_text(text: str) -> list[SheetRow]:
    if "\0" in text:
        raise LudusError("this file is not a table", "该文件不是表格")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_find_delimiter(text), strict=True)
    rows = []
    try:
        for cells in lines:
            rows.append(SheetRow(lines.line_num, [_clean_cell(each) for each in cells]))
            if len(rows) > 2 * MAX_ROWS:
                raise _too_many_rows()
            _refuse_wide(len(cells))
    except csv.Error as error:
        raise LudusError(f"this is not a CSV file: {error}", f"不是有效的 CSV：{error}") from None
    return rows


def _find_delimiter(text: str) -> str:
    """The one that the first line with any has most of; cells of spreadsheets are copied with
    tabs, and Excel writes semicolons where a comma stands in numbers."""
    for line in text.splitlines()[:20]:
        counts = {mark: line.count(mark) for mark in ("\t", ",", ";", "，")}
        if any(counts.values()):
            return max(counts, key=lambda mark: counts[mark])
    return ","


def _clean_cell(text: str) -> str:
    return text[:MAX_CELL_CHARS].replace("\u00a0", " ").replace("\u3000", " ").strip()


def _refuse_wide(columns: int) -> None:
    if columns > MAX_COLUMNS:
        raise LudusError(
            f"at most {MAX_COLUMNS} columns, there are {columns}",
            f"最多 {MAX_COLUMNS} 列，现有 {columns} 列",
        )


def _too_many_rows() -> LudusError:
    return LudusError(f"at most {MAX_ROWS} lines", f"最多 {MAX_ROWS} 行")


# XLSX: a zip of XML files (ECMA-376)


def _read_xlsx(data: bytes) -> list[SheetRow]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as box:
            sheets = [name for name in box.namelist() if SHEET_PATH.fullmatch(name)]
            if not sheets:
                raise _not_xlsx()
            strings: list[str] = []
            if "xl/sharedStrings.xml" in box.namelist():
                strings = _SharedStrings().parse(_read_part(box, "xl/sharedStrings.xml"))
            first = min(sheets, key=lambda name: int(SHEET_PATH.fullmatch(name)[1]))  # type: ignore[index]
            return _SheetCells(strings).parse(_read_part(box, first))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):
        raise _not_xlsx() from None


def _read_part(box: zipfile.ZipFile, name: str) -> bytes:
    """A file of the zip, unpacked no further than its limit, whatever its header claims."""
    with box.open(name) as file:
        data = file.read(MAX_PART_BYTES + 1)
    if len(data) > MAX_PART_BYTES:
        raise LudusError(
            f"unpacked, the table has more than {MAX_PART_BYTES >> 20} MB; save only the list",
            f"解压后的表格超过 {MAX_PART_BYTES >> 20} MB；请只保存名单",
        )
    return data


def _not_xlsx() -> LudusError:
    return LudusError(
        "this is not an XLSX file with a table; save it as XLSX or CSV",
        "不是含有表格的 XLSX 文件；请另存为 XLSX 或 CSV",
    )


class _XmlReader:
    """Parses one XML file; subclasses look at elements by their names without a namespace."""

    def feed(self, data: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = lambda name, given: self.start(_strip(name), given)
        parser.EndElementHandler = lambda name: self.end(_strip(name))
        parser.CharacterDataHandler = self.text
        for handler in ("StartDoctypeDeclHandler", "EntityDeclHandler", "ExternalEntityRefHandler"):
            setattr(parser, handler, _refuse_declarations)
        try:
            parser.Parse(data, True)
        except expat.ExpatError:
            raise _not_xlsx() from None

    def start(self, name: str, given: Mapping[str, str]) -> None:
        raise NotImplementedError

    def end(self, name: str) -> None:
        raise NotImplementedError

    def text(self, words: str) -> None:
        raise NotImplementedError


def _strip(name: str) -> str:
    return name.rpartition(" ")[2]


def _refuse_declarations(*_: object) -> int:
    raise LudusError(
        "the XML of this file declares entities, which no spreadsheet does; it is not read",
        "该文件的 XML 含有实体声明，正常的电子表格不会如此，拒绝读取",
    )


class _TextCollector(_XmlReader):
    """Collects the text of elements ``t``, without the pronunciation that some writers add."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._collecting = False
        self._pronunciation = 0

    def start(self, name: str, given: Mapping[str, str]) -> None:
        self._pronunciation += name == "rPh"
        self._collecting = name in ("t", "v") and not self._pronunciation

    def end(self, name: str) -> None:
        self._pronunciation -= name == "rPh"
        self._collecting = False

    def text(self, words: str) -> None:
        if self._collecting:
            self._parts.append(words)

    def take_text(self) -> str:
        found = "".join(self._parts)
        self._parts = []
        return found


class _SharedStrings(_TextCollector):
    """The texts that cells refer to by their number."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def parse(self, data: bytes) -> list[str]:
        self.feed(data)
        return self.found

    def end(self, name: str) -> None:
        super().end(name)
        if name == "si":
            self.found.append(self.take_text())
            if len(self.found) > MAX_SHARED_STRINGS:
                raise _too_many_rows()


class _SheetCells(_TextCollector):
    """The cells of a worksheet."""

    def __init__(self, strings: list[str]) -> None:
        super().__init__()
        self.strings = strings
        self.rows: list[SheetRow] = []
        self._cells: dict[int, str] = {}
        self._line = 0
        self._column = 0
        self._kind = ""

    def parse(self, data: bytes) -> list[SheetRow]:
        self.feed(data)
        return self.rows

    def start(self, name: str, given: Mapping[str, str]) -> None:
        super().start(name, given)
        if name == "row":
            number = given.get("r", "")
            self._line = int(number) if number.isdecimal() else self._line + 1
            self._cells, self._column = {}, 0
        elif name == "c":
            self._kind = given.get("t", "n")
            place = CELL_PLACE.fullmatch(given.get("r", ""))
            self._column = _column_number(place[1]) if place else self._column + 1
            _refuse_wide(self._column)
            self.take_text()

    def end(self, name: str) -> None:
        super().end(name)
        if name == "c":
            self._cells[self._column] = _clean_cell(self._read_value(self.take_text()))
        elif name == "row" and self._cells:
            width = max(self._cells)
            cells = [self._cells.get(column, "") for column in range(1, width + 1)]
            self.rows.append(SheetRow(self._line, cells))
            if len(self.rows) > 2 * MAX_ROWS:
                raise _too_many_rows()

    def _read_value(self, text: str) -> str:
        read: Callable[[str], str] = VALUE_READERS.get(self._kind, str)
        if self._kind == "s":
            return self.strings[int(text)] if text.isdecimal() and self._knows(text) else ""
        return read(text)

    def _knows(self, text: str) -> bool:
        return len(text) < 9 and int(text) < len(self.strings)


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _format_number(text: str) -> str:
    """A number as a person wrote it: student numbers are whole, and Excel keeps 2.021010001E9."""
    if INTEGER_AS_FLOAT.fullmatch(text) and len(text) < 40:
        value = float(text)
        if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
    return text


VALUE_READERS: dict[str, Callable[[str], str]] = {"n": _format_number, "e": lambda _: ""}
"""By the type of a cell; errors such as #N/A are read as empty cells."""
