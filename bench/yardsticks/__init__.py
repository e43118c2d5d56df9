"""How strong a player is against programs that we did not write, with the CPU time of both.

``python -m bench.yardsticks --help`` says how it is run; docs/en/yardsticks.md what it found.
"""
