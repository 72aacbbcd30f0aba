"""Pai Gow Poker, N.J.A.C. 13:69F-11.

Seven cards of a 53-card deck to each of six positions and the dealer, set as a five-card high hand and a two-card low hand. Both must beat
the dealer's to win, less a vigorish; one of them is a push; copies are the dealer's. The text of subchapter 11 was not reached: dealing is
drawn from the sister subchapter 31, settlement from 34.12 and published sheets, and every rule says so. A player's bank is not adjudicated.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Groups, Judged, SetFlaw
from controller.dealing.round import Round, Seat
from controller.dealing.rules import Rule
from controller.dealing.settings import Plain, Setting, Settings
from controller.dealing.steps import Collect, Method, Remedy, SetHands, Settle, Step, WagerKind, Who
from controller.games import common as c
from controller.games import pai_gow as p
from controller.hands.semi_wild import LowStraight
from controller.hands.set_way import Forms, arrange, parse_set_way
from firmware_bridge.cards import Card

MAIN = "pai_gow_poker"
FORMS: Forms = (("high", 5), ("low", 2))
BEST = ("low", "high")
SHEETS = "pai gow poker rule pages"
MASSACHUSETTS = c.parallel("Massachusetts Pai Gow Poker rules 1", "high equal to or above low in rank")

HOUSE_WAY: list[Plain] = [
    {"holding": "five-aces", "high": "five-of-a-kind", "low": "pair", "low_at_least": "K"},
    {"holding": "five-aces", "high": ["three-of-a-kind", "full-house"], "low": "pair"},
    {"holding": "four-and-more", "high": "four-of-a-kind", "low": "pair"},
    {"holding": "four-of-a-kind", "rank_at_least": "J", "high": "pair", "low": "pair"},
    {"holding": "four-of-a-kind", "rank_at_least": "7", "high": "four-of-a-kind", "low_at_least": "K"},
    {"holding": "four-of-a-kind", "rank_at_least": "7", "high": "pair", "low": "pair"},
    {"holding": "four-of-a-kind", "high": "four-of-a-kind"},
    {"holding": "full-house", "high": ["three-of-a-kind", "full-house"], "low": "pair"},
    {"holding": "two-threes", "high": "three-of-a-kind", "low": "pair"},
    {"holding": "three-of-a-kind", "complete": True, "high": "complete", "low": "pair"},
    {"holding": "three-of-a-kind", "rank_at_least": "A", "high": "pair", "low": "high-card"},
    {"holding": "three-of-a-kind", "high": "three-of-a-kind"},
    {"holding": "three-pair", "high": "two-pair", "low": "pair"},
    {"holding": "two-pair", "rank_at_least": "J", "high": "pair", "low": "pair"},
    {"holding": "two-pair", "rank_at_least": "7", "high": "two-pair", "low_at_least": "A"},
    {"holding": "two-pair", "rank_at_least": "7", "high": "pair", "low": "pair"},
    {"holding": "two-pair", "high": "two-pair", "low_at_least": "K"},
    {"holding": "two-pair", "high": "pair", "low": "pair"},
    {
        "holding": "one-pair", "complete": True, "rank_at_least": "T", "rank_at_most": "K", "high": "pair", "low_at_least": "A",
        "betters_low": True,
    },
    {"holding": "one-pair", "complete": True, "high": "complete"},
    {"holding": "one-pair", "high": "pair"},
    {"holding": "no-pair", "complete": True, "high": "complete"},
    {"best": ["low", "high"]},
]  # fmt: skip
"""A complete published house way of another state, as a list that a casino replaces by its own."""

SETTINGS = (
    c.seats_setting(6, 1, 6, c.analogy("31.10(e)", "seven stacks: six positions and the dealer")),
    p.stub_every_round(c.analogy("31.8(d)")),
    c.TWO_DECKS,
    Setting(name="surrender", default=False, allowed=(False, True), meaning="a seat may give up its whole wager",
            rule=c.house("surrender", "34.12(e) of the sister game; not known to exist here")),
    p.low_straight_setting(LowStraight.SECOND, c.parallel("Saint Lucia regulation 67", "some houses rank it lowest"), "A-2-3-4-5"),
    Setting(
        name="equal_high_and_low", default="stands", allowed=("stands", "supervisor", "loses"), meaning="a low hand equal to the high hand",
        rule=MASSACHUSETTS,
    ),
    p.vigorish_setting(c.analogy("34.12(i)")),
    Setting(
        name="house_way", default=HOUSE_WAY, meaning="the dealer's list of preferences; an empty one: the dealer's setting stands",
        check=c.list_of_preferences(lambda rows: parse_set_way(rows, FORMS) if rows else ()),
        rule=c.parallel("a published house way (Foxwoods)", "13:69F-34.12(d): each casino files its own"),
    ),
    Setting(
        name="player_bank", default="not-adjudicated", allowed=("not-adjudicated",),
        meaning="a round in which a player banks or co-banks is followed card by card, and its money is settled by people",
        rule=c.house("player_bank", "no text was read of who pays whom, nor of the dealer's wager against a bank"),
    ),
)  # fmt: skip


def _play(settings: Settings) -> tuple[Step, ...]:
    options = (p.surrender(MAIN, c.analogy("34.12(e)"), "bonus"),) if settings.flag("surrender") else ()
    return (
        SetHands(who=Who.LIVE, groups=FORMS, options=options, rule=c.analogy("34.12(a)")),
        SetHands(who=Who.DEALER, groups=FORMS, options=options, face_up=True, rule=c.analogy("34.12(c)")),
        Settle(options=options, rule=c.analogy("34.12(f)")),
        Collect(rule=c.analogy("34.12(j)")),
    )


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    spare = c.memory("pai gow poker: card face up", "49 cards dealt and 4 left leave no spare card")
    rows = p.irregularities(method, c.analogy, {"card-face-up": spare, "cards-face-up": spare})
    again = Remedy("reset-house-way", c.memory("pai gow poker: dealer's set"), "The dealer's hand is set again by the house way.")
    return rows | {"wrong-set": again}


def _set_flaw(settings: Settings, groups: Groups) -> SetFlaw | None:
    flaw = p.size_flaw(groups, FORMS, "not set as five and two", c.analogy("34.12(g)3"))
    if flaw is not None:
        return flaw
    wrong = p.out_of_order(p.hands_of(settings, groups, FORMS), FORMS)
    if wrong is None:
        return None
    rule = c.analogy("34.12(g)2")
    if wrong[2] < 0:
        return SetFlaw(words="the low hand ranks higher than the high hand", rule=rule)
    ruling = settings.text("equal_high_and_low")
    equal = SetFlaw(words="high and low hand are equal", rule=rule, ruling=ruling == "supervisor", equal=True)
    return None if ruling == "stands" else equal


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    dealer = p.dealer_groups(round_)
    judged = []
    for number, seat in sorted(round_.seats.items()):
        if str(number) in round_.results:
            continue
        amount = seat.wagers.get(MAIN)
        if seat.status == "surrendered":
            judged.append(_result(seat, "lose", c.lost(amount), 0, "surrendered", c.analogy("34.12(e)")))
        elif seat.status == "dead":
            judged.append(p.voided(seat))
        elif seat.exposed and seat.live and dealer:
            judged.append(_compare(settings, seat, dealer))
    return judged


def _compare(settings: Settings, seat: Seat, dealer: Groups) -> Judged:
    amount = seat.wagers.get(MAIN)
    groups = p.player_groups(seat, FORMS)
    if seat.wrong:
        flaw = _set_flaw(settings, groups)
        return _result(seat, "lose", c.lost(amount), 0, seat.wrong, flaw.rule if flaw is not None else c.analogy("34.12(g)2"))
    hands = p.hands_of(settings, groups, FORMS)
    higher = p.sides(hands, p.hands_of(settings, dealer, FORMS))
    if all(higher):
        vigorish = 0 if amount is None else p.vigorish_of(settings, amount)
        return _result(seat, "win", None if amount is None else amount - vigorish, vigorish, p.words(hands), c.analogy("34.12(i)"))
    if not any(higher):
        return _result(seat, "lose", c.lost(amount), 0, p.words(hands), c.parallel(SHEETS, "a copy is the dealer's"))
    return _result(seat, "push", None if amount is None else 0, 0, p.words(hands), c.parallel(SHEETS))


def _result(seat: Seat, result: str, pay: int | None, commission: int, words: str, rule: Rule) -> Judged:
    results: dict[str, str] = {MAIN: result}
    pays: dict[str, int | None] = {MAIN: pay}
    if "bonus" in seat.wagers:
        results["bonus"], pays["bonus"] = "odds", None
    return Judged(key=str(seat.number), results=results, pays=pays, hand=words, commission=commission, rule=rule)


def _house_way(settings: Settings, cards: tuple[Card, ...]) -> Groups | None:
    rows = settings.rows("house_way")
    if not rows or len(cards) != p.SEVEN:
        return None
    return arrange(parse_set_way(rows, FORMS), cards, FORMS, BEST, p.low_straight(settings)).cards


GAME = Game(
    key="pai-gow-poker",
    title="Pai Gow Poker",
    law="13:69F-11",
    summary="Seven cards set as five and two; both hands must beat the dealer's; five percent vigorish on wins.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name=MAIN, required=True, rule=c.parallel("Massachusetts Pai Gow Poker rules 1"), meaning="before the cards"),
        WagerKind(
            name="bonus", side=True, rule=c.parallel("Massachusetts Pai Gow Poker rules 1"),
            meaning="optional, before the cards: on all seven cards, however they are set; paid by the posted odds",
        ),
    ),
    deck=p.joker_deck,
    deals=p.deals(c.analogy),
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=p.stub_of_four(c.analogy),
    cards_needed=p.cards_needed,
    set_flaw=_set_flaw,
    house_way=_house_way,
    sets_are_equal=p.sets_are_equal(FORMS),
)  # fmt: skip
