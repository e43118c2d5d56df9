"""Tables as files for spreadsheets: CSV and XLSX, with the standard library only.

A cell is text or a number. Text that a spreadsheet would run as a formula is marked as text: names
come from students.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

Cell = str | int | float | None
Table = Sequence[Sequence[Cell]]

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
XLSX_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def write_csv(table: Table) -> bytes:
    """UTF-8 with a byte order mark, without which Excel takes Chinese for GBK."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    for row in table:
        writer.writerow([_guard_formula(cell) for cell in row])
    return text.getvalue().encode("utf-8-sig")


def _guard_formula(cell: Cell) -> Cell:
    if isinstance(cell, str) and cell.startswith(FORMULA_STARTS):
        return f"'{cell}"
    return cell


def write_xlsx(table: Table, title: str = "marks") -> bytes:
    """A workbook of one sheet; its first row is bold and stays in view. The same table gives the
    same bytes."""
    name = re.sub(r"[\[\]:*?/\\]", " ", title)[:31].strip() or "marks"
    parts = {
        "[Content_Types].xml": _content_types(),
        "_rels/.rels": _relations({"officeDocument": "xl/workbook.xml"}),
        "xl/workbook.xml": (
            f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets><sheet'
            f' name={quoteattr(_clean(name))} sheetId="1" r:id="rId1"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": _relations(
            {"worksheet": "worksheets/sheet1.xml", "styles": "styles.xml"}
        ),
        "xl/styles.xml": _styles(),
        "xl/worksheets/sheet1.xml": _sheet(table),
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as box:
        for path, text in parts.items():
            box.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), text.encode())
    return data.getvalue()


def _sheet(table: Table) -> str:
    rows = "".join(
        f'<row r="{number}">{_row_cells(row, number)}</row>' for number, row in enumerate(table, 1)
    )
    view = (
        '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2"'
        ' activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
    )
    return f'{HEAD}<worksheet xmlns="{MAIN}">{view}<sheetData>{rows}</sheetData></worksheet>'


def _row_cells(row: Sequence[Cell], number: int) -> str:
    style = ' s="1"' if number == 1 else ""
    cells = []
    for place, cell in enumerate(row):
        where = f'r="{column_name(place)}{number}"{style}'
        if isinstance(cell, str):
            text = f'<is><t xml:space="preserve">{escape(_clean(cell))}</t></is>'
            cells.append(f'<c {where} t="inlineStr">{text}</c>')
        elif cell is not None:
            cells.append(f"<c {where}><v>{cell!r}</v></c>")
    return "".join(cells)


def column_name(place: int) -> str:
    """``A`` for 0, ``Z`` for 25, ``AA`` for 26."""
    name = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def _clean(text: str) -> str:
    return UNPRINTABLE.sub("", text)


def _content_types() -> str:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {"workbook": "sheet.main", "worksheets/sheet1": "worksheet", "styles": "styles"}
    overrides = "".join(
        f'<Override PartName="/xl/{path}.xml" ContentType="{kind}.{name}+xml"/>'
        for path, name in parts.items()
    )
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    return (
        f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels"'
        f' ContentType="{rels}"/><Default Extension="xml" ContentType="application/xml"/>'
        f"{overrides}</Types>"
    )


def _relations(targets: dict[str, str]) -> str:
    links = "".join(
        f'<Relationship Id="rId{number}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets.items(), 1)
    )
    return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{links}</Relationships>'


def _styles() -> str:
    return (
        f'{HEAD}<styleSheet xmlns="{MAIN}"><fonts count="2"><font/><font><b/></font></fonts>'
        '<fills count="1"><fill><patternFill patternType="none"/></fill></fills>'
        '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
        '<cellXfs count="2"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/></cellXfs>'
        "</styleSheet>"
    )
