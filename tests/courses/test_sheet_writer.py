"""Tables for spreadsheets hold what was written into them, and never a formula."""

import csv
import io
import zipfile
from xml.etree import ElementTree

from ludus.courses.sheet_writer import Table, column_name, write_csv, write_xlsx

TABLE: Table = [
    ["学号", "姓名", "total"],
    ["2026010001", "王 小明 & <Co>", 17.5],
    ["0012", '=HYPERLINK("http://x")', None],
    ["", "+1\x07", 3],
]
SPACE = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}


def cells_of(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as box:
        for name in box.namelist():
            ElementTree.fromstring(box.read(name))
        sheet = ElementTree.fromstring(box.read("xl/worksheets/sheet1.xml"))
    assert not sheet.findall(".//m:f", SPACE), "no formulas"
    return {cell.attrib["r"]: "".join(cell.itertext()) for cell in sheet.findall(".//m:c", SPACE)}


def test_a_workbook_holds_every_cell_as_text_or_number() -> None:
    found = cells_of(write_xlsx(TABLE, "Marks: [1]/2"))
    assert found["A1"] == "学号" and found["A3"] == "0012", "leading zeros stay"
    assert found["B2"] == "王 小明 & <Co>" and found["C2"] == "17.5"
    assert found["B3"].startswith("=HYPERLINK") and "C3" not in found and found["B4"] == "+1"
    assert write_xlsx(TABLE) == write_xlsx(TABLE)


def test_a_csv_opens_in_excel_and_runs_nothing() -> None:
    data = write_csv(TABLE)
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
    assert rows[1] == ["2026010001", "王 小明 & <Co>", "17.5"]
    assert rows[2][1].startswith("'=") and rows[3][1].startswith("'+")


def test_columns_are_named_as_in_spreadsheets() -> None:
    assert [column_name(place) for place in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]
