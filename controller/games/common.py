"""Settings, rules and arithmetic that several games share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from controller.dealing.round import Round, Seat
from controller.dealing.rules import Rule, Standing, analogy, house, inferred, law, law_69e, memory, parallel
from controller.dealing.settings import Plain, Setting, Settings
from controller.dealing.sizes import Size
from controller.dealing.steps import Method, Remedy, StubCheck
from controller.games.pay import Odds
from controller.hands.errors import HandError
from firmware_bridge.cards import Card, Sealed, unseal_all

UNIFORM = "the uniform pattern of sister games; the text of this game's section was not read"

ONE_FACE_UP = Remedy(
    "discard-and-continue",
    analogy("27.12(a)", UNIFORM),
    "One card face up in the shoe or deck is not used: to the rack, then the next card.",
)
MORE_FACE_UP = Remedy("all-hands-void", analogy("27.12(a)", UNIFORM), "More than one card face up: all hands void, shuffle again.")
DRAWN_IN_ERROR = Remedy("use-as-next", memory("card drawn in error"), "A card drawn in error and not exposed is used as the next card.")
WRONG_COUNT = Remedy("all-hands-void", analogy("31.8(d)2", UNIFORM), "A wrong number of cards at any place: all hands void.")
SHUFFLER_FAILED = Remedy(
    "reshuffle",
    memory("shuffler malfunction"),
    "The shuffler jams or does not finish: shuffle again; no hand is affected.",
)
SHOE_FAILED = Remedy(
    "round-void",
    memory("dealing shoe malfunction"),
    "The shoe jams or fails in a round: the round is void, shuffle again.",
)
DECK_WRONG = Remedy(
    "deck-off-table",
    memory("missing or extra cards"),
    "Missing or extra cards: all hands void, the whole deck leaves the table.",
)
TOO_FEW = Remedy("deck-off-table", analogy("35.9(e)", "cannot happen with a right deck"), "Too few cards: treated as a wrong deck.")

NO_MORE_BETS = analogy("35.9(b)", "announced before the first card or stack")
COUNT_METHOD = parallel("PA 663a.9(d)", "counted face down on the layout, faces never shown")


def stub_check(rule: Rule) -> StubCheck:
    """The count of a single deck's stub: expected is the deck less every card that left it."""
    return StubCheck(rule=rule, wrong_misdealt=WRONG_COUNT, wrong_deck=DECK_WRONG)


def seats_setting(default: int, low: int, high: int, rule: Rule) -> Setting:
    """How many betting positions the table has; a limit that was read in the law is named when it is broken."""
    limit = rule if rule.standing is Standing.LAW else None
    return Setting(name="seats", default=default, between=(low, high), meaning="betting positions", rule=rule, limit_rule=limit)


def stub_every(rule: Rule) -> Setting:
    """At least how often the stub is counted."""
    return Setting(
        name="stub_count_every", default=5, between=(1, 5), meaning="the stub is counted at least once in this many rounds", rule=rule,
        limit_rule=rule,
    )  # fmt: skip


TWO_DECKS = Setting(
    name="two_decks", default=False, allowed=(False, True),
    meaning="a second deck of another back colour is shuffled while one is dealt; they alternate every round",
    rule=analogy("23.2(b)", "only with an automated shuffler"),
)  # fmt: skip

TWO_DECKS_LAW = Setting(
    name="two_decks",
    default=False,
    allowed=(False, True),
    meaning=TWO_DECKS.meaning,
    rule=law("23.2(b)", "only with an automated shuffler"),
)

SHOE_START_BURN = Setting(
    name="shoe_start_burn", default=True, allowed=(True, False), meaning="one card is burned after the first 'no more bets' of a shoe",
    rule=house("shoe_start_burn", "multi-deck practice; no text for this game"),
)  # fmt: skip


def methods_setting(default: tuple[Method, ...], rule: Rule) -> Setting:
    """The dealing methods that the house may use, where the law's sections on them were not reachable."""
    return Setting(
        name="methods_permitted", default=[method.value for method in default], check=_check_methods,
        meaning="dealing methods that the casino's submission allows", rule=rule,
    )  # fmt: skip


def permitted_by_setting(rule: Rule) -> Callable[[Settings], Mapping[Method, Rule | None]]:
    """Every method that `methods_permitted` does not name needs the house's decision first."""

    def permitted(settings: Settings) -> Mapping[Method, Rule | None]:
        allowed = {str(name) for name in settings.items("methods_permitted")}
        return {method: None if method.value in allowed else rule for method in Method}

    return permitted


def _check_methods(value: Plain) -> str:
    known = [method.value for method in Method]
    if not isinstance(value, list) or not value or any(name not in known for name in value):
        return f"it is a list of dealing methods: {', '.join(known)}"
    return ""


def list_of_preferences(parse: Callable[[Sequence[Mapping[str, object]]], object]) -> Callable[[Plain], str]:
    """A check of a house way: why the list cannot be used, or an empty text. None leaves the setting at its default."""

    def check(value: Plain) -> str:
        if value is None:
            return ""
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            return "it is a list of preferences, each of them a table"
        try:
            parse([row for row in value if isinstance(row, dict)])
        except HandError as error:
            return str(error)
        return ""

    return check


def times(wager: str, multiple: int, rule: Rule | None = None) -> Size | None:
    """Exactly so many times another wager; None (any amount) for 0. `rule`: what the multiple rests on, if not on what the wager does."""
    return Size(of=(wager,), percent=(100 * multiple,), rule=rule) if multiple else None


def singly(hand: Rule | None = None, stacks: Rule | None = None) -> dict[Method, Rule]:
    """The methods that a game of single cards does not have: stacks, and the hand where a rule is given for that."""
    absent = {Method.AUTOMATED_SHOE: stacks or memory("stacks", "its cards leave the shoe one at a time, on demand")}
    return absent | ({Method.HAND: hand} if hand is not None else {})


def fresh_shoe(round_: Round) -> bool:
    """True before the first card of a shoe."""
    return round_.fresh_shoe


def kept_cards(seat: Seat, name: str = "keep") -> tuple[Card, ...]:
    """The cards of a set or exposed group, empty when not known."""
    return opened(seat.groups.get(name, ()))


def opened(group: tuple[Sealed, ...]) -> tuple[Card, ...]:
    """The cards of a group that lies open for the comparison."""
    return unseal_all(group, "comparing hands")


def net(amount: int | None, odds: Odds = 1) -> int | None:
    """What a winning wager brings, in whole cents, rounded down; None without an amount."""
    return None if amount is None else amount * odds // 1


def lost(amount: int | None) -> int | None:
    """What a losing wager costs, in cents (negative)."""
    return None if amount is None else -amount


__all__ = [
    "COUNT_METHOD", "DECK_WRONG", "DRAWN_IN_ERROR", "MORE_FACE_UP", "NO_MORE_BETS", "ONE_FACE_UP", "SHOE_FAILED", "SHOE_START_BURN",
    "SHUFFLER_FAILED", "TOO_FEW", "TWO_DECKS", "TWO_DECKS_LAW", "UNIFORM", "WRONG_COUNT", "analogy", "fresh_shoe", "house", "inferred",
    "kept_cards", "law", "law_69e", "list_of_preferences", "lost", "memory", "methods_setting", "net",
    "opened", "parallel", "permitted_by_setting", "seats_setting", "singly", "stub_check", "stub_every", "times",
]  # fmt: skip
