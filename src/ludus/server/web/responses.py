"""General responses: success and errors."""

from __future__ import annotations

from typing import Literal

import msgspec
from litestar.openapi import ResponseSpec

from ludus.server.error_schema import ErrorDetail


class Done(msgspec.Struct):
    """The request was carried out."""

    ok: Literal[True] = True


class ErrorResponse(msgspec.Struct):
    """Why a request was refused."""

    error: ErrorDetail


def response_spec(data: type, description: str) -> ResponseSpec:
    """A response for the API's documentation, where a handler's annotation cannot express it."""
    return ResponseSpec(data, description=description, generate_examples=False)
