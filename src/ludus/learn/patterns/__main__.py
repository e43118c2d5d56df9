"""``python -m ludus.learn.patterns``: see ``run.py``."""

from ludus.learn.patterns.run import main

main()
