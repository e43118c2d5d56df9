"""Answers that belong to no subject: a change that was made, an error."""

from __future__ import annotations

from typing import Literal

import msgspec
from litestar.openapi import ResponseSpec

from ludus.server.error_schema import ErrorDetail


class Done(msgspec.Struct):
    """What was asked for has been done."""

    ok: Literal[True] = True


class ErrorResponse(msgspec.Struct):
    """Why a request was refused."""

    error: ErrorDetail


def response_spec(data: type, description: str) -> ResponseSpec:
    """A response for the API's description, where a handler's annotation cannot tell it."""
    return ResponseSpec(data, description=description, generate_examples=False)
