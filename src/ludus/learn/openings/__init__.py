"""Makes suites of balanced openings for games with a fixed start position.

``judges`` are programs that evaluate positions and play bouts out; ``tasks`` runs them on many
openings and remembers results; ``selection`` chooses the openings that favour no seat; ``suite``
puts the parts together. ``tools/make_openings.py`` is the command.
"""
