"""Whether the rules run compiled here, or as plain Python, which is much slower."""

from ludus.games.tablut import rules

COMPILED = not str(rules.__file__).endswith(".py")
