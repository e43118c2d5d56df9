"""Shows paper, whatever happens."""

from ludus.compat.saiblo.sdk.ai import Judger

judger = Judger()
while judger.line():
    judger.answer("paper")
