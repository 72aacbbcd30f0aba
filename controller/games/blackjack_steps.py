"""The steps and options of the blackjack family: insurance, the players' turns, the dealer's hand, settlement, and shared settings.

What differs between the games is in their `Terms` (`controller.games.blackjack_family`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from controller.dealing.round import Round
from controller.dealing.rules import Rule
from controller.dealing.settings import Setting, Settings
from controller.dealing.sizes import Size
from controller.dealing.steps import (
    Burn,
    Collect,
    Condition,
    Decide,
    Draw,
    ExposeCards,
    Option,
    Order,
    Remedy,
    Settle,
    Step,
    Who,
)
from controller.dealing.turn_steps import HandCard, PlayHands, TurnOption
from controller.games import blackjack_family as family
from controller.games import common as c
from controller.games.blackjack_family import Terms
from controller.games.pay import Odds, parse_odds
from controller.hands import points
from firmware_bridge.cards import Card

SD: Final = "S.D. 20:18:15:28"
MOST_DECKS: Final = 8
ONE_CARD_EACH: Final = "A split ace gets one card: this hand may only stand, or be split again."
CARDS_A_HAND: Final = 5
"""Set aside for each hand when a round begins. A hand takes 2.7 cards on the average; a round may take more."""


INSURED: Final = c.memory("insurance", "at most half of the wagers")
BURN: Final = c.parallel("PA 685a.7(c)", "the first card of a new shoe, and one card by a dealer who comes to the table")


def opening_burn(settings: Settings) -> tuple[Step, ...]:
    """One card, unseen, from a new shoe, and by a dealer who comes to the table; one for both."""
    of_the_shoe, of_the_dealer = settings.flag("shoe_start_burn"), settings.flag("new_dealer_burn")
    if not (of_the_shoe or of_the_dealer):
        return ()
    return (Burn(when=partial(_is_burned, of_the_shoe, of_the_dealer), rule=BURN),)


def _is_burned(of_the_shoe: bool, of_the_dealer: bool, round_: Round) -> bool:
    return (of_the_shoe and round_.fresh_shoe) or (of_the_dealer and round_.new_dealer)


def new_dealer_setting() -> Setting:
    """Whether a relieving dealer burns a card."""
    return yes_or_no("new_dealer_burn", "a dealer who comes to the table burns one card before dealing", BURN, default=True)


def insurance(terms: Terms, *, of: tuple[str, ...]) -> Decide:
    """Offered to every seat while the dealer shows an ace."""
    size = Size(of=of, between=(0, 50), usual=50, rule=INSURED)
    take = Option(
        choose="insurance", places="insurance", size=size, rule=terms.rules.insurance,
        meaning="a wager that the hole card is of ten",
    )  # fmt: skip
    decline = Option(choose="none", also=("decline",), meaning="no insurance", rule=terms.rules.insurance)
    return Decide(options=(take, decline), unsaid="none", order=Order.ANY, when=family.shows_ace, rule=terms.rules.insurance)


def another_wager(
    name: str, of: tuple[str, ...], rule: Rule, meaning: str, *, most: Rule | None = None, order: Order = Order.ANY
) -> Decide:
    """A wager that each seat may add while the first cards come, at most those that it is measured by; `most`: what that rests on."""
    size = Size(of=of, between=(0, 100), usual=100, rule=most)
    add = Option(choose=name, places=name, size=size, rule=rule, meaning=meaning)
    decline = Option(choose="none", also=("decline",), meaning="nothing is added", rule=rule)
    return Decide(options=(add, decline), unsaid="none", order=order, rule=rule)


def play(terms: Terms, settings: Settings) -> tuple[Step, ...]:
    """From the players' turns to the end of the round."""
    rules = terms.rules
    reader = settings.text("hole_card_reader")
    looks: Condition = _never if reader == "none" else family.calls_for_a_look
    turns = PlayHands(
        stakes=terms.stakes, options=_options(terms), closes=partial(family.closes, terms), rule=rules.hit,
        accept=TurnOption(
            choose="accept-card", meaning="take the card that was drawn in error and seen", rule=c.parallel(SD)
        ),
        refuse=TurnOption(
            choose="refuse-card", meaning="leave it to the next; this hand gets no more cards", status="refused", rule=c.parallel(SD)
        ),
        looks=looks, looks_rule=rules.look, must_look=reader == "required",
    )  # fmt: skip
    stands = "stands on 18 and on hard 17" if terms.hits_soft_17 else "stands on every 17"
    return (
        turns,
        HandCard(rule=rules.hit),
        ExposeCards(what=Who.DEALER, when=partial(family.hole_is_turned, terms), rule=rules.dealer),
        Draw(
            next_place=partial(family.dealer_next, terms), when=partial(_dealer_draws, terms), rule=rules.dealer,
            words=f"The dealer draws to 16 and {stands}, where a live wager depends on it.",
        ),
        Settle(face_up=True, rule=rules.settle),
        Collect(rule=rules.collect),
    )  # fmt: skip


def _never(round_: Round) -> bool:
    return False


def _dealer_draws(terms: Terms, round_: Round) -> bool:
    return family.dealer_next(terms, round_) is not None


# ---- what a player may choose


def _options(terms: Terms) -> tuple[TurnOption, ...]:
    rules = terms.rules
    hit = TurnOption(
        choose="hit", also=("draw",), meaning="one more card, face up", draws=True, needs=partial(_may_hit, terms), rule=rules.hit
    )
    stand = TurnOption(
        choose="stand",
        also=("stay",),
        meaning="no more cards",
        status="stood",
        redeems=terms.rescue or terms.surrender == "any",
        rule=rules.stand,
    )
    double = TurnOption(
        choose="double", meaning="a further wager and exactly one more card", doubles=True, places="double",
        size=_double_size(terms), needs=partial(_may_double, terms), rule=rules.double,
    )  # fmt: skip
    split = TurnOption(
        choose="split", meaning="two hands of two cards of one value, with an equal wager on the second", splits=True,
        needs=partial(_may_split, terms), rule=rules.split,
    )  # fmt: skip
    options = [hit, stand, double, split]
    if terms.surrender != "off":
        options.append(_surrender(terms))
    if terms.rescue:
        options.append(
            TurnOption(
                choose="rescue", also=("take-back", "surrender"), status="rescued", redeems=True, clears=_always, rule=rules.rescue,
                needs=_not_in_turn, meaning="after a double: the doubled part goes back, the first wager is lost",
            )
        )  # fmt: skip
    return tuple(options)


def _surrender(terms: Terms) -> TurnOption:
    first = terms.surrender == "first-two"
    return TurnOption(
        choose="surrender", status="surrendered", redeems=not first, clears=_dealer_has_no_blackjack, rule=terms.rules.surrender,
        needs=partial(_may_surrender, terms),
        meaning="half of the wagers is lost; " + ("before any other choice" if first else "also after further cards and after doubling"),
    )  # fmt: skip


def _double_size(terms: Terms) -> Size:
    low, high = terms.double_percent
    return Size(of=terms.stakes) if low == high else Size(of=terms.stakes, between=(low, high), usual=high)


def _always(round_: Round) -> bool:
    return True


def _dealer_has_no_blackjack(round_: Round) -> bool:
    return not family.dealer_may_have_blackjack(round_)


def _stands_only(terms: Terms, round_: Round, place: str) -> bool:
    cards = family.open_cards(round_, place)
    return terms.split_aces == "stand-or-double" and len(cards) > 1 and family.is_split_ace(round_.played[place], cards)


def _has_its_card(terms: Terms, round_: Round, place: str) -> bool:
    """A split ace that got its one card; only a hand that may be split again is still asked."""
    cards = family.open_cards(round_, place)
    return terms.split_aces == "one-card" and len(cards) > 1 and family.is_split_ace(round_.played[place], cards)


def _may_hit(terms: Terms, round_: Round, seat: int) -> str:
    place = round_.hand_in_turn(seat) or ""
    if _has_its_card(terms, round_, place):
        return ONE_CARD_EACH
    return "Each of two split aces may only stand or double." if _stands_only(terms, round_, place) else ""


def _may_double(terms: Terms, round_: Round, seat: int) -> str:
    place = round_.hand_in_turn(seat) or ""
    hand, cards = round_.played[place], family.open_cards(round_, place)
    if _has_its_card(terms, round_, place):
        return ONE_CARD_EACH
    if not terms.doubles_any_cards and len(cards) != 2:
        return "Only the first two cards of a hand are doubled."
    if hand.split and not terms.doubles_after_split:
        return "This house does not double hands that were split."
    return ""


def _may_split(terms: Terms, round_: Round, seat: int) -> str:
    place = round_.hand_in_turn(seat) or ""
    if family.may_split(terms, round_, place):
        return ""
    cards = family.open_cards(round_, place)
    if len(cards) == 2 and points.value_of(cards[0]) == points.value_of(cards[1]):
        return f"This hand is not split again: at most {terms.most_hands} hands, and aces as the house says."
    return "Only two cards of one value are split."


def _may_surrender(terms: Terms, round_: Round, seat: int) -> str:
    place = round_.hand_in_turn(seat) or ""
    hand = round_.played[place]
    if terms.surrender == "any":
        return ""
    first = not hand.acted and not hand.split and len(family.open_cards(round_, place)) == 2
    return "" if first else "A hand is surrendered before any other choice."


def _not_in_turn(round_: Round, seat: int) -> str:
    return "Only a hand that was just doubled is rescued."


# ---- irregularities and settings that the games share

NEXT_CARD = Remedy("use-as-next", c.parallel(SD), "A card drawn in error and not shown is used as the next card.")
OFFERED = Remedy(
    "offer-to-players", c.parallel(SD),
    "A card drawn in error and shown, after two cards to all, is offered in turn; who refuses gets no more cards; then it is the dealer's.",
)  # fmt: skip
BURNED = Remedy(
    "burn-it", c.parallel(SD), "A card drawn in error that neither a player nor the dealer can use, as on a dealer's 17, is burned."
)
NO_CARD = Remedy("hand-dead", c.parallel(SD), "A box that got no card is dead; its player joins the next deal.")
ONE_CARD = Remedy("rearrange-and-continue", c.parallel(SD), "A box with one card gets its second when all others have theirs.")
DEALER_MISSED = Remedy(
    "rearrange-and-continue", c.parallel(SD), "A dealer's card was missed: finish the players' first two cards, then give it to the dealer."
)
LOOKED_IN_VAIN = Remedy(
    "supervisor-decides", c.memory("hole card reader"),
    "The hole card was put in the reader without need: void if a player could learn it, else play goes on.",
)  # fmt: skip
FALSE_LOOK = Remedy("round-void", c.memory("hole card reader"), "A blackjack was told that the dealer does not have: the round is void.")
ONE_FACE_UP = Remedy("discard-and-continue", c.analogy("26.15(a)"), "One card face up in the shoe is not used: to the rack, play on.")
MORE_FACE_UP = Remedy("round-void", c.analogy("26.15(a)"), "More than one card face up during the deal: the round is void, shuffle again.")


RUN_OUT = Remedy(
    "reshuffle-and-continue",
    c.parallel(SD),
    "Too few cards to finish the round: the discard rack is shuffled and cut, and play goes on.",
)


def irregularities(more: Mapping[str, Remedy] | None = None) -> dict[str, Remedy]:
    """The family's irregularity table; `more` replaces rows."""
    rows = {
        "card-face-up": ONE_FACE_UP,
        "cards-face-up": MORE_FACE_UP,
        "card-drawn-in-error": NEXT_CARD,
        "shown-card-drawn-in-error": OFFERED,
        "drawn-and-not-used": BURNED,
        "no-card-at-seat": NO_CARD,
        "one-card-at-seat": ONE_CARD,
        "missed-card-at-dealer": DEALER_MISSED,
        "hole-check-not-due": LOOKED_IN_VAIN,
        "hole-check-wrong": FALSE_LOOK,
        "too-few-cards": RUN_OUT,
        "shuffler-malfunction": c.SHUFFLER_FAILED,
    }
    return rows | dict(more or {})


def yes_or_no(name: str, meaning: str, rule: Rule, *, default: bool) -> Setting:
    """A setting that is on or off."""
    return Setting(name=name, default=default, allowed=(True, False), meaning=meaning, rule=rule)


def reader_setting(rule: Rule) -> Setting:
    """Whether the dealer looks at the hole card when the up card is an ace or of ten."""
    return Setting(
        name="hole_card_reader", default="optional", allowed=("optional", "required", "none"), rule=rule,
        meaning="a look at the hole card before the first decision, with an ace or a card of ten up: told or not, always told, or never",
    )  # fmt: skip


def odds_setting(name: str, default: str, allowed: tuple[str, ...], meaning: str, rule: Rule) -> Setting:
    """Odds as a text such as "3 to 2"."""
    return Setting(name=name, default=default, allowed=allowed, meaning=meaning, rule=rule)


def odds_of(settings: Settings, name: str) -> Odds:
    """The odds that a setting names."""
    return parse_odds(settings.text(name)) or family.EVEN


def cards_needed(settings: Settings, seats: int) -> int:
    """Cards that a round is begun with; see CARDS_A_HAND."""
    return CARDS_A_HAND * (seats + 1)


def is_blackjack(settings: Settings, cards: tuple[Card, ...]) -> bool:
    """The dealer's two cards are a blackjack."""
    return points.is_blackjack(cards)
