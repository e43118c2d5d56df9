"""A text in both languages, as the API's description knows it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from ludus import lang

TEXT_SCHEMA: dict[str, Any] = {
    "properties": {"en": {"type": "string"}, "zh": {"type": "string"}},
    "required": ["en", "zh"],
}
Text = Annotated[lang.Text, msgspec.Meta(title="Text", extra_json_schema=TEXT_SCHEMA)]
"""The same as ``ludus.lang.Text``; schemas say that it has both languages."""
