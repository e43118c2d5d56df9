"""The original Saiblo judger's own command line: ``python -m ludus.originals.saiblo.judger``."""
