"""Wrong passwords: whoever guesses waits longer and longer, and never the account's owner."""

import contextlib
import http.client
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from ludus.server.accounts import credentials
from ludus.server.accounts.login_backoff import LoginAttempt, LoginBackoff
from ludus.server.web.errors import Forbidden, TooManyRequests
from tests.support.accounts import PASSWORD, Person, register
from tests.support.site import Answer, Site

HOUR = 3600.0


@dataclass
class LoginSimulation:
    """The counts of a site, whose time a test sets."""

    now: float = 0.0
    logins: LoginBackoff = field(init=False)

    def __post_init__(self) -> None:
        self.logins = LoginBackoff(lambda: self.now)

    def wrong(self, *attempts: LoginAttempt) -> None:
        """Somebody is wrong, unless they must wait."""
        for attempt in attempts:
            with (
                contextlib.suppress(TooManyRequests, Forbidden),
                self.logins.limit_attempt(attempt),
            ):
                raise Forbidden("wrong", "错误")

    def waits(self, attempt: LoginAttempt) -> int:
        """How long somebody must wait; nothing changes by it."""
        try:
            with self.logins.limit_attempt(attempt):
                raise LookupError
        except TooManyRequests as wait:
            return wait.wait
        except LookupError:
            return 0

    def right(self, attempt: LoginAttempt) -> None:
        with self.logins.limit_attempt(attempt):
            pass

    def guesses(self, attempts: list[LoginAttempt], hours: float) -> int:
        """How many wrong passwords can be tried by people who take turns and wait if they must."""
        made, until = 0, self.now + hours * HOUR
        for attempt in itertools.cycle(attempts):
            if self.now >= until:
                break
            try:
                with self.logins.limit_attempt(attempt):
                    raise Forbidden("wrong", "错误")
            except TooManyRequests as wait:
                self.now += wait.wait
            except Forbidden:
                made += 1
        return made


@pytest.fixture
def simulation() -> LoginSimulation:
    return LoginSimulation()


def test_the_waits_of_one_who_guesses_grow(simulation: LoginSimulation) -> None:
    mallory = LoginAttempt("sam", "10.0.0.1")
    waits = []
    for _ in range(16):
        simulation.wrong(mallory)
        waits.append(simulation.waits(mallory))
        simulation.now += waits[-1]
    assert waits[:5] == [0] * 5
    assert waits[5:] == sorted(waits[5:]) and 250 < waits[-1] <= 301


def test_guessing_is_hopeless_from_one_address_and_from_a_thousand(
    simulation: LoginSimulation,
) -> None:
    """The figures that the docs state."""
    assert simulation.guesses([LoginAttempt("sam", "10.0.0.1")], 1) <= 25
    assert simulation.guesses([LoginAttempt("sam", "10.0.0.1")], 10) <= 120
    many = [LoginAttempt("kim", f"10.0.{n >> 8}.{n & 255}") for n in range(1000)]
    assert simulation.guesses(many, 1) <= 66
    assert simulation.guesses(many, 10) <= 301


def test_one_address_cannot_try_a_password_on_everybody(simulation: LoginSimulation) -> None:
    assert (
        simulation.guesses([LoginAttempt(f"student-{n}", "10.0.0.1") for n in range(5000)], 1)
        <= 370
    )


def test_many_tries_at_once_gain_nothing(simulation: LoginSimulation) -> None:
    """Each counts before its password is looked at."""
    begun = []
    with pytest.raises(TooManyRequests):
        for _ in range(100):
            trying = simulation.logins.limit_attempt(LoginAttempt("sam", "10.0.0.1"))
            trying.__enter__()
            begun.append(trying)
    assert len(begun) == 6


def test_whoever_has_logged_in_before_never_waits_for_strangers(
    simulation: LoginSimulation,
) -> None:
    strangers = [LoginAttempt("sam", f"10.0.0.{n}") for n in range(200)]
    simulation.guesses(strangers, 1)
    simulation.wrong(*strangers)
    new_place = LoginAttempt("sam", "192.0.2.7")
    assert simulation.waits(new_place) > 0
    assert simulation.waits(LoginAttempt("sam", "192.0.2.7", known_address=True)) == 0
    assert simulation.waits(LoginAttempt("sam", "10.0.0.3", device="laptop")) == 0


def test_the_organiser_is_let_in_from_a_new_place_too(simulation: LoginSimulation) -> None:
    strangers = [LoginAttempt("olga", f"10.0.0.{n}", organiser=True) for n in range(200)]
    simulation.guesses(strangers, 0.1)
    assert simulation.waits(LoginAttempt("olga", "192.0.2.7", organiser=True)) == 0


def test_a_class_behind_one_address_mistypes_and_gets_in(simulation: LoginSimulation) -> None:
    for _ in range(3):
        simulation.wrong(*(LoginAttempt(f"student-{n}", "10.0.0.1") for n in range(60)))
    waits = [simulation.waits(LoginAttempt(f"student-{n}", "10.0.0.1")) for n in range(60)]
    assert waits == [0] * 60 and simulation.now == 0


def test_mistakes_are_made_up_for_by_time_and_by_the_password(simulation: LoginSimulation) -> None:
    sam = LoginAttempt("sam", "10.0.0.1")
    simulation.wrong(*[sam] * 5)
    simulation.right(sam)
    simulation.wrong(*[sam] * 5)
    assert simulation.waits(sam) == 0, "the password made up for the first five"
    simulation.now += 10 * HOUR
    simulation.wrong(*[sam] * 5)
    assert simulation.waits(sam) == 0


def log_in(site: Site, address: str, name: str, password: str) -> int:
    """The status of the answer to somebody at an address of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, source_address=(address, 0))
    with contextlib.closing(connection):
        asked = json.dumps({"name": name, "password": password})
        connection.request("POST", "/api/login", asked, {"Content-Type": "application/json"})
        return connection.getresponse().status


def test_guesses_from_one_address_keep_the_organiser_out_of_no_other(site: Site) -> None:
    register(site, "Olga")
    guessed = [log_in(site, "127.9.9.1", "Olga", f"guess {n}") for n in range(14)]
    assert guessed[0] == 403 and guessed[-1] == 429
    assert log_in(site, "127.9.9.2", "Olga", PASSWORD) == 200


class TestAtTheServer:
    """The same over HTTP."""

    @pytest.fixture
    def simulation(self, shared: Site) -> Iterator[LoginSimulation]:
        simulation = LoginSimulation()
        shared.state.site.login_backoff = simulation.logins
        if shared.get("/api/me")["first"]:
            register(shared, "Olga")
        yield simulation

    def log_in(self, site: Site, name: str, password: str, cookie: str = "") -> Answer:
        headers = {"Cookie": cookie} if cookie else {}
        return site.ask("/api/login", {"name": name, "password": password}, headers=headers)

    def test_the_refusal_says_when_to_try_again(
        self, shared: Site, simulation: LoginSimulation
    ) -> None:
        register(shared, "Sam")
        seen = [self.log_in(shared, "Sam", f"guess {n}") for n in range(8)]
        assert [answer.status for answer in seen] == [403] * 6 + [429] * 2
        seconds = int(seen[-1].headers["retry-after"])
        assert 1 <= seconds <= 3
        told = seen[-1].json["error"]
        assert f"{seconds} s" in told["en"] and f"{seconds} 秒" in told["zh"]
        simulation.now += seconds
        assert self.log_in(shared, "Sam", PASSWORD).status == 200

    def test_a_browser_that_was_here_before_gets_in_at_once(
        self, shared: Site, simulation: LoginSimulation
    ) -> None:
        """Even from the address from which somebody guesses all the time."""
        kim = Person(shared, "Kim")
        answer = kim.ask("/api/register", {"name": "Kim", "password": PASSWORD})
        cookies = answer.headers["set-cookie"]
        device = cookies[cookies.index("ludus_device_") :].partition(";")[0]
        for n in range(10):
            self.log_in(shared, "Kim", f"guess {n}")
        assert self.log_in(shared, "Kim", PASSWORD).status == 429
        other = device.replace(device[-5:], "00000")
        assert self.log_in(shared, "Kim", PASSWORD, other).status == 429
        assert self.log_in(shared, "KIM", PASSWORD, device).status == 200

    def test_the_cookie_of_another_account_opens_nothing(
        self, shared: Site, simulation: LoginSimulation
    ) -> None:
        answer = shared.ask("/api/register", {"name": "Mallory", "password": PASSWORD})
        cookies = answer.headers["set-cookie"]
        device = cookies[cookies.index("ludus_device_") :].partition(";")[0]
        id = register(shared, "Lee").user["id"]
        for n in range(8):
            self.log_in(shared, "Lee", f"guess {n}")
        stolen = f"ludus_device_{id}={device.partition('=')[2]}"
        assert self.log_in(shared, "Lee", PASSWORD, stolen).status == 429

    def test_the_same_work_is_done_whoever_does_not_get_in(
        self, shared: Site, simulation: LoginSimulation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Counted, not timed: no such name, no password yet, a wrong one."""
        from argon2 import PasswordHasher, extract_parameters

        olga = Person(shared)
        olga.post("/api/login", {"name": "Olga", "password": PASSWORD})
        group = olga.post("/api/groups", {"name": "Class"})["id"]
        olga.send(f"/api/groups/{group}/roster", {"class.csv": b"name\nNovice\n"})
        seen: list[tuple[int, int]] = []
        verify = PasswordHasher.verify

        def counted(self: PasswordHasher, hash: str, password: str) -> bool:
            cost = extract_parameters(hash)
            seen.append((cost.time_cost, cost.memory_cost))
            return verify(self, hash, password)

        monkeypatch.setattr(PasswordHasher, "verify", counted)
        for name in ("Nobody", "Novice", "Olga"):
            seen.clear()
            answer = self.log_in(shared, name, "a wrong password")
            assert answer.status == 403 and seen == [credentials.ARGON2_COST], name


@pytest.mark.parametrize("pause", [0.0, 0.3, 5.0])
def test_the_first_wait_comes_when_the_docs_say_however_slowly_one_tries(
    simulation: LoginSimulation, pause: float
) -> None:
    mallory, tries = LoginAttempt("sam", "10.0.0.1"), 0
    while not simulation.waits(mallory):
        simulation.wrong(mallory)
        tries += 1
        if not simulation.waits(mallory):
            simulation.now += pause
    assert tries == 6
