"""Supreme Pai Gow, N.J.A.C. 13:69F-34.

Four cards to every position and the dealer, set as a two-card high hand and a two-card low hand; the player must beat both to win. Winners
pay a five percent vigorish; a whole wager may be surrendered until the seat's hands are exposed. Read in law: 34.12. Deck, positions,
start, copies and the bonus table were not reachable; they are house settings or drawn from sister games, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Groups, Judged, SetFlaw
from controller.dealing.round import Round, Seat
from controller.dealing.rules import Rule
from controller.dealing.settings import Setting, Settings
from controller.dealing.steps import (
    Collect,
    Deal,
    Face,
    First,
    Method,
    Option,
    Remedy,
    SetHands,
    Settle,
    Stack,
    Start,
    Step,
    Stub,
    WagerKind,
    Wagers,
    Who,
)
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games.pai_gow import vigorish_of, vigorish_setting, voided
from controller.hands.split_way import parse_split_way, set_high_low
from controller.hands.two_card import evaluate_two
from firmware_bridge.cards import Card

MAIN = "supreme_pai_gow"
GROUPS = (("high", 2), ("low", 2))
DOWN4 = (Face.DOWN,) * 4
COPIES = c.house("copies", "34.12(f)-(h) do not name copies; by their wording such a seat pushes")

SETTINGS = (
    c.seats_setting(6, 1, 7, c.house("seats", "six and the dealer, as the sister game")),
    c.stub_every(c.analogy("35.9(e)")),
    c.TWO_DECKS,
    Setting(
        name="dealt_positions", default="all", allowed=("all", "wagered"), meaning="who gets cards",
        rule=c.house("dealt_positions", "all, as 13:69F-31.8(c); wagered seats only is the rival reading"),
    ),
    Setting(
        name="copies", default="push", allowed=("push", "dealer"), meaning="an equal hand: neither higher nor lower, or the dealer's",
        rule=COPIES,
    ),
    vigorish_setting(c.law("34.12(i)")),
    Setting(
        name="equal_high_and_low", default="supervisor", allowed=("supervisor", "loses", "stands"),
        meaning="a low hand equal to the high hand", rule=c.house("equal_high_and_low", "34.12(a) allows what 34.12(g)2 punishes"),
    ),
    Setting(
        name="house_way", check=c.list_of_preferences(parse_split_way),
        default=None,
        meaning="the dealer's list of preferences; none: the dealer's setting is taken as it is",
        rule=c.law("34.12(d)", "filed by each casino"),
    ),
)  # fmt: skip


def _served(settings: Settings) -> tuple[Who, Who]:
    return (Who.EVERY if settings.text("dealt_positions") == "all" else Who.WAGERED), Who.DEALER


def _deal_cards(settings: Settings) -> tuple[Step, ...]:
    return (
        Wagers(rule=c.analogy("31.8(a)")),
        Start(rule=c.analogy("31.11", "dice, a number, or another method")),
        Deal(to=_served(settings), facing=DOWN4, first=First.START, rule=c.analogy("31.8(c)")),
        Stub(rule=c.analogy("31.8(d)1")),
    )


def _deal_stacks(settings: Settings) -> tuple[Step, ...]:
    return (
        Wagers(rule=c.analogy("31.10(b)")),
        Start(rule=c.analogy("31.10(c)")),
        Stack(to=_served(settings), size=4, facing=DOWN4, first=First.START, rule=c.analogy("31.10(d)")),
        Stub(rule=c.analogy("31.10(e)1")),
    )


def _play(settings: Settings) -> tuple[Step, ...]:
    surrender = Option(
        choose="surrender", meaning="give up the whole wager, until the seat's hands are exposed", status="surrendered", forfeits=(MAIN,),
        stays_under="bonus", until_exposed=True, rule=c.law("34.12(e)1"),
    )  # fmt: skip
    return (
        SetHands(who=Who.LIVE, groups=GROUPS, options=(surrender,), rule=c.law("34.12(a)")),
        SetHands(who=Who.DEALER, groups=GROUPS, options=(surrender,), face_up=True, rule=c.law("34.12(c)")),
        Settle(options=(surrender,), rule=c.law("34.12(f)")),
        Collect(rule=c.law("34.12(j)")),
    )


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    rows = {
        "card-face-up": c.ONE_FACE_UP,
        "cards-face-up": c.MORE_FACE_UP,
        "card-drawn-in-error": c.DRAWN_IN_ERROR,
        "wrong-count-seat": c.WRONG_COUNT,
        "wrong-count-dealer": c.WRONG_COUNT,
        "player-card-exposed": Remedy(
            "player-chooses",
            c.memory("pai gow poker: card exposed"),
            "The player, without looking at the rest, plays or voids the hand.",
        ),
        "dealer-card-exposed": Remedy("all-hands-void", c.memory("pai gow poker: dealer card exposed"), "All hands void."),
        "invalid-roll": Remedy("shake-again", c.memory("pai gow poker: dice"), "The dice are shaken again."),
        "wrong-start": Remedy("all-hands-void", c.memory("pai gow poker: starting position"), "A wrong starting position: all hands void."),
        "wrong-set": Remedy("reset-house-way", c.parallel("Asia Poker casino sheet"), "The dealer's hand is set again by the house way."),
        "shuffler-malfunction": c.SHUFFLER_FAILED,
        "missing-card": c.DECK_WRONG,
        "duplicate-card": c.DECK_WRONG,
        "foreign-card": c.DECK_WRONG,
        "too-few-cards": c.TOO_FEW,
    }
    if method is Method.AUTOMATED_SHOE:
        rows |= {"wrong-stack-size": c.WRONG_COUNT, "device-malfunction": c.SHOE_FAILED}
    return rows


# ---- settlement


def _set_flaw(settings: Settings, groups: Groups) -> SetFlaw | None:
    high, low = groups.get("high", ()), groups.get("low", ())
    if len(high) != 2 or len(low) != 2:
        return SetFlaw(words="not set as two and two", rule=c.law("34.12(g)3"))
    higher, lower = evaluate_two(high).value, evaluate_two(low).value
    if higher > lower:
        return None
    if higher < lower:
        return SetFlaw(words="the high hand does not rank higher than the low hand", rule=c.law("34.12(g)2"))
    ruling = settings.text("equal_high_and_low")
    if ruling == "stands":
        return None
    words = "high and low hand are equal"
    return SetFlaw(words=words, rule=c.law("34.12(g)2"), ruling=ruling == "supervisor", equal=True)


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    judged = []
    dealer = {name: c.opened(cards) for name, cards in round_.dealer_groups.items()}
    for number in sorted(round_.seats):
        seat = round_.seats[number]
        if str(number) in round_.results:
            continue
        if seat.status == "surrendered":
            amount = seat.wagers.get(MAIN)
            judged.append(_result(settings, seat, "lose", c.lost(amount), 0, "surrendered", c.law("34.12(e)1")))
        elif seat.status == "dead":
            judged.append(voided(seat))
        elif seat.exposed and seat.live and dealer:
            judged.append(_compare(settings, seat, dealer))
    return judged


def _compare(settings: Settings, seat: Seat, dealer: dict[str, tuple[Card, ...]]) -> Judged:
    amount = seat.wagers.get(MAIN)
    if seat.wrong:
        flaw = _set_flaw(settings, {name: c.kept_cards(seat, name) for name, _ in GROUPS})
        rule = flaw.rule if flaw is not None else c.law("34.12(g)2")
        return _result(settings, seat, "lose", c.lost(amount), 0, seat.wrong, rule)
    own = [evaluate_two(c.kept_cards(seat, name)) for name, _ in GROUPS]
    against = [evaluate_two(dealer[name]).value for name, _ in GROUPS]
    words = " / ".join(hand.text for hand in own)
    sides = {_side(settings, hand.value, value) for hand, value in zip(own, against, strict=True)}
    copied = any(hand.value == value for hand, value in zip(own, against, strict=True))
    if sides == {1}:
        vigorish = 0 if amount is None else vigorish_of(settings, amount)
        return _result(settings, seat, "win", None if amount is None else amount - vigorish, vigorish, words, c.law("34.12(g)"))
    if sides == {-1}:
        return _result(settings, seat, "lose", c.lost(amount), 0, words, COPIES if copied else c.law("34.12(g)1"))
    return _result(settings, seat, "push", None if amount is None else 0, 0, words, COPIES if copied else c.law("34.12(h)"))


def _side(settings: Settings, player: int, dealer: int) -> int:
    if player == dealer:
        return -1 if settings.text("copies") == "dealer" else 0
    return 1 if player > dealer else -1


def _result(settings: Settings, seat: Seat, result: str, pay: int | None, commission: int, words: str, rule: Rule) -> Judged:
    results: dict[str, str] = {MAIN: result}
    pays: dict[str, int | None] = {MAIN: pay}
    if "bonus" in seat.wagers:
        results["bonus"], pays["bonus"] = "odds", None
    return Judged(key=str(seat.number), results=results, pays=pays, hand=words, commission=commission, rule=rule)


def _house_way(settings: Settings, cards: tuple[Card, ...]) -> Groups | None:
    rows = settings.rows("house_way")
    if not rows or len(cards) != 4:
        return None
    chosen = set_high_low(parse_split_way(rows), cards)
    return {"high": chosen.high.cards, "low": chosen.low.cards}


GAME = Game(
    key="supreme-pai-gow",
    title="Supreme Pai Gow",
    law="13:69F-34",
    summary="Four cards set as two hands of two; both must beat the dealer's; five percent vigorish on wins.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name=MAIN, required=True, rule=c.law("34.12(e)"), meaning="before the cards"),
        WagerKind(name="bonus", side=True, rule=c.law("34.12(h)"), meaning="optional, before the cards"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.MANUAL_SHOE: _deal_cards, Method.HAND: _deal_cards, Method.AUTOMATED_SHOE: _deal_stacks},
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=c.stub_check(c.analogy("31.8(d)")),
    cards_needed=lambda settings, seats: 4 * (settings.number("seats") + 1),
    set_flaw=_set_flaw,
    house_way=_house_way,
)
