"""Makes a class with its assignments on a Ludus server, from a file.

    LUDUS_TOKEN=… python new_course.py https://arena.example.org course.toml

The token is a teacher's, made on the page /me with the scope admin. The standard library is enough.
在 Ludus 服务器上按文件建立班级和作业。令牌由教师在 /me 页面生成，权限为 admin；只需标准库。
"""

import json
import os
import sys
import tomllib
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path


def post(path, body):
    """Send an object to the server and return its answer."""
    request = urllib.request.Request(
        f"{sys.argv[1].rstrip('/')}/api{path}",
        json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {os.environ['LUDUS_TOKEN']}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"{path}: {json.load(error)['error']['en']}")


def main():
    course = tomllib.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    group = post("/groups", {"name": course["name"]})
    print(f"class {group['id']}: students join with the code {group['code']}")
    for each in course["assignments"]:
        deadline = datetime.now(UTC) + timedelta(days=each["days"])
        assignment = {
            "title": each["title"],
            "deadline": deadline.isoformat(timespec="seconds"),
            "settings": each["settings"],
        }
        made = post(f"/groups/{group['id']}/assignments", assignment)
        print(f"assignment {made['id']}: {each['title']}")


if __name__ == "__main__":
    main()
