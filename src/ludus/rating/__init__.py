"""How strong is a bot, and how sure is that? Every Elo, interval and likelihood of Ludus.

``copies`` drops bouts that repeat others, and ``scores`` counts the rest in mirrored pairs;
``intervals`` is the one method by which a score gets an interval; ``elo`` turns both into the gap
between two bots. ``bradley_terry`` and ``plackett_luce`` put many entrants on one scale
(``ratings``), ``paired_ratings`` does it with mirrored pairs, ``incremental`` bout by bout.
``sprt`` decides whether a version is better than another.
"""
