"""Sends the server whatever its own OpenAPI description allows, and looks for answers of 500.

python -m bench.arena_fuzz [EXAMPLES] [DATABASE]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.support.fuzz_api import schema_of, try_all
from tests.support.server_process import Server, settle


def main() -> None:
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(Path(scratch), sys.argv[2] if len(sys.argv) > 2 else "", jobs=1)
        server.start()
        try:
            client, _ = settle(server)
            for token in ("", client.token):
                print(dict(sorted(try_all(schema_of(server.url), token, examples).items())))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
