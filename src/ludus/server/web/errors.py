"""The errors of the API with their HTTP statuses."""

from __future__ import annotations

from ludus.errors import LudusError
from ludus.lang import Text


class RequestError(LudusError):
    """A request that was refused."""

    status = 400
    code = "bad_request"


class UnreadableRequest(RequestError):
    """The bytes received are not a valid HTTP request."""

    code = "unreadable_request"

    def __init__(self, en: str, zh: str, *, status: int, code: str = "") -> None:
        super().__init__(en, zh, code=code)
        self.status = status


class NotFound(RequestError):
    """What was asked for does not exist, or may not be seen."""

    status = 404
    code = "not_found"


class NotLoggedIn(RequestError):
    """The request needs a login."""

    status = 401
    code = "not_logged_in"


class Forbidden(RequestError):
    """The request is not allowed for this identity."""

    status = 403
    code = "forbidden"


class Conflict(RequestError):
    """It exists already, or it is too late."""

    status = 409
    code = "conflict"


class PayloadTooLarge(RequestError):
    """Larger than allowed."""

    status = 413
    code = "payload_too_large"


class TooManyRequests(RequestError):
    """A limit was reached; try again after ``wait`` seconds, if they are known."""

    status = 429
    code = "too_many_requests"

    def __init__(
        self, en: str, zh: str, detail: str = "", wait: int = 0, *, code: str = ""
    ) -> None:
        super().__init__(en, zh, detail, code=code)
        self.wait = wait


def retry_later(en: str, zh: str, wait: float) -> TooManyRequests:
    """``retry_later("too many requests", "请求过多", 2.5)``: the reason, the seconds to wait."""
    seconds = int(wait) + 1
    return TooManyRequests(
        f"{en}; try again in {seconds} s", f"{zh}；请在 {seconds} 秒后再试", wait=seconds
    )


def login_required() -> NotLoggedIn:
    return NotLoggedIn("log in first", "请先登录")


def invalid_token() -> NotLoggedIn:
    return NotLoggedIn(
        "this token is wrong, has expired or was withdrawn; make a new one on the page (/me)",
        "该令牌有误、已过期或已撤销；请在网页（/me）上创建新的令牌",
        code="invalid_token",
    )


def permission_denied() -> Forbidden:
    return Forbidden("that is not yours to do", "你没有权限进行此操作")


def not_found(en: str, zh: str) -> NotFound:
    """``not_found("bot", "AI")``"""
    gap = " " if zh.isascii() else ""
    return NotFound(f"there is no such {en}", f"没有这个{gap}{zh}")


TRUNCATED_JSON_MESSAGE = "Input data was truncated"
"""msgspec's message for JSON that ends too early, and for half a surrogate pair."""


def describe_decode_error(error: Exception | str) -> Text:
    """What is wrong with the JSON of a request."""
    if isinstance(error, UnicodeError):
        return Text("it is not text in UTF-8", "不是 UTF-8 文本")
    if isinstance(error, RecursionError):
        return Text("it is too deeply nested", "嵌套过深")
    if TRUNCATED_JSON_MESSAGE in str(error):
        return Text(
            r"its JSON ends too early, or holds half of a surrogate pair (\ud800 to \udfff)",
            r"其 JSON 不完整，或含有单独的代理字符（\ud800 至 \udfff）",
        )
    return Text(str(error), str(error))
