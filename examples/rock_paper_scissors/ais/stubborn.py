"""Shows paper, whatever happens."""

from ludus.judger.sdk.ai import Judger

judger = Judger()
while judger.line():
    judger.answer("paper")
