"""The check of a bot: play it in situations that it may meet, and say what it does wrong.

``ludus check`` and the server's check of an upload are both this one:

- ``trials`` plays the bouts: one on every seat, then odd options, a short clock, itself as the
  opponent, an opponent that crashes. A ``CheckPlan`` says which of them, and how long at most.
- ``observed_player`` looks at the bot's process meanwhile.
- ``findings`` draws the conclusions, as ``ludus.findings.Finding``.
- ``pooled`` has a check made by a worker of a pool, for callers that have other things to do.

It plays bouts, therefore it belongs to ``match`` and not to ``bots``, which knows no referee.
"""
