"""Casino War, N.J.A.C. 13:69F-22.

One card face up to each seat and to the dealer from six to eight decks; the higher rank wins. A tied seat gives up half or goes to war with
an equal wager: cards are burned, one more card to each seat at war and one to the dealer. A second tie is settled, there is no second war.
The text of subchapter 22 was not reached: the procedure is drawn from parallel law and published sheets, and every rule says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import DEALER, HAND_KEYS, Round, Seat, seat_place
from controller.dealing.rules import Rule
from controller.dealing.settings import Setting, Settings
from controller.dealing.sizes import Size
from controller.dealing.steps import Burn, Collect, Deal, Decide, Face, Method, Option, Remedy, Settle, Step, WagerKind, Wagers, Who
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games.stud import Slip
from controller.hands.poker import high_rank, rank_name
from firmware_bridge.cards import UNREADABLE, Card

INITIAL, WAR, TIE, WAR_TIE = "initial", "war", "tie", "war_tie"
BURNED = 3
"""Cards burned for a war, each time that they are."""
MASSACHUSETTS = "Massachusetts Casino War rules"
PUBLISHED = c.parallel("published Casino War rule pages")
WAR_BECAUSE = "the cards of a war are compared"

SETTINGS = (
    c.seats_setting(7, 1, 9, c.parallel("PA 651a.2(a)", "at most nine; the number of this state is not known")),
    Setting(name="decks", default=6, allowed=(6, 7, 8), meaning="decks in the shoe", rule=c.parallel(f"{MASSACHUSETTS} 2(a)")),
    c.SHOE_START_BURN,
    Setting(
        name="war_burns", default="once", allowed=("once", "players-and-dealer", "every-card"),
        meaning="three cards burned once before a war deal, before the players' and again before the dealer's card, or before every card",
        rule=c.house("war_burns", "published sheets differ"),
    ),
    Setting(
        name="second_tie_bonus", default=0, between=(0, 1),
        meaning="odds to one that the war wager wins on top when the war is tied as well",
        rule=c.house("second_tie_bonus", "published sheets differ: none, or one more unit"),
    ),
    Setting(name="tie_odds", default=10, between=(1, 50), meaning="odds to one of the tie wagers", rule=PUBLISHED),
)  # fmt: skip


def compare(player: Card, dealer: Card) -> int:
    """1, 0 or -1 as the player's card ranks above, like or below the dealer's; suits do not count, the ace is high."""
    mine, theirs = high_rank(player.rank), high_rank(dealer.rank)
    return (mine > theirs) - (mine < theirs)


def _cards(round_: Round, place: str) -> tuple[Card, ...]:
    return round_.cards_at(place, WAR_BECAUSE)


def is_tied(round_: Round, seat: int) -> bool:
    """True when the seat's first card equals the dealer's."""
    mine, theirs = _cards(round_, seat_place(seat)), _cards(round_, DEALER)
    return bool(mine and theirs) and compare(mine[0], theirs[0]) == 0


def _at_war(round_: Round, seat: int) -> bool:
    return WAR in round_.seats[seat].wagers and round_.seats[seat].live


def _war(round_: Round) -> bool:
    return any(_at_war(round_, seat) for seat in round_.seats)


def _settled_before_the_war(round_: Round) -> tuple[int, ...]:
    """Seats that were not tied, or gave up half: they are settled and their cards collected before the war deal."""
    told = {n: round_.results.get(HAND_KEYS[n], {}).get(INITIAL) for n, seat in round_.seats.items() if WAR not in seat.wagers}
    return tuple(n for n, word in told.items() if word in ("win", "lose"))


def _no_tie_wager_yet(round_: Round, seat: int) -> str:
    return f"Seat {seat} has a tie wager on the war deal already." if WAR_TIE in round_.seats[seat].wagers else ""


def _no_tie_wager_on_the_war(round_: Round, seat: int) -> str:
    return f"Seat {seat} has wagered on a tie of the war deal and goes to war." if WAR_TIE in round_.seats[seat].wagers else ""


# ---- the procedure


def _deal(settings: Settings) -> tuple[Step, ...]:
    burn = (Burn(cards=1, when=c.fresh_shoe, rule=c.parallel("PA 685a.7(c)", "of blackjack")),) if settings.flag("shoe_start_burn") else ()
    rule = c.parallel(f"{MASSACHUSETTS} 1", "original deal; its order by memory")
    return (
        Wagers(rule=c.memory("no more bets")),
        *burn,
        Deal(to=(Who.WAGERED, Who.DEALER), facing=(Face.UP,), rule=rule),
    )


def _play(settings: Settings) -> tuple[Step, ...]:
    options = (
        Option(choose=WAR, meaning="go to war", places=WAR, size=Size(of=(INITIAL,)), rule=c.parallel(f"{MASSACHUSETTS} 1")),
        Option(
            choose="surrender", meaning="give up half of the initial wager", status="surrendered", forfeits=(INITIAL,), forfeit_percent=50,
            needs=_no_tie_wager_on_the_war, rule=PUBLISHED,
        ),
        Option(
            choose=WAR_TIE, meaning="wager that the war deal ties as well, before going to war", places=WAR_TIE, keeps_turn=True,
            needs=_no_tie_wager_yet, rule=c.parallel(f"{MASSACHUSETTS} 1", "its limit is not known"),
        ),
    )  # fmt: skip
    return (
        Settle(face_up=True, rule=c.memory("casino war: order of settlement", "seats that are not tied are settled before the war deal")),
        Decide(options=options, asks=is_tied, rule=PUBLISHED),
        *_war_deal(settings.text("war_burns")),
        Settle(face_up=True, when=_war, rule=PUBLISHED),
        Collect(rule=c.analogy("34.12(j)")),
    )


def _war_deal(burns: str) -> tuple[Step, ...]:
    rule, up = c.house("war_burns"), (Face.UP,)
    burn = Burn(cards=BURNED, when=_war, rule=rule)
    both = (Who.LIVE, Who.DEALER)
    match burns:
        case "once":
            return burn, Deal(to=both, facing=up, serves=_at_war, when=_war, rule=PUBLISHED)
        case "players-and-dealer":
            players = Deal(to=(Who.LIVE,), facing=up, serves=_at_war, when=_war, rule=PUBLISHED)
            return burn, players, burn, Deal(to=(Who.DEALER,), facing=up, when=_war, rule=PUBLISHED)
        case _:
            return (Deal(to=both, facing=up, serves=_at_war, burns=BURNED, when=_war, rule=rule),)


def _cards_needed(settings: Settings, seats: int) -> int:
    burns = {"once": BURNED, "players-and-dealer": 2 * BURNED, "every-card": BURNED * (seats + 1)}[settings.text("war_burns")]
    return settings.flag("shoe_start_burn") + 2 * (seats + 1) + burns


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    return {
        "card-face-up": Remedy("discard-and-continue", c.analogy("26.15(a)"), "One card face up in the shoe is not used: to the rack."),
        "cards-face-up": Remedy("round-void", c.analogy("26.15(a)"), "More than one card face up in a round: round void, shuffle again."),
        "card-drawn-in-error": Remedy(
            "use-as-next", c.parallel("S.D. 20:18:15:28", "of blackjack"), "A card drawn in error and not shown is used as the next card."
        ),
        "shuffler-malfunction": c.SHUFFLER_FAILED,
    }


# ---- settlement


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    dealer = _cards(round_, DEALER)
    if not dealer or UNREADABLE in dealer:
        return []
    hands = {seat.number: _cards(round_, seat_place(seat.number)) for _, seat in sorted(round_.seats.items()) if seat.status != "dead"}
    read = {number: cards for number, cards in hands.items() if cards and UNREADABLE not in cards}
    return [_judged(settings, round_.seats[number], cards, dealer) for number, cards in read.items()]


def _judged(settings: Settings, seat: Seat, cards: tuple[Card, ...], dealer: tuple[Card, ...]) -> Judged:
    slip = Slip(seat)
    first = compare(cards[0], dealer[0])
    rule: Rule = PUBLISHED
    if first:
        slip.win(INITIAL) if first > 0 else slip.lose(INITIAL)
        slip.lose(TIE)
    else:
        slip.win(TIE, odds=settings.number("tie_odds"))
        rule = c.parallel(f"{MASSACHUSETTS} 1")
        if seat.status == "surrendered":
            _half(slip)
        elif WAR in seat.wagers and len(cards) == len(dealer) == 2:
            _settle_war(settings, slip, compare(cards[1], dealer[1]))
    return slip.judged(rule, " then ".join(rank_name(high_rank(card.rank)) for card in cards))


def _half(slip: Slip) -> None:
    amount = slip.seat.wagers[INITIAL]
    slip.results[INITIAL], slip.pays[INITIAL] = "lose", None if amount is None else -(amount - amount // 2)


def _settle_war(settings: Settings, slip: Slip, second: int) -> None:
    if second < 0:
        slip.lose(INITIAL, WAR)
    else:
        slip.push(INITIAL)
        slip.win(WAR, odds=1 + (settings.number("second_tie_bonus") if second == 0 else 0))
    if second == 0:
        slip.win(WAR_TIE, odds=settings.number("tie_odds"))
    else:
        slip.lose(WAR_TIE)


GAME = Game(
    key="casino-war",
    title="Casino War",
    law="13:69F-22",
    summary="One card each, the higher wins; a tie is half given up or goes to war.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name=INITIAL, required=True, rule=c.parallel(f"{MASSACHUSETTS} 1"), meaning="before the cards"),
        WagerKind(name=TIE, side=True, rule=c.parallel(f"{MASSACHUSETTS} 1"), meaning="optional: the first two cards are equal"),
        WagerKind(name=WAR, before_deal=False, rule=c.parallel(f"{MASSACHUSETTS} 1"), meaning="equal to the initial wager, after a tie"),
        WagerKind(name=WAR_TIE, side=True, before_deal=False, rule=c.parallel(f"{MASSACHUSETTS} 1"), meaning="the war deal ties as well"),
    ),
    deck=lambda settings: DeckSpec(decks=settings.number("decks")),
    deals={Method.MANUAL_SHOE: _deal},
    absent=c.singly(c.memory("casino war from the hand", "it is dealt from a shoe of several decks")),
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    settled_early=_settled_before_the_war,
    stub=None,
    shoe_game=True,
    cards_needed=_cards_needed,
)
