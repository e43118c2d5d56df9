"""Rock, paper, scissors: both players show a hand at once, best of eleven."""

from ludus.compat.saiblo.sdk.logic import ILLEGAL, Answer, Table, run

BEATS = {"rock": "scissors", "scissors": "paper", "paper": "rock"}
ROUNDS = 11


def hand_of(table: Table, answer: Answer) -> str:
    """What a player shows; nothing, which loses, if it is no hand."""
    hand = answer.text.strip()
    if hand in BEATS:
        return hand
    table.blame(answer.seat, answer.trouble or ILLEGAL)
    return ""


def beats(mine: str, other: str) -> bool:
    return mine != "" and other in ("", BEATS[mine])


def play(table: Table) -> list[float]:
    table.limit(seconds=60 if table.people else 1)
    wins, shown = [0, 0], []
    news = {0: "begin", 1: "begin"}  # what each player hears: the hand that the other showed
    for _ in range(ROUNDS):
        answers = table.ask({seat: f"{text}\n" for seat, text in news.items()})
        first, second = (hand_of(table, answers[seat]) for seat in (0, 1))
        wins[0] += beats(first, second)
        wins[1] += beats(second, first)
        news = {0: second or "nothing", 1: first or "nothing"}
        shown.append([first, second])
        table.watch(f"{first or '–'} : {second or '–'}  ({wins[0]} : {wins[1]})")
    table.save({"hands": shown, "wins": wins})
    return [float(count) for count in wins]


run(play)
