"""Poker, N.J.A.C. 13:69F-14: players against one another for a pot; the dealer deals from the hand and has no hand of his own.

One game with a setting for its variant. The controller follows cards and who still holds them: the dealer enters folds and the end of each
betting round, and bet sizes and pots are not adjudicated. Read in law: 14.5, 14.10(a), (b), (e), (f) and the start of (g), all of hold 'em;
everything else is parallel law, card-room rules or the usual form of the games, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.dealing.game import Game, Judged
from controller.dealing.round import COMMUNITY, Round
from controller.dealing.settings import Setting, Settings
from controller.dealing.steps import Collect, Method, Option, Order, Remedy, Settle, Step, Stub, StubCheck, WagerKind
from controller.decks import DeckSpec
from controller.games import common as c
from controller.games.poker_streets import contested, streets
from controller.games.poker_variants import VARIANTS, Family, Ranked, Variant

ROBERT = c.parallel("Robert's Rules of Poker")
TOURNAMENT = c.parallel("tournament rules")
MISDEAL = c.house("misdeal", "misdeal rows apply until the first betting round is closed")
SHOWDOWN = c.parallel("PA 637a.18(e)", "who made the last bet shows first; the winning hand is shown whole")
BOARD = 5
"""Cards in the centre at a showdown."""
POT = c.memory("the pot", "the best hand takes it; equal hands share it")
HIGH_LOW = c.parallel("casino rule sheet", "half to each; without a low all to the high")

SETTINGS = (
    Setting(
        name="variant", default="holdem", allowed=tuple(VARIANTS), meaning="the game that is dealt",
        rule=c.house("variant", "the casino posts which poker is offered"),
    ),
    Setting(
        name="seats", default=8, between=(2, 11), meaning="players that the table takes; the deck sets a lower limit for most variants",
        rule=c.house("seats", "eight can be served in every variant"), limit_rule=c.law("14.10(b)", "hold 'em: at most eleven players"),
    ),
    Setting(
        name="draw_most", default=5, between=(1, 5), meaning="most cards that a player may throw away in one draw",
        rule=c.house("draw_most", "the number of discards in New Jersey was not reachable"),
    ),
    Setting(
        name="losers_show", default=False, allowed=(False, True), meaning="every hand of a showdown is shown, none thrown away unseen",
        rule=c.parallel("PA 637a.18(e)", "a loser need not show unless house rules require it"),
    ),
    Setting(
        name="stub_count_every", default=5, between=(1, 1000), meaning="the stub is counted at least once in this many rounds",
        rule=c.house("stub_count_every", "by house practice at least once in each dealer's turn"),
    ),
    c.TWO_DECKS,
)  # fmt: skip


def variant_of(settings: Settings) -> Variant:
    """The variant that the house has chosen."""
    return VARIANTS[settings.text("variant")]


def _from_the_hand(settings: Settings) -> tuple[Step, ...]:
    return streets(variant_of(settings), settings)


def _someone_else_shows(round_: Round, seat: int) -> str:
    return "" if contested(round_) else f"Seat {seat} is the last hand: a winner shows the whole of it."


def _play(settings: Settings) -> tuple[Step, ...]:
    throw = Option(
        choose="fold", meaning="throw the hand away unseen and give up the pot", status="folded", needs=_someone_else_shows,
        rule=c.parallel("PA 637a.18(e)", "a loser may throw the hand away unseen"),
    )  # fmt: skip
    options = () if settings.flag("losers_show") else (throw,)
    return (
        Stub(rule=c.parallel("dealer guide", "the rest goes with muck and burns into the next shuffle")),
        Settle(order=Order.ANY, options=options, when=contested, rule=SHOWDOWN),
        Collect(rule=c.memory("collecting in poker", "after the pot is awarded all cards go into the next shuffle")),
    )


# ---- irregularities


def _before_action(round_: Round, place: str) -> bool:
    return not round_.betting_rounds


def _exposed_too_soon_or_often(round_: Round, place: str) -> bool:
    first_two = place in list(round_.hands)[:2] and len(round_.hands[place]) == 1
    return _before_action(round_, place) and (first_two or round_.exposed_down > 0)


def _misdeal(words: str, after: str, after_words: str) -> Remedy:
    """A misdeal until the first betting round is closed, something else afterwards."""
    otherwise = Remedy(after, TOURNAMENT, after_words)
    return Remedy("reshuffle", MISDEAL, f"Misdeal: {words}. Shuffle again, same button.", _before_action, otherwise)


def _irregularities(method: Method) -> Mapping[str, Remedy]:
    wrong_order = _misdeal("the deal was in the wrong order or to the wrong players", "play-on", "After action the deal stands.")
    burned = Remedy(
        "burn-it", ROBERT, "Finish the deal; the exposed card is the burn, the player gets the top card.", _before_action,
    )  # fmt: skip
    exposed = Remedy(
        "reshuffle", ROBERT, "The first or second card of the deal exposed, or more than one: misdeal, same button.",
        _exposed_too_soon_or_often, burned,
    )  # fmt: skip
    board = "Cards of the board turned too early or too many: shuffled back into the rest of the deck; new ones without another burn."
    deck = Remedy("deck-off-table", ROBERT, "A card of another back or two of the same: hands void, wagers back, deck off the table.")
    return {
        "card-face-up": c.ONE_FACE_UP,
        "cards-face-up": _misdeal("two or more cards face up in the deck", "discard-and-continue", "After action each is discarded."),
        "card-drawn-in-error": c.DRAWN_IN_ERROR,
        "player-card-exposed": exposed,
        "wrong-start": wrong_order,
        "wrong-place": wrong_order,
        "wrong-count-seat": _misdeal("a wrong number of cards", "hand-dead", "A hand with a wrong number of cards after action is dead."),
        "community-card-exposed": Remedy("put-back-and-continue", ROBERT, board),
        "wrong-count-community": Remedy("put-back-and-continue", ROBERT, board),
        "hand-fouled": Remedy("hand-dead", c.memory("fouled hands"), "A hand mixed with another one or the muck is dead."),
        "duplicate-card": deck,
        "foreign-card": deck,
        "missing-card": c.DECK_WRONG,
        "shuffler-malfunction": c.SHUFFLER_FAILED,
        "too-few-cards": Remedy(
            "reshuffle-and-continue", c.parallel("online house rule"), "The rest is too small: shuffle the muck into it, cut, deal on."
        ),
    }


# ---- the showdown


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    live = round_.live_seats()
    judged = [_words(round_, n, {"": "lose"}, seat.status) for n, seat in sorted(round_.seats.items()) if not seat.live]
    if len(live) == 1 and not round_.seats[live[0]].exposed:
        return [*judged, _words(round_, live[0], {"": "win"}, "")]
    if not all(round_.seats[n].exposed for n in live):
        return judged
    return judged + _award(variant_of(settings), round_, live)


def _award(variant: Variant, round_: Round, live: list[int]) -> list[Judged]:
    board = round_.shown_cards(COMMUNITY)
    own = {n: c.kept_cards(round_.seats[n]) for n in live}
    if any(not _is_whole(variant, len(cards), len(board)) for cards in own.values()):
        return []
    results: dict[int, dict[str, str]] = {n: {} for n in live}
    texts: dict[int, list[str]] = {n: [] for n in live}
    for name, rank in variant.halves:
        ranked: dict[int, Ranked] = {n: hand for n in live if (hand := rank(own[n], board)) is not None}
        if not ranked:
            continue
        best = max(value for value, _ in ranked.values())
        for n in live:
            value, text = ranked.get(n, (-1, ""))
            results[n][name] = "win" if value == best else "lose"
            texts[n] += [text] if text else []
    return [_words(round_, n, results[n], "; ".join(texts[n])) for n in live]


def _is_whole(variant: Variant, own: int, board: int) -> bool:
    """Board games have five cards in the centre; where a stud deck ran short, one card there stands for everybody's last one."""
    return (own, board) == (variant.own, BOARD) if variant.family is Family.BOARD else own + board == variant.own


def _words(round_: Round, number: int, halves: dict[str, str], hand: str) -> Judged:
    """Results by half of the pot where it is split, else by the wagers that were told; amounts are not followed."""
    seat = round_.seats[number]
    results = halves if "" not in halves else dict.fromkeys(seat.wagers, halves[""])
    rule = HIGH_LOW if "" not in halves else POT
    return Judged(key=str(number), results=results, pays=dict.fromkeys(results), hand=hand, rule=rule)


WRONG_STUB = StubCheck(
    rule=c.house("stub_count_every", "the interval in New Jersey was not reachable"),
    wrong_misdealt=Remedy(
        "all-hands-void", c.parallel("South Dakota 20:18:16:34"), "The deck is defective: pots not taken yet go back, won pots stand."
    ),
    wrong_deck=c.DECK_WRONG,
    method="counted face down on the layout",
)

GAME = Game(
    key="poker",
    title="Poker",
    law="13:69F-14",
    summary="Hold 'em, Omaha, stud and draw games among the players for a pot, dealt from the hand; the dealer has no hand.",
    settings=SETTINGS,
    wagers=(
        WagerKind(name="ante", opens=True, rule=c.law("14.10(b)", "as posted"), meaning="puts the seat in play"),
        WagerKind(name="blind", opens=True, rule=c.law("14.10(d)", "as posted"), meaning="small or big blind; puts the seat in play"),
        WagerKind(name="straddle", opens=True, rule=c.law("14.10(f)", "where offered"), meaning="a blind raise; puts the seat in play"),
    ),
    deck=lambda settings: DeckSpec(decks=1),
    deals={Method.HAND: _from_the_hand},
    absent={
        Method.MANUAL_SHOE: c.memory("poker from a shoe", "poker is dealt from the hand"),
        Method.AUTOMATED_SHOE: c.memory("poker from stacks", "cards come one at a time, from the hand"),
    },
    play=_play,
    irregularities=_irregularities,
    judge=_judge,
    stub=WRONG_STUB,
    cards_needed=lambda settings, seats: variant_of(settings).cards_needed(seats),
)
