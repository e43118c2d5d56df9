"""The notebook of examples/ runs, and its cells show boards, players and tables."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.extras import Later

nbclient, nbformat = Later("nbclient"), Later("nbformat")

FILE = Path(__file__).resolve().parents[2] / "examples" / "ludus.ipynb"


@pytest.fixture(scope="module")
def cells() -> list[Any]:
    """The code cells after they were executed."""
    notebook = nbformat.read(FILE, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown_html(cell: Any) -> str:
    return "".join(output.data.get("text/html", "") for output in cell.outputs if "data" in output)


def test_it_plays_shows_rates_and_analyses_in_ten_cells(cells: list[Any]) -> None:
    assert len(cells) == 10
    assert all(cell.outputs for cell in cells)
    html = list(map(shown_html, cells))
    assert "<iframe" in html[1]
    assert "<svg" in html[2]
    assert "<table" in html[4]
    assert "<svg" in html[6]


def test_it_is_stored_without_outputs() -> None:
    notebook = nbformat.read(FILE, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.get("outputs") for cell in notebook.cells)


def test_records_and_positions_below_the_public_names_are_drawn_too() -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(
                "import ludus\nludus.game('reversi', size=4).start().position"
            ),
            nbformat.v4.new_code_cell(
                "ludus.play('reversi', 'random', 'random', options={'size': 4}).record"
            ),
        ]
    )
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    board, player = map(shown_html, notebook.cells)
    assert "<svg" in board
    assert "<iframe" in player
