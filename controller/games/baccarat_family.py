"""What the three baccarat games have in common: two common hands, point counts, the shoe's opening, its end, and irregularities.

Seats never get cards. In punto banco and minibaccarat they wager on the Player, the Banker or a tie against the house, and every third
card is forced; a game gives who deals, what is chosen by the house, and its own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from controller.dealing.game import Judged
from controller.dealing.round import BANKER, PLAYER, SIDES, Round, Seat
from controller.dealing.rules import Rule
from controller.dealing.settings import Setting, Settings
from controller.dealing.side_steps import BurnByFirst, ExposeSide
from controller.dealing.steps import Collect, Deal, Draw, Face, Method, Remedy, Settle, Step, WagerKind, Wagers, Who
from controller.games import common as c
from controller.games.pay import VIGORISH_ROUNDINGS, percent_of, vigorish
from controller.hands.baccarat import (
    Play,
    banker_play,
    burn_value,
    count,
    hand_name,
    is_natural,
    player_play,
)
from firmware_bridge.cards import UNREADABLE, Card

BOTH = (Who.PLAYER, Who.BANKER)
MOST_CARDS = 6
"""Two hands of three."""
NO_MORE_BETS = c.parallel("PA 627a.8(b)", "announced before the first card")
NATURAL = c.parallel("PA 631a.11(a)", "8 or 9 in two cards of either hand: no more cards")
TABLE_1 = c.parallel("PA 631a.11(c)", "Table 1; by the third card's own value")
FACE_UP_RULE = c.parallel("PA 627a.8(c)1", "each card placed face up")
FACE_DOWN_RULE = c.parallel("PA 627a.8(c)2", "the Banker's cards wait face down until the Player's hand was called")
PAYS = c.parallel("published baccarat page", "Player 1 to 1, Banker 1 to 1 less vigorish, both push on a tie")
PAIRS = ("player_pair", "banker_pair")
FIRST_TWO = c.parallel("PA 627a.8(d)", "a wager on the first two cards is settled before any third card; read of another such wager")
RIGHT_FIRST = c.parallel("PA 627a.8(d)1", "losers first, from the dealer's right counterclockwise")
PICK_UP = c.analogy("34.12(j)", "in an order that lets each hand be rebuilt")
OPENING = c.parallel("published rule sheet", "the first card is shown, as many further cards are burned; ten and court cards ten")
NO_HAND = c.memory("baccarat from a shoe", "this game is not dealt from the hand")
NO_STACKS = c.memory("baccarat from a shoe", "cards leave the shoe singly; a shuffler may load it or serve as the shoe")
ABSENT: Mapping[Method, Rule] = {Method.HAND: NO_HAND, Method.AUTOMATED_SHOE: NO_STACKS}

DECKS_RULE = c.house("decks", "six or eight in practice; NSW casino rules name the same")
VIGORISH = (
    Setting(
        name="vigorish_percent", default=5, between=(0, 5), meaning="vigorish in percent of what the Banker's side wins",
        rule=c.parallel("published baccarat page", "5 percent"),
    ),
    Setting(
        name="vigorish_rounding", default="up-quarter", allowed=VIGORISH_ROUNDINGS,
        meaning="up to the next quarter, to the nearest quarter, or to the cent", rule=c.analogy("34.12(i)"),
    ),
)  # fmt: skip


def decks_setting(default: int) -> Setting:
    """How many decks the shoe holds."""
    return Setting(name="decks", default=default, allowed=(6, 8), meaning="decks in the shoe", rule=DECKS_RULE)


def opening_burn(*, default: bool, rule: Rule) -> Setting:
    """Whether a new shoe is opened by showing its first card and burning as many as it counts."""
    return Setting(
        name="shoe_start_burn", default=default, allowed=(True, False), rule=rule,
        meaning="the first card of a shoe is shown and as many further cards are burned as it counts",
    )  # fmt: skip


ROUNDS_AFTER_CUT = Setting(
    name="rounds_after_cut", default=1, between=(0, 1),
    meaning="rounds after the one in which the cutting card came out; as first card of a round it makes that round the last",
    rule=c.parallel("published rule sheet", "the round is finished, then one more"),
)  # fmt: skip


def _odds(name: str, wager: str, rule: Rule, default: int | None = None) -> Setting:
    words = "" if default is not None else "; none: results then say no money"
    return Setting(name=name, default=default, between=(1, 500), meaning=f"odds to one of the {wager} wager{words}", rule=rule)


def banking_settings(seats: Setting, *, face_up: bool) -> tuple[Setting, ...]:
    """The settings of the games in which the house banks."""
    return (
        seats,
        decks_setting(8),
        opening_burn(default=True, rule=OPENING),
        Setting(
            name="face_up_deal", default=face_up, allowed=(True, False), rule=c.house("face_up_deal", "chosen by the house for the table"),
            meaning="the first four cards are dealt face up; otherwise they are turned by hand, the Player's first",
        ),
        *VIGORISH,
        Setting(
            name="banker_pays", default="vigorish", allowed=("vigorish", "no-vigorish", "half-on-six"),
            meaning="even money less vigorish; even money without it but a push on a three-card 7; or half on a winning 6 without it",
            rule=c.house("banker_pays", "PA 627a.1 for no vigorish; the push on a three-card 7 by memory"),
        ),
        ROUNDS_AFTER_CUT,
        _odds("tie_pays", "tie", c.parallel("published baccarat page", "8 to 1"), 8),
        _odds("dragon_7_pays", "dragon_7", c.house("dragon_7_pays", "PA 627a.1 names the hand; no odds were read")),
        _odds("panda_8_pays", "panda_8", c.house("panda_8_pays", "PA 627a.1 names the hand; no odds were read")),
        _odds("pair_pays", "player_pair and banker_pair", c.house("pair_pays", "no odds were read")),
    )  # fmt: skip


BANKING_WAGERS = (
    WagerKind(name="player", opens=True, rule=PAYS, meaning="the Player's hand wins"),
    WagerKind(name="banker", opens=True, rule=PAYS, meaning="the Banker's hand wins"),
    WagerKind(name="tie", opens=True, rule=PAYS, meaning="both hands count the same"),
    WagerKind(name="player_pair", side=True, rule=c.memory("pair wagers"), meaning="the Player's first two cards are a pair"),
    WagerKind(name="banker_pair", side=True, rule=c.memory("pair wagers"), meaning="the Banker's first two cards are a pair"),
    WagerKind(name="dragon_7", side=True, rule=c.parallel("PA 627a.1"), meaning="the Banker wins with three cards that count 7"),
    WagerKind(name="panda_8", side=True, rule=c.parallel("PA 627a.1"), meaning="the Player wins with three cards that count 8"),
)


def irregularities(method: Method) -> dict[str, Remedy]:
    """What all three games do about cards that come wrongly."""
    voids = "round void, wagers go back, shuffle again."
    return {
        "card-face-up": Remedy(
            "discard-and-continue", c.analogy("26.15(a)"), "One card face up in the shoe is not used: to the discards, then the next card."
        ),
        "cards-face-up": Remedy("round-void", c.analogy("26.15(a)"), f"More than one card face up: {voids}"),
        "card-drawn-in-error": Remedy(
            "use-as-next",
            c.memory("card drawn in excess"),
            "An undue third card of the Player becomes the Banker's if he draws; else, not shown, it is the first card of the next round.",
        ),
        "too-few-cards": Remedy("round-void", c.memory("not enough cards"), f"The shoe cannot finish the round: {voids}"),
        "shuffler-malfunction": c.SHUFFLER_FAILED,
    }


# ---- the deal


def opening(settings: Settings) -> tuple[Step, ...]:
    """Wagers, and the burn that opens a shoe."""
    wagers = Wagers(rule=NO_MORE_BETS)
    if not settings.flag("shoe_start_burn"):
        return (wagers,)
    return wagers, BurnByFirst(more=burn_value, when=c.fresh_shoe, rule=OPENING)


def four_cards(*, face_up: bool, announces: Callable[[Round], str] | None = None) -> Deal:
    """First and third card to the Player, second and fourth to the Banker."""
    facing = (Face.UP if face_up else Face.DOWN,) * 2
    return Deal(to=BOTH, facing=facing, announces=announces, rule=FACE_UP_RULE if face_up else FACE_DOWN_RULE)


def next_counterclockwise(round_: Round) -> int | None:
    """The seat in play that the shoe passes to, from the one that holds it; seats are counted clockwise."""
    if round_.button is None:
        return None
    return max((n for n in round_.seats if n < round_.button), default=max(round_.seats, default=None))


def deal(settings: Settings) -> tuple[Step, ...]:
    """Four cards; dealt face down, the Player's hand is turned and called, then the Banker's."""
    face_up = settings.flag("face_up_deal")
    cards = (*opening(settings), four_cards(face_up=face_up))
    if face_up:
        return cards
    turned = c.parallel("casino baccarat guide", "turned by whoever has the largest wager on it, and called")
    return *cards, ExposeSide(side=Who.PLAYER, rule=turned), ExposeSide(side=Who.BANKER, rule=FACE_DOWN_RULE)


def play(settings: Settings) -> tuple[Step, ...]:
    """The forced third cards, settlement and picking up."""
    words = "Player: draws to 5, stays on 6 and 7. Banker: by the table, against the Player's third card. A natural ends the draw."
    return (
        Settle(face_up=True, wagers=PAIRS, when=_pairs_are_wagered, rule=FIRST_TWO),
        Draw(next_place=third_card, words=words, rule=TABLE_1),
        Settle(face_up=True, rule=RIGHT_FIRST),
        Collect(rule=PICK_UP),
    )


def _pairs_are_wagered(round_: Round) -> bool:
    return any(name in seat.wagers for seat in round_.seats.values() for name in PAIRS)


def open_hands(round_: Round) -> tuple[tuple[Card, ...], tuple[Card, ...]] | None:
    """The Player's and the Banker's cards when at least two of each lie open and all of them are known."""
    player, banker = (round_.shown_cards(side) for side in SIDES)
    known = min(len(player), len(banker)) >= 2 and UNREADABLE not in (*player, *banker)
    return (player, banker) if known else None


def third_card(round_: Round) -> tuple[str, str] | None:
    """Where the next third card goes by the forced table."""
    hands = open_hands(round_)
    if hands is None or any(map(is_natural, hands)):
        return None
    player, banker = hands
    if len(player) == 2 and player_play(count(player)) is Play.DRAW:
        return PLAYER, "up"
    third = player[2] if len(player) == 3 else None
    if len(banker) == 2 and banker_play(count(banker), third) is Play.DRAW:
        return BANKER, "up"
    return None


# ---- settlement


def winner(player: tuple[Card, ...], banker: tuple[Card, ...]) -> str:
    """`player`, `banker`, or `tie`."""
    one, other = count(player), count(banker)
    return PLAYER if one > other else BANKER if other > one else "tie"


def sides(hands: tuple[tuple[Card, ...], tuple[Card, ...]], rule: Rule) -> list[Judged]:
    """The results of the two hands themselves."""
    won = winner(*hands)
    words = {side: "push" if won == "tie" else "win" if side == won else "lose" for side in SIDES}
    return [
        Judged(key=side, results={"hand": words[side]}, pays={}, hand=hand_name(cards), rule=rule)
        for side, cards in zip(SIDES, hands, strict=True)
    ]


def house_keeps(settings: Settings, won: int) -> int:
    """The vigorish of cents won on the Banker's side."""
    return vigorish(won, settings.number("vigorish_percent"), settings.text("vigorish_rounding"))


def judge(settings: Settings, round_: Round) -> list[Judged]:
    """Every seat's wagers against the two hands, once no more cards are due; before a third card those on the first two alone."""
    hands = open_hands(round_)
    if hands is None:
        return []
    if third_card(round_) is not None:
        return [_pairs(settings, seat, hands) for _, seat in sorted(round_.seats.items()) if any(name in seat.wagers for name in PAIRS)]
    rule = NATURAL if any(map(is_natural, hands)) else TABLE_1
    return [_seat(settings, seat, hands) for _, seat in sorted(round_.seats.items())] + sides(hands, rule)


def _pairs(settings: Settings, seat: Seat, hands: tuple[tuple[Card, ...], tuple[Card, ...]]) -> Judged:
    settled = {name: _wager(settings, name, amount, hands) for name, amount in seat.wagers.items() if name in PAIRS}
    results = {name: result for name, (result, _) in settled.items()}
    return Judged(key=str(seat.number), results=results, pays={name: won for name, (_, won) in settled.items()}, rule=FIRST_TWO)


def _seat(settings: Settings, seat: Seat, hands: tuple[tuple[Card, ...], tuple[Card, ...]]) -> Judged:
    results: dict[str, str] = {}
    pays: dict[str, int | None] = {}
    kept = 0
    for name, amount in seat.wagers.items():
        results[name], won = _wager(settings, name, amount, hands)
        pays[name] = won
        if results[name] == "win" and name == BANKER and amount is not None and settings.text("banker_pays") == "vigorish":
            kept = house_keeps(settings, amount)
            pays[name] = amount - kept
    return Judged(key=str(seat.number), results=results, pays=pays, commission=kept, rule=PAYS)


def _wager(settings: Settings, name: str, amount: int | None, hands: tuple[tuple[Card, ...], tuple[Card, ...]]) -> tuple[str, int | None]:
    """(result, net cents before any vigorish) of one wager."""
    player, banker = hands
    won = winner(player, banker)
    match name:
        case "player" | "banker" if won == "tie":
            return "push", None if amount is None else 0
        case "player":
            return _even(amount, wins=won == PLAYER)
        case "banker":
            return _banker(settings, amount, banker, wins=won == BANKER)
        case "tie":
            return _by_odds(settings.number_or_none("tie_pays"), amount, wins=won == "tie")
        case "dragon_7":
            hit = won == BANKER and len(banker) == 3 and count(banker) == 7
            return _by_odds(settings.number_or_none("dragon_7_pays"), amount, wins=hit)
        case "panda_8":
            hit = won == PLAYER and len(player) == 3 and count(player) == 8
            return _by_odds(settings.number_or_none("panda_8_pays"), amount, wins=hit)
        case _:
            cards = player if name == "player_pair" else banker
            return _by_odds(settings.number_or_none("pair_pays"), amount, wins=cards[0].rank == cards[1].rank)


def _even(amount: int | None, *, wins: bool) -> tuple[str, int | None]:
    return ("win", amount) if wins else ("lose", c.lost(amount))


def _by_odds(odds: int | None, amount: int | None, *, wins: bool) -> tuple[str, int | None]:
    if not wins:
        return "lose", c.lost(amount)
    return "win", None if odds is None else c.net(amount, odds)


def _banker(settings: Settings, amount: int | None, banker: tuple[Card, ...], *, wins: bool) -> tuple[str, int | None]:
    """The Banker's even money, and what the variants without vigorish make of it."""
    pays = settings.text("banker_pays")
    if wins and pays == "no-vigorish" and len(banker) == 3 and count(banker) == 7:
        return "push", None if amount is None else 0
    if wins and pays == "half-on-six" and count(banker) == 6:
        return "win", None if amount is None else percent_of(amount, 50)
    return _even(amount, wins=wins)
