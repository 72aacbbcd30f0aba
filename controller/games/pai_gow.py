"""What the pai gow games have in common: the start, the deal to every position, the stub of four, set hands, vigorish.

Every position is dealt, wager or not, the dealer included, from the position that dice, a number or a named seat fixed. After the deal the
stub is proved and the hands without a wager are collected unseen. A game gives its groups, its rules and how two set hands compare.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

from controller.dealing.game import Groups, Judged, SetFlaw
from controller.dealing.round import Round, Seat
from controller.dealing.rules import Rule
from controller.dealing.settings import Setting, Settings
from controller.dealing.steps import Deal, Face, First, Method, Option, Remedy, Stack, Start, Step, Stub, StubCheck, Wagers, Who
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games.pay import vigorish
from controller.hands.semi_wild import LowStraight, RankedHand, compare_ranks, rank_hand
from controller.hands.set_way import Forms

Cite = Callable[[str], Rule]
"""How the sections of 13:69F-31 are cited: as law in Asia Poker, by analogy elsewhere."""
Deals = Mapping[Method, Callable[[Settings], tuple[Step, ...]]]

SEVEN = 7
"""Cards of every position."""
VIGORISH_PERCENT = 5
"""Cents; the vigorish may be rounded to it (13:69F-34.12(i))."""
EVERYONE = (Who.EVERY, Who.DEALER)
PICKED_UP = Remedy("all-hands-void", c.memory("pai gow poker: starting position"), "A wrong starting position: all hands void.")


def joker_deck(settings: Settings) -> DeckSpec:
    """52 cards and one joker."""
    return DeckSpec(decks=1, jokers=1)


def deals(cite: Cite) -> Deals:
    """Seven cards to every position, one by one or as a stack, from the starting position, clockwise; then the stub."""

    def singles(rule: Rule) -> Callable[[Settings], tuple[Step, ...]]:
        return lambda settings: (
            Wagers(rule=cite("31.8(a)")),
            Start(rule=cite("31.8(b)")),
            Deal(to=EVERYONE, facing=(Face.DOWN,) * SEVEN, first=First.START, rule=rule),
            Stub(rule=cite("31.8(d)1")),
        )

    def stacks(settings: Settings) -> tuple[Step, ...]:
        return (
            Wagers(rule=cite("31.10(b)2")),
            Start(rule=cite("31.10(c)")),
            Stack(to=EVERYONE, size=SEVEN, facing=(Face.DOWN,) * SEVEN, first=First.START, rule=cite("31.10(d)")),
            Stub(rule=cite("31.10(e)1")),
        )

    by_hand = c.analogy("23.8(c)", "the text of 13:69F-31.9 was not read; an automated shuffler must have shuffled")
    return {Method.MANUAL_SHOE: singles(cite("31.8(c)")), Method.HAND: singles(by_hand), Method.AUTOMATED_SHOE: stacks}


def cards_needed(settings: Settings, seats: int) -> int:
    """Every position is dealt, whatever is wagered."""
    return SEVEN * (settings.number("seats") + 1)


def stub_every_round(rule: Rule) -> Setting:
    """The stub is proved in every round."""
    return Setting(
        name="stub_count_every", default=1, between=(1, 1), meaning="the stub is proved in every round, before hands without a wager go",
        rule=rule, limit_rule=rule,
    )  # fmt: skip


def stub_of_four(cite: Cite) -> StubCheck:
    """Four cards must be left, whatever is wagered."""
    return StubCheck(
        rule=cite("31.8(d)"),
        wrong_misdealt=Remedy(
            "all-hands-void", cite("31.8(d)2"), "Not four cards left, and a position has more or fewer than seven: all hands void."
        ),
        wrong_deck=Remedy(
            "deck-off-table", c.memory("missing or extra cards"), "Not four cards left, all hands right: all hands void, the deck leaves."
        ),
        method="counted when taken out, or spread face down on the layout",
    )


def low_straight_setting(default: LowStraight, rule: Rule, ranks: str) -> Setting:
    """Where the straight with a low ace stands."""
    return Setting(
        name="low_straight", default=default.value, allowed=tuple(place.value for place in LowStraight),
        meaning=f"{ranks} is the second highest straight, or the lowest", rule=rule,
    )  # fmt: skip


def vigorish_setting(rule: Rule) -> Setting:
    """How the vigorish is rounded."""
    return Setting(
        name="vigorish_rounding", default="up-quarter", allowed=("up-quarter", "quarter", "cent"),
        meaning="up to the next quarter, to the nearest quarter, or to the cent", rule=rule,
    )  # fmt: skip


def vigorish_of(settings: Settings, won: int) -> int:
    """Five percent of the amount won, in cents, rounded as the house set it."""
    return vigorish(won, VIGORISH_PERCENT, settings.text("vigorish_rounding"))


def surrender(main: str, rule: Rule, stays_under: str | None = None) -> Option:
    """Giving up the whole wager until the seat's hands are exposed; the cards are counted face down before they are racked."""
    return Option(
        choose="surrender", meaning="give up the whole wager, until the seat's hands are exposed", status="surrendered", forfeits=(main,),
        stays_under=stays_under, until_exposed=True, rule=rule,
    )  # fmt: skip


def irregularities(method: Method, cite: Cite, void: Mapping[str, Rule]) -> dict[str, Remedy]:
    """The family's irregularity table. `void` has the rules of the rows whose remedy is that all hands are void."""
    wrong_count = Remedy("all-hands-void", cite("31.8(d)2"), "A position with more or fewer than seven cards: all hands void.")
    rows = {
        "card-face-up": Remedy(
            "all-hands-void", void["card-face-up"], "A card face up in the shoe or deck: all hands void; none is spare."
        ),
        "cards-face-up": Remedy("all-hands-void", void["cards-face-up"], "More than one card face up: all hands void, shuffle again."),
        "card-drawn-in-error": c.DRAWN_IN_ERROR,
        "wrong-count-seat": wrong_count,
        "wrong-count-dealer": wrong_count,
        "player-card-exposed": Remedy(
            "player-chooses", c.memory("pai gow poker: card exposed"), "The player, without looking at the rest, plays or voids the hand."
        ),
        "dealer-card-exposed": Remedy(
            "all-hands-void", c.memory("pai gow poker: dealer card exposed"), "A dealer's card seen before all have set: all hands void."
        ),
        "invalid-roll": Remedy("shake-again", c.memory("pai gow poker: dice"), "A die not flat or outside: no roll, shake again."),
        "wrong-start": PICKED_UP,
        "shuffler-malfunction": c.SHUFFLER_FAILED,
        "missing-card": c.DECK_WRONG,
        "duplicate-card": c.DECK_WRONG,
        "foreign-card": c.DECK_WRONG,
        "too-few-cards": Remedy("deck-off-table", c.analogy("31.10(e)", "cannot happen with a right deck"), "Treated as a wrong deck."),
    }
    if method is Method.AUTOMATED_SHOE:
        rows |= {"wrong-stack-size": wrong_count, "device-malfunction": c.SHOE_FAILED}
    return rows


# ---- set hands


def low_straight(settings: Settings) -> LowStraight:
    """Where the house puts the straight with a low ace."""
    return LowStraight(settings.text("low_straight"))


def size_flaw(groups: Groups, forms: Forms, words: str, rule: Rule) -> SetFlaw | None:
    """What is wrong with the numbers of cards in the hands as set."""
    right = all(len(groups.get(name, ())) == size for name, size in forms)
    return None if right else SetFlaw(words=words, rule=rule)


def hands_of(settings: Settings, groups: Groups, forms: Forms) -> dict[str, RankedHand]:
    """The ranked hands of a set with the right numbers of cards."""
    return {name: rank_hand(groups[name], low_straight(settings)) for name, _ in forms}


def out_of_order(hands: Mapping[str, RankedHand], forms: Forms) -> tuple[str, str, int] | None:
    """(higher, lower, comparison) of two hands of which the one that is to be higher is lower, else of two equal ones; None in order."""
    names = [name for name, _ in forms]
    wrong = [(one, other, found) for one, other in itertools.pairwise(names) if (found := compare_ranks(hands[one], hands[other])) <= 0]
    return min(wrong, key=lambda pair: pair[2], default=None)


def player_groups(seat: Seat, forms: Forms) -> Groups:
    """The exposed hands of a seat."""
    return {name: c.kept_cards(seat, name) for name, _ in forms}


def dealer_groups(round_: Round) -> Groups:
    """The dealer's set hands."""
    return {name: c.opened(cards) for name, cards in round_.dealer_groups.items()}


def sides(player: Mapping[str, RankedHand], dealer: Mapping[str, RankedHand]) -> list[bool]:
    """For each hand whether the player's is higher; a copy is the dealer's."""
    return [player[name].value > dealer[name].value for name in player]


def sets_are_equal(forms: Forms) -> Callable[[Settings, Groups, Groups], bool]:
    """Two sets of the same seven cards are the same when each hand of one is a copy of the other's."""

    def are_equal(settings: Settings, one: Groups, other: Groups) -> bool:
        first, second = hands_of(settings, one, forms), hands_of(settings, other, forms)
        return all(first[name].value == second[name].value for name in first)

    return are_equal


def voided(seat: Seat) -> Judged:
    """A hand that its player voided because the dealer had exposed a card of it: all its wagers go back."""
    pays = {name: None if amount is None else 0 for name, amount in seat.wagers.items()}
    rule = c.memory("pai gow poker: card exposed")
    return Judged(key=str(seat.number), results=dict.fromkeys(seat.wagers, "void"), pays=pays, hand="voided by the player", rule=rule)


def words(hands: Mapping[str, RankedHand]) -> str:
    """The hands in words, such as `pair of tens / 7 6 high`."""
    return " / ".join(hand.text for hand in hands.values())
