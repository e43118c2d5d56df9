"""Names that look like others', or like an official title."""

import pytest

from ludus.errors import LudusError
from ludus.server.accounts import credentials, name_rules


@pytest.mark.parametrize(
    "name", ["oIga", "o1ga", "0lga", "olga.", "olga_", "ol-ga", "-olga", "olqa", "o l g a", "OLGA"]
)
def test_names_that_are_read_as_one_are_one(name: str) -> None:
    assert name_rules.skeleton(name) == name_rules.skeleton("olga")


def test_other_names_stay_apart() -> None:
    groups = [
        "Ella Elia",
        "tim tom",
        "1-12 11-2 112",
        "s1.2 s12",
        "小明 小 明明",
        "Ivan lvan2 evan",
    ]
    for group in groups:
        words = group.split(" ")
        assert len({name_rules.skeleton(word) for word in words}) == len(words), group
    assert name_rules.skeleton("mary") == name_rules.skeleton("rnary")


@pytest.mark.parametrize(
    "text",
    [
        "Organiser",
        "olga (organiser)",
        "ORGANIZER",
        "teacher-2",
        "0rganiser",
        "Admin",
        "管理员小明",
        "王老师",
    ],
)
def test_a_name_that_claims_a_staff_role_is_recognised(text: str) -> None:
    assert name_rules.claims_staff_role(text)


@pytest.mark.parametrize("text", ["olga", "Reorganiser", "小明", "教", ""])
def test_other_names_claim_no_staff_role(text: str) -> None:
    assert not name_rules.claims_staff_role(text)
    assert name_rules.strip_staff_words(text) == text


@pytest.mark.parametrize(
    "password",
    [
        "12345678",
        "password",
        "Password1!",
        "87654321",
        "qwertyuiop",
        "abcdefgh",
        "abcd1234",
        "1q2w3e4r",
        "123123123",
        "iloveyou",
        "letmein123",
        "11112222",
        "asdfghjkl",
        "abcabcabc",
        "woaini1314",
        "tim-12345",
        "tim-12345123",
        "admin123",
    ],
)
def test_passwords_that_everybody_tries_are_refused(password: str) -> None:
    with pytest.raises(LudusError) as refused:
        credentials.check_password(password, "tim-12345")
    assert "guess" in refused.value.text["en"] and "猜" in refused.value.text["zh"]


@pytest.mark.parametrize(
    "password",
    [
        "a long password",
        "ben's own password",
        "rK7#pq2m",
        "horse battery",
        "19.Juni-1987",
        "密码很长的一句话",
    ],
)
def test_other_passwords_are_not(password: str) -> None:
    credentials.check_password(password, "tim-12345")
