"""Winner's Pot Poker, N.J.A.C. 13:69F-33.

Five-card stud with a button: two cards down, then open cards. Ante, bet and double; all wagers still on the table form a pot for the best
hand, the dealer's included. Read in law: 33.10. Wager sizes, the button's way, the initial deal and the irregularities were not
reachable; they are house settings or drawn from sister games, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import DEALER, Round, Seat, seat_place
from controller.dealing.settings import Setting, Settings
from controller.dealing.steps import (
    Burn,
    Collect,
    Deal,
    Decide,
    ExposeCards,
    Face,
    First,
    Method,
    Option,
    Remedy,
    Settle,
    Stack,
    Step,
    Stub,
    WagerKind,
    Wagers,
    Who,
)
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games.pay import check_pay_table, odds_for, pair_reaches, percent_of
from controller.hands.poker import PokerCategory, PokerHand, evaluate

FIRST_THREE = (Face.DOWN, Face.DOWN, Face.UP)
POT = c.law("33.10(h)")
POT_WAGERS = ("ante", "bet", "double")
COMMISSION_MOST = 10
"""The commission is at most ten percent of the pot (13:69F-33.10(h))."""

SETTINGS = (
    c.seats_setting(8, 1, 9, c.house("seats", "not reachable; one deck covers nine players exactly")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    Setting(name="bet_size", default=1, between=(0, 10), meaning="the bet in antes; 0: any", rule=c.house("bet_size", "not reachable")),
    Setting(
        name="double_size", default=2, between=(0, 20), meaning="the double wager in antes; 0: any amount",
        rule=c.house("double_size", "the name suggests twice"),
    ),
    Setting(
        name="commission_percent", default=10, between=(0, COMMISSION_MOST), meaning="percent of the pot that the house keeps, at most",
        rule=POT, limit_rule=POT,
    ),
    Setting(
        name="commission_fixed", default=None, between=(0, 1_000_000), rule=POT,
        meaning="fixed commission in whole currency units, set in advance; the lesser of the two is kept; none: percent only",
    ),
    Setting(
        name="jacks_plus_table", default={}, check=check_pay_table,
        meaning="odds of the jacks plus bonus by hand; empty: settled outside of this record",
        rule=c.house("jacks_plus_table", "not reachable"),
    ),
    Setting(
        name="odd_chips", default="first-from-right", allowed=("first-from-right", "house"),
        meaning="who gets cents that do not divide among equal hands", rule=c.house("odd_chips", "the text does not say"),
    ),
)  # fmt: skip


def _deal_cards(settings: Settings) -> tuple[Step, ...]:
    rule = c.inferred("33.10(a)", "two down, the third up; lap order by sister games; the dealer in rotation")
    return (
        Wagers(rule=c.analogy("31.8(a)")),
        Deal(to=(Who.WAGERED, Who.DEALER), facing=FIRST_THREE, first=First.AFTER_BUTTON, rule=rule),
    )


def _deal_stacks(settings: Settings) -> tuple[Step, ...]:
    rule = c.analogy("35.9(c)", "the stack is the initial hand; its last card is turned up")
    return (
        Wagers(rule=c.analogy("35.9(b)")),
        Stack(to=(Who.WAGERED, Who.DEALER), size=3, facing=FIRST_THREE, first=First.AFTER_BUTTON, rule=rule),
    )


def _anyone_left(round_: Round) -> bool:
    return bool(round_.live_seats())


def _play(settings: Settings) -> tuple[Step, ...]:
    bet = Option(
        choose="bet",
        meaning="place the bet wager and stay",
        places="bet",
        size=c.times("ante", settings.number("bet_size"), c.house("bet_size", "not reachable")),
        rule=c.law("33.10(a)1"),
    )
    early = Option(
        choose="fold", meaning="give up the ante to the house", status="folded", forfeits=("ante",), stays_under="jacks_plus",
        rule=c.law("33.10(a)2"),
    )  # fmt: skip
    double = Option(
        choose="double", meaning="place the double wager and stay", places="double", rule=c.law("33.10(c)1"),
        size=c.times("ante", settings.number("double_size"), c.house("double_size", "the name suggests twice")),
    )  # fmt: skip
    late = Option(
        choose="fold", meaning="give up ante and bet to the winner's pot", status="folded", forfeits=("ante", "bet"), forfeits_to="pot",
        stays_under="jacks_plus", rule=c.law("33.10(c)2"),
    )  # fmt: skip
    to = (Who.LIVE, Who.DEALER)
    up = (Face.UP,)
    button = First.AFTER_BUTTON
    return (
        Decide(options=(bet, early), first=button, rule=c.law("33.10(a)3")),
        Burn(when=_anyone_left, rule=c.law("33.10(b)")),
        Deal(to=to, facing=up, first=button, when=_anyone_left, rule=c.law("33.10(b)")),
        Decide(options=(double, late), first=button, when=_anyone_left, rule=c.law("33.10(c)3")),
        Burn(when=_anyone_left, rule=c.law("33.10(d)")),
        Deal(to=to, facing=up, first=button, when=_anyone_left, rule=c.law("33.10(d)")),
        Stub(rule=c.analogy("35.9(e)")),
        ExposeCards(what=Who.DEALER, when=_anyone_left, rule=c.law("33.10(f)", "the dealer's two down cards first")),
        Settle(when=_anyone_left, rule=c.law("33.10(f)")),
        Collect(rule=c.law("33.10(i)")),
    )


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    wrong = Remedy("all-hands-void", c.memory("wrong number of cards", "a shared pot"), "A wrong number of cards: all hands void.")
    rows = {
        "card-face-up": c.ONE_FACE_UP,
        "cards-face-up": c.MORE_FACE_UP,
        "card-drawn-in-error": c.DRAWN_IN_ERROR,
        "wrong-count-seat": wrong,
        "wrong-count-dealer": wrong,
        "dealer-card-exposed": Remedy(
            "all-hands-void-side-bets-stand",
            c.analogy("28.12(a)"),
            "A dealer's down card seen before all have decided: all hands void.",
        ),
        "shuffler-malfunction": c.SHUFFLER_FAILED,
        "missing-card": c.DECK_WRONG,
        "duplicate-card": c.DECK_WRONG,
        "foreign-card": c.DECK_WRONG,
        "too-few-cards": c.TOO_FEW,
    }
    if method is Method.AUTOMATED_SHOE:
        rows |= {"wrong-stack-size": wrong, "device-malfunction": c.SHOE_FAILED}
    return rows


# ---- settlement


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    judged = [_folded(settings, seat) for _, seat in sorted(round_.seats.items()) if seat.status == "folded"]
    live = [round_.seats[n] for n in round_.live_seats()]
    dealer = round_.cards_at(DEALER, "compared (13:69F-33.10(f))") if round_.dealer_exposed else ()
    if not live or not dealer or not all(seat.exposed for seat in live):
        return judged
    if not all(card.code for card in dealer):
        return judged
    hands: dict[int, PokerHand] = {}
    for seat in live:
        cards = round_.cards_at(seat_place(seat.number), "exposed (13:69F-33.10(f))")
        if len(cards) != 5 or not all(card.code for card in cards):
            return judged
        hands[seat.number] = evaluate(cards)
    return judged + _award(settings, round_, hands, evaluate(dealer))


def _folded(settings: Settings, seat: Seat) -> Judged:
    """Folded to the house or to the pot; with nobody left the pot is the dealer's, who needs no hand for it."""
    wagers = [name for name in POT_WAGERS if name in seat.wagers]
    to_pot = seat.lost.get("ante") == "pot"
    results = dict.fromkeys(wagers, "lose")
    pays: dict[str, int | None] = {name: c.lost(seat.wagers[name]) for name in wagers}
    if "jacks_plus" in seat.wagers:
        results["jacks_plus"], pays["jacks_plus"] = "odds", None
    rule = c.law("33.10(c)2") if to_pot else c.law("33.10(a)2")
    return Judged(key=str(seat.number), results=results, pays=pays, rule=rule, hand="folded")


def pot_of(round_: Round) -> int | None:
    """All wagers still on the table and those folded to the pot, in cents; None when an amount is not known."""
    total = 0
    for seat in round_.seats.values():
        for name in POT_WAGERS:
            if name in seat.wagers and (seat.live or seat.lost.get(name) == "pot"):
                amount = seat.wagers[name]
                if amount is None:
                    return None
                total += amount
    return total


def _commission(settings: Settings, awarded: int) -> int:
    """The lesser of percent and fixed amount, from what is not awarded to the dealer."""
    kept = percent_of(awarded, settings.number("commission_percent"))
    fixed = settings.number_or_none("commission_fixed")
    return kept if fixed is None else min(kept, fixed * 100)


def _award(settings: Settings, round_: Round, hands: dict[int, PokerHand], dealer: PokerHand) -> list[Judged]:
    best = max([dealer.value, *(hand.value for hand in hands.values())])
    winners = [number for number in sorted(hands, reverse=True) if hands[number].value == best]
    shares: dict[int, int | None] = dict.fromkeys(winners)
    commission = 0
    pot = pot_of(round_)
    if pot is not None and winners:
        parts = len(winners) + (dealer.value == best)
        part, odd = divmod(pot, parts)
        to_dealer = part if dealer.value == best else 0
        commission = _commission(settings, pot - to_dealer)
        shares = _divide(settings, part * len(winners) - commission, odd, winners)
    judged = []
    for number in sorted(hands):
        seat = round_.seats[number]
        stake = sum(seat.wagers[name] or 0 for name in POT_WAGERS if name in seat.wagers)
        won = number in winners
        share = shares.get(number)
        judged.append(_pot_result(settings, seat, hands[number], won, stake, share, commission if won else 0))
    return judged


def _divide(settings: Settings, amount: int, odd: int, winners: list[int]) -> dict[int, int | None]:
    """Equal shares; cents that do not divide go as the house set it."""
    each, rest = divmod(amount, len(winners))
    shares: dict[int, int | None] = dict.fromkeys(winners, each)
    if settings.text("odd_chips") == "first-from-right":
        shares[winners[0]] = each + rest + odd
    return shares


def _pot_result(settings: Settings, seat: Seat, hand: PokerHand, won: bool, stake: int, share: int | None, commission: int) -> Judged:
    wagers = [name for name in POT_WAGERS if name in seat.wagers]
    results = dict.fromkeys(wagers, "win" if won else "lose")
    if not won:
        pays: dict[str, int | None] = {name: c.lost(seat.wagers[name]) for name in wagers}
    elif share is None:
        pays = dict.fromkeys(wagers)
    else:
        pays = {"ante": share - stake, **{name: 0 for name in wagers if name != "ante"}}
    if "jacks_plus" in seat.wagers:
        result, paid = _jacks_plus(settings, hand, seat.wagers["jacks_plus"])
        results["jacks_plus"] = result
        pays["jacks_plus"] = paid
    return Judged(key=str(seat.number), results=results, pays=pays, hand=hand.text, commission=commission, rule=POT)


def _jacks_plus(settings: Settings, hand: PokerHand, amount: int | None) -> tuple[str, int | None]:
    table = settings.table("jacks_plus_table")
    if not table:
        return "odds", None
    low_pair = hand.category is PokerCategory.PAIR and not pair_reaches(hand, "J")
    odds = None if low_pair else odds_for(table, hand.category.value)
    return ("lose", c.lost(amount)) if odds is None else ("win", c.net(amount, odds))


GAME = Game(
    key="winners-pot-poker",
    title="Winner's Pot Poker",
    law="13:69F-33",
    summary="Five-card stud with a button; ante, bet and double form a pot for the best hand, the dealer's included.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", required=True, rule=c.law("33.10(a)2"), meaning="before the cards"),
        WagerKind(name="jacks_plus", side=True, rule=c.law("33.10(a)2"), meaning="optional, before the cards"),
        WagerKind(name="bet", before_deal=False, rule=c.law("33.10(a)1"), meaning="after three cards"),
        WagerKind(name="double", before_deal=False, rule=c.law("33.10(c)1"), meaning="after the fourth card"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _deal_cards, Method.HAND: _deal_cards, Method.AUTOMATED_SHOE: _deal_stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=c.stub_check(c.analogy("35.9(e)")),
    cards_needed=lambda settings, seats: 5 * (seats + 1) + 2,
)
