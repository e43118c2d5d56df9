"""The pages of the reference, which are generated from the code."""

from __future__ import annotations

from collections.abc import Callable

from tools.docs_site.reference_cli import format_cli_page
from tools.docs_site.reference_python import format_games_page, format_python_page
from tools.docs_site.reference_rest import format_rest_page
from tools.docs_site.reference_training import format_training_page

GENERATED_PAGES: dict[str, Callable[[str], str]] = {
    "reference-cli": format_cli_page,
    "reference-python": format_python_page,
    "reference-games": format_games_page,
    "reference-rest": format_rest_page,
    "reference-training": format_training_page,
}
"""What writes each page, given a language."""
