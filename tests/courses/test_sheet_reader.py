"""Tables from CSV, from a clipboard and from XLSX; hostile files."""

import io
import zipfile

import pytest

from ludus.courses import sheet_reader
from ludus.courses.sheet_reader import read_sheet
from ludus.errors import LudusError

SHEET = "xl/worksheets/sheet1.xml"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
SPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def make_xlsx(sheet: str, strings: str = "") -> bytes:
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(SHEET, sheet)
        if strings:
            file.writestr("xl/sharedStrings.xml", strings)
    return box.getvalue()


def make_sheet(rows: str) -> str:
    return f"{HEAD}<worksheet {SPACE}><sheetData>{rows}</sheetData></worksheet>"


@pytest.mark.parametrize(
    "data",
    [
        "学号,姓名\r\n2021010001, 张三 \r\n".encode(),
        "\ufeff学号,姓名\n2021010001,张三".encode(),
        "学号,姓名\n2021010001,张三\n".encode("gbk"),
        "学号\t姓名\n2021010001\t张三\n".encode("gb18030"),
        "学号\t姓名\r\n2021010001\t张三\r\n".encode("utf-16"),
        "学号;姓名\n\n;;\n2021010001;张三".encode(),
        '"学号","姓名"\n"2021010001","张三"\n'.encode(),
    ],
)
def test_text_is_read_in_every_encoding_and_with_every_separator(data: bytes) -> None:
    assert [row.cells[:2] for row in read_sheet(data)] == [["学号", "姓名"], ["2021010001", "张三"]]


def test_cells_of_xlsx_are_read_by_their_places_and_types() -> None:
    strings = (
        f"{HEAD}<sst {SPACE}><si><t>学号</t></si><si><r><t>姓</t></r><r><t>名</t></r>"
        "<rPh><t>xingming</t></rPh></si></sst>"
    )
    rows = (
        '<row r="2"><c r="B2" t="s"><v>1</v></c><c r="A2" t="s"><v>0</v></c></row>'
        '<row r="3"><c r="A3"><v>2.021010001E9</v></c>'
        '<c r="C3" t="inlineStr"><is><t>计&amp;1</t></is></c></row>'
        '<row r="5"><c r="A5"><v>7.0</v></c><c t="e"><v>#N/A</v></c><c t="s"><v>99</v></c>'
        '<c t="str"><f>A1</f><v>text</v></c></row>'
    )
    found = read_sheet(make_xlsx(make_sheet(rows), strings))
    assert found == [
        (2, ["学号", "姓名"]),
        (3, ["2021010001", "", "计&1"]),
        (5, ["7", "", "", "text"]),
    ]


def test_entities_and_declarations_are_refused() -> None:
    bombs = [
        '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x SYSTEM "http://192.0.2.1/x.dtd">',
        '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://192.0.2.1/"> %p;]>',
    ]
    for bomb in bombs:
        sheet = f"{HEAD}{bomb}<worksheet><sheetData><row><c><v>1</v></c></row></sheetData>"
        with pytest.raises(LudusError, match="entities"):
            read_sheet(make_xlsx(sheet + "</worksheet>"))
        with pytest.raises(LudusError, match="entities"):
            read_sheet(make_xlsx(make_sheet(""), f"{HEAD}{bomb}<sst/>"))


def test_zip_bombs_and_endless_tables_are_stopped_at_their_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(LudusError, match="MB"):
        read_sheet(make_xlsx(make_sheet(" " * (sheet_reader.MAX_PART_BYTES + 1))))
    with pytest.raises(LudusError, match="columns"):
        read_sheet(make_xlsx(make_sheet('<row><c r="ZZZ1"><v>1</v></c></row>')))
    with pytest.raises(LudusError, match="columns"):
        read_sheet(b"a," * 200)
    monkeypatch.setattr(sheet_reader, "MAX_ROWS", 3)
    for data in (b"a\n" * 4, make_xlsx(make_sheet("<row><c><v>1</v></c></row>" * 4))):
        with pytest.raises(LudusError, match="at most 3"):
            read_sheet(data)


def test_what_is_no_table_is_refused_with_a_sentence() -> None:
    whole = make_xlsx(make_sheet("<row><c><v>1</v></c></row>"))
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("word/document.xml", "<x/>")
    for data in (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"PK\x03\x04nonsense",
        whole[: len(whole) // 2],
        whole.replace(b"PK\x03\x04", b"PK\x03\x05"),
        other.getvalue(),
        make_xlsx("<worksheet><row>"),
        b"\xff\xff\xff",
        b"a\0b",
        b'name\n"unclosed',
    ):
        with pytest.raises(LudusError) as refused:
            read_sheet(data)
        assert refused.value.text["zh"] and refused.value.text["en"]
