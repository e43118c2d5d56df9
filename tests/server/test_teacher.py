"""The README's path of a teacher: a server for the network, accounts, a contest, a report."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.accounts import Person, good_bot, log_in, register
from tests.support.serving import started
from tests.support.site import Site, wait_for


def test_a_teacher_serves_a_class_and_gets_a_report(home: Path) -> None:
    with started(home, "--host", "0.0.0.0", "--port", "0", "--no-demo") as (process, url):
        assert re.search(r"Others open http://\d+\.\d+\.\d+\.\d+:\d+", process.stdout.readline())
        assert "the first" in process.stdout.readline()
        code = re.search(r"http://\S+/welcome#code=(\S+)", process.stdout.readline())
        assert code
        site = Site(urlsplit(url).port or 0, None, home)  # type: ignore[arg-type]
        teacher = register(site, "Teacher", code=code[1])
        group = teacher.post("/api/groups", {"name": "Class 1"})
        roster = f"/api/groups/{group['id']}/roster"
        listed = teacher.send(roster, {"class.csv": b"name\nann\nben\n"}).json["created"]
        contest = teacher.post(
            "/api/contests",
            {"title": "Friday", "game": "reversi", "options": {"size": 4}, "group": group["id"]},
        )
        path = f"/api/contests/{contest['id']}"
        for each in listed:
            new = "a password of mine"
            Person(site).post("/api/reset", {"code": each["code"], "new": new})
            student = log_in(site, each["name"], new)
            bot = good_bot(student, name=f"bot of {each['name']}")
            student.post(f"{path}/enter", {"bot": bot["id"]})
        teacher.post(f"{path}/start")
        wait_for(lambda: teacher.get(path)["state"] == "over", 60)
        report = teacher.ask(f"{path}/report.html?lang=zh").body.decode()
        assert "bot of ann" in report and "bot of ben" in report
