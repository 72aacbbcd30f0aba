"""Asia Poker, N.J.A.C. 13:69F-31.

Seven cards of a 53-card deck to each of six positions and the dealer, set as a four-card high, a two-card medium and a one-card low hand.
Two of the three must beat the dealer's; copies are the dealer's, there is no push and no commission. Read in law: 31.8, 31.10 and 31.11
as far as the start, the deal and the stub. Ranking, setting and settlement are drawn from published casino sheets and say so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Groups, Judged, SetFlaw
from controller.dealing.round import Round, Seat
from controller.dealing.rules import Rule
from controller.dealing.settings import Setting, Settings
from controller.dealing.steps import Collect, Method, Remedy, SetHands, Settle, Step, WagerKind, Who
from controller.games import common as c
from controller.games import pai_gow as p
from controller.hands.semi_wild import LowStraight
from controller.hands.set_way import Forms, arrange, parse_set_way
from firmware_bridge.cards import Card

MAIN = "wager"
FORMS: Forms = (("high", 4), ("medium", 2), ("low", 1))
BEST = ("medium", "low", "high")
NEEDED = 2
"""Hands of three that must beat the dealer's."""
SHEETS = "Asia Poker casino sheets"
SEVEN_STACKS = c.law("31.10(e)", "seven stacks: six positions and the dealer")

SETTINGS = (
    Setting(name="seats", default=6, between=(6, 6), meaning="betting positions", rule=SEVEN_STACKS, limit_rule=SEVEN_STACKS),
    p.stub_every_round(c.law("31.8(d)")),
    c.TWO_DECKS,
    p.low_straight_setting(LowStraight.LOWEST, c.house("low_straight", "27.3 of the sister game; its place here was not found"), "A-2-3-4"),
    Setting(
        name="card_face_up", default="all-hands-void", allowed=("all-hands-void", "discard-and-continue"),
        meaning="one card found face up: all hands void, or to the rack and on with the next, three cards then being left",
        rule=c.house("card_face_up", "27.12(a) of the sister game; exactly four cards must be left here"),
    ),
    Setting(
        name="house_way", default=None, meaning="the dealer's list of preferences; none: the dealer's setting is taken as it is",
        check=c.list_of_preferences(lambda rows: parse_set_way(rows, FORMS) if rows else ()),
        rule=c.analogy("34.12(d)", "filed by each casino; no standard one was found"),
    ),
)  # fmt: skip


def _play(settings: Settings) -> tuple[Step, ...]:
    surrender = p.surrender(MAIN, c.parallel(SHEETS, "34.12(e)3 of the sister game: seven cards counted face down"))
    return (
        SetHands(who=Who.LIVE, groups=FORMS, options=(surrender,), rule=c.parallel(SHEETS, "high at least medium, medium at least low")),
        SetHands(who=Who.DEALER, groups=FORMS, options=(surrender,), face_up=True, rule=c.analogy("34.12(c)")),
        Settle(options=(surrender,), rule=c.analogy("34.12(f)")),
        Collect(rule=c.analogy("34.12(j)")),
    )


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    one = c.house("card_face_up", "exactly four cards must be left")
    rows = p.irregularities(method, c.law, {"card-face-up": one, "cards-face-up": c.analogy("27.12(a)", c.UNIFORM)})
    again = Remedy("reset-house-way", c.parallel(SHEETS), "The dealer's hand is set again by the house way; the round stands.")
    return rows | {"wrong-set": again}


def _house_rows(settings: Settings) -> Mapping[str, Remedy]:
    return {"card-face-up": c.ONE_FACE_UP} if settings.text("card_face_up") == c.ONE_FACE_UP.remedy else {}


def _set_flaw(settings: Settings, groups: Groups) -> SetFlaw | None:
    flaw = p.size_flaw(groups, FORMS, "not set as four, two and one", c.parallel(SHEETS))
    if flaw is not None:
        return flaw
    wrong = p.out_of_order(p.hands_of(settings, groups, FORMS), FORMS)
    if wrong is None or wrong[2] == 0:
        return None
    return SetFlaw(words=f"the {wrong[1]} hand ranks higher than the {wrong[0]} hand", rule=c.parallel(SHEETS))


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    dealer = p.dealer_groups(round_)
    judged = []
    for number, seat in sorted(round_.seats.items()):
        if str(number) in round_.results:
            continue
        if seat.status == "surrendered":
            judged.append(_result(seat, won=False, words="surrendered", rule=c.parallel(SHEETS)))
        elif seat.status == "dead":
            judged.append(p.voided(seat))
        elif seat.exposed and seat.live and dealer:
            judged.append(_compare(settings, seat, dealer))
    return judged


def _compare(settings: Settings, seat: Seat, dealer: Groups) -> Judged:
    if seat.wrong:
        return _result(seat, won=False, words=seat.wrong, rule=c.parallel(SHEETS))
    hands = p.hands_of(settings, p.player_groups(seat, FORMS), FORMS)
    higher = p.sides(hands, p.hands_of(settings, dealer, FORMS))
    return _result(seat, won=sum(higher) >= NEEDED, words=p.words(hands), rule=c.parallel(SHEETS, "two of three; a copy is the dealer's"))


def _result(seat: Seat, *, won: bool, words: str, rule: Rule) -> Judged:
    amount = seat.wagers.get(MAIN)
    pay = c.net(amount) if won else c.lost(amount)
    return Judged(key=str(seat.number), results={MAIN: "win" if won else "lose"}, pays={MAIN: pay}, hand=words, rule=rule)


def _house_way(settings: Settings, cards: tuple[Card, ...]) -> Groups | None:
    rows = settings.rows("house_way")
    if not rows or len(cards) != p.SEVEN:
        return None
    return arrange(parse_set_way(rows, FORMS), cards, FORMS, BEST, p.low_straight(settings)).cards


GAME = Game(
    key="asia-poker",
    title="Asia Poker",
    law="13:69F-31",
    summary="Seven cards set as four, two and one; two of three hands must beat the dealer's; copies are the dealer's.",
    settings=SETTINGS,
    wagers=(WagerKind(name=MAIN, required=True, rule=c.parallel(SHEETS), meaning="before the cards"),),
    deck=p.joker_deck,
    deals=p.deals(c.law),
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=p.stub_of_four(c.law),
    cards_needed=p.cards_needed,
    house_rows=_house_rows,
    set_flaw=_set_flaw,
    house_way=_house_way,
    sets_are_equal=p.sets_are_equal(FORMS),
)
