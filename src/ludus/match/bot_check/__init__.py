"""The check of a bot: plays it in various situations and reports what it does wrong.

``ludus check`` and the server's check of an upload are both this one:

- ``trials`` plays the bouts: one on every seat, then odd options, a short clock, itself as the
  opponent, an opponent that crashes. A ``CheckPlan`` says which of them, and how long at most.
- ``observed_player`` looks at the bot's process meanwhile.
- ``findings`` draws the conclusions, as ``ludus.findings.Finding``.
- ``pooled`` runs a check on a worker of a pool, for callers that must not block.

It plays bouts and needs the referee, so it is part of ``match`` and not of ``bots``.
"""
