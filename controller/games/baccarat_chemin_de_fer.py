"""Baccarat-Chemin de Fer, N.J.A.C. 13:69F-4.

One patron is the banker and stakes a bank, the others cover it and one of them acts for the Player; the house only supervises and takes a
commission. Some third cards are free. Until the Player has spoken nobody but the patrons has seen the cards, so he is always asked; what
he says is held against the cards that were read, and a wrong play is corrected to the forced one. The chapter's text was not reachable;
what follows is drawn from published house rules, sister games and the trade's pattern, and says so.
"""

from __future__ import annotations

from controller.dealing.game import Game, Judged
from controller.dealing.round import BANKER, PLAYER, Round, Seat
from controller.dealing.settings import Setting, Settings
from controller.dealing.side_steps import DecideSide, ExposeSide
from controller.dealing.steps import Collect, Draw, Method, Option, Placer, Settle, Step, WagerKind, Who
from controller.decks import DeckSpec
from controller.games import baccarat_family as family
from controller.games import common as c
from controller.hands.baccarat import CHEMIN_PLAYER, CHEMIN_TABLEAU, Play, Tableau, banker_play, count, is_natural, player_play
from firmware_bridge.cards import UNREADABLE, Card

LOOK = "the Player has spoken, and the rule is checked"
SAN_REMO = c.parallel("San Remo house rules", "must draw with 0 to 4, free with 5, must stay with 6 and 7")
NATURAL = c.parallel("Campione house rules", "8 or 9 in two cards is turned up at once, and nobody draws")
BANKERS_TABLE = c.memory("the rule of chemin de fer", "the forced cells are those of PA 631a.11 but for the free ones")
TURNS_BOTH = c.parallel("San Remo house rules", "the banker turns both cards, then stays or draws one face up")
COVER = c.parallel("Campione house rules", "covered in turn; the uncovered part goes back, what is above the bank is refused")
SEATS = c.house("seats", "the number of seats was not reachable")

SETTINGS = (
    c.seats_setting(14, 2, 14, SEATS),
    family.decks_setting(6),
    family.opening_burn(default=False, rule=c.house("shoe_start_burn", "no text for this game")),
    *family.VIGORISH,
    family.ROUNDS_AFTER_CUT,
    Setting(
        name="six_after_stay", default="stay", allowed=("stay", "free"),
        meaning="what the banker does with 6 when the Player stayed; some versions leave it free",
        rule=c.house("six_after_stay", "known from memory only"),
    ),
    Setting(
        name="free_cells", default="free", allowed=("free", "draw", "stay"),
        meaning="the cells that the table leaves to the banker, or what a house makes of them",
        rule=c.house("free_cells", "whether the chapter makes them mandatory was not reachable"),
    ),
)  # fmt: skip


def _tableau(settings: Settings) -> Tableau:
    free = {"free": "O", "draw": "D", "stay": "S"}[settings.text("free_cells")]
    rows = {points: row.replace("O", free) for points, row in CHEMIN_TABLEAU.items()}
    return rows if settings.text("six_after_stay") == "stay" else {**rows, 6: free + rows[6][1:]}


# ---- the Player


def _seen(round_: Round, side: str) -> tuple[Card, ...]:
    """A side's cards when all of them lie open, else none."""
    cards = round_.shown_cards(side)
    return cards if len(cards) == len(round_.hands.get(side, ())) and UNREADABLE not in cards else ()


def _natural_lies_open(round_: Round) -> bool:
    return any(is_natural(_seen(round_, side)) for side in (PLAYER, BANKER))


def _player_is_asked(round_: Round) -> bool:
    """Always while his cards are hidden; cards that lie open may leave no choice."""
    cards = _seen(round_, PLAYER)
    return not _natural_lies_open(round_) and (not cards or player_play(count(cards), CHEMIN_PLAYER) is Play.FREE)


def _hidden(round_: Round, side: str) -> tuple[Card, ...]:
    cards = round_.cards_at(side, LOOK)
    return () if UNREADABLE in cards else cards


class _NeedsPlay:
    """Why the Player may not do this: his cards force another play. Nothing of them is told but that."""

    def __init__(self, play: Play, words: str) -> None:
        self._play, self._words = play, words
        self.__qualname__ = f"needs {play.name}"

    def __call__(self, round_: Round, seat: int) -> str:
        cards = _hidden(round_, PLAYER)
        if not cards:
            return ""
        if is_natural(cards):
            return "The Player turns his cards up now."
        play = player_play(count(cards), CHEMIN_PLAYER)
        return "" if play in (self._play, Play.FREE) else self._words


def _needs_natural(round_: Round, seat: int) -> str:
    cards = _hidden(round_, PLAYER)
    return "" if not cards or is_natural(cards) else "The Player's two cards do not count 8 or 9."


def _banker_has_natural(round_: Round) -> bool:
    """The banker has looked before the Player spoke; a natural that he did not turn is turned now."""
    return is_natural(_hidden(round_, BANKER)[:2]) and not _seen(round_, BANKER)


class _NotSeen:
    """Whether a side's cards do not all lie open yet."""

    def __init__(self, side: str) -> None:
        self._side = side
        self.__qualname__ = f"{side} not seen"

    def __call__(self, round_: Round) -> bool:
        return not _seen(round_, self._side)


def _player_card(round_: Round) -> tuple[str, str] | None:
    """The Player's third card, when he asked for one or his open cards force him to."""
    if _natural_lies_open(round_) or len(round_.hands.get(PLAYER, ())) != 2:
        return None
    choice, cards = round_.choices.get(PLAYER), _seen(round_, PLAYER)
    forced = choice is None and bool(cards) and player_play(count(cards), CHEMIN_PLAYER) is Play.DRAW
    return (PLAYER, "up") if choice == "draw" or forced else None


# ---- the banker


class _Banker:
    """The banker's play by the table of this house."""

    def __init__(self, settings: Settings) -> None:
        self._tableau = _tableau(settings)

    def _play(self, round_: Round) -> Play:
        cards = _seen(round_, BANKER)
        if len(cards) != 2 or _natural_lies_open(round_):
            return Play.STAY
        player = round_.hands.get(PLAYER, ())
        third = round_.shown_cards(PLAYER)[-1] if len(player) == 3 else None
        return banker_play(count(cards), third, self._tableau)

    def is_asked(self, round_: Round) -> bool:
        """The table leaves it to him."""
        return self._play(round_) is Play.FREE

    def card(self, round_: Round) -> tuple[str, str] | None:
        """His third card: forced, or chosen."""
        play = self._play(round_)
        draws = play is Play.DRAW or (play is Play.FREE and round_.choices.get(BANKER) == "draw")
        return (BANKER, "up") if draws else None


# ---- steps


def _deal(settings: Settings) -> tuple[Step, ...]:
    return *family.opening(settings), family.four_cards(face_up=False, announces=_who_acts)


def _acting(round_: Round) -> int | None:
    """The largest wager acts for the Player; of equal ones the first from the banker's right. None where no amounts were told."""
    covers = {n: seat.wagers["cover"] or 0 for n, seat in round_.seats.items() if "cover" in seat.wagers}
    if not covers or not max(covers.values()):
        return None
    order = sorted(covers, key=lambda n: ((round_.button or 0) - n) % (max(covers) + 1))
    return max(order, key=lambda n: covers[n])


def _who_acts(round_: Round) -> str:
    seat = _acting(round_)
    return "" if seat is None else f"Seat {seat} has the largest wager and acts for the Player."


def _speaks_for(round_: Round, seat: int) -> str | None:
    if seat == round_.button:
        return BANKER
    acting = _acting(round_)
    covers = seat in round_.seats and "cover" in round_.seats[seat].wagers
    return PLAYER if seat == acting or (acting is None and covers) else None


def _play(settings: Settings) -> tuple[Step, ...]:
    banker = _Banker(settings)
    draw = Option(choose="draw", meaning="asks for a card, face up", needs=_NeedsPlay(Play.DRAW, "The Player must stay."), rule=SAN_REMO)
    stay = Option(choose="stay", meaning="stays", needs=_NeedsPlay(Play.STAY, "The Player must draw."), rule=SAN_REMO)
    natural = Option(choose="natural", meaning="turns up 8 or 9", turns_up=True, needs=_needs_natural, rule=NATURAL)
    free = (
        Option(choose="draw", meaning="draws one card, face up", rule=BANKERS_TABLE),
        Option(choose="stay", meaning="stays", rule=BANKERS_TABLE),
    )
    return (
        DecideSide(side=Who.PLAYER, options=(draw, stay, natural), asks=_player_is_asked, may_turn=is_natural, rule=SAN_REMO),
        ExposeSide(side=Who.BANKER, at_once=True, when=_banker_has_natural, rule=NATURAL),
        Draw(next_place=_player_card, words="One card, face up, to a Player who asked for it.", rule=SAN_REMO),
        ExposeSide(side=Who.BANKER, at_once=True, when=_NotSeen(BANKER), rule=TURNS_BOTH),
        DecideSide(side=Who.BANKER, options=free, asks=banker.is_asked, rule=BANKERS_TABLE),
        Draw(next_place=banker.card, words="One card, face up, to the banker where the table says so or he chose it.", rule=BANKERS_TABLE),
        ExposeSide(side=Who.PLAYER, at_once=True, when=_NotSeen(PLAYER), rule=TURNS_BOTH),
        Settle(face_up=True, rule=family.RIGHT_FIRST),
        Collect(rule=family.PICK_UP),
    )


# ---- settlement


def next_banker(round_: Round, seats: int) -> int | None:
    """A banker who wins or ties keeps the shoe; after a loss it passes counterclockwise."""
    lost = round_.results.get(BANKER, {}).get("hand") == "lose"
    return family.next_counterclockwise(round_) if lost else round_.button


def _judge(settings: Settings, round_: Round) -> list[Judged]:
    hands = family.open_hands(round_)
    if hands is None:
        return []
    won = family.winner(*hands)
    judged = [_seat(settings, seat, won) for _, seat in sorted(round_.seats.items())]
    return judged + family.sides(hands, BANKERS_TABLE)


def _seat(settings: Settings, seat: Seat, won: str) -> Judged:
    """The bank, as far as it is covered, against those who cover it, even money; the house takes its part of the banker's win."""
    is_bank = "bank" in seat.wagers
    name = "bank" if is_bank else "cover"
    amount = seat.wagers.get(name)
    rule = c.parallel("casino guide to chemin de fer", "stakes 1 to 1, the house takes its commission of the banker's win")
    if won == "tie":
        return Judged(key=str(seat.number), results={name: "push"}, pays={name: None if amount is None else 0}, rule=rule)
    if is_bank != (won == BANKER):
        return Judged(key=str(seat.number), results={name: "lose"}, pays={name: c.lost(amount)}, rule=rule)
    kept = family.house_keeps(settings, amount) if is_bank and amount is not None else 0
    paid = None if amount is None else amount - kept
    return Judged(key=str(seat.number), results={name: "win"}, pays={name: paid}, commission=kept, rule=rule)


def _rounds_after_cut(settings: Settings) -> int:
    return settings.number("rounds_after_cut")


def _is_natural(settings: Settings, cards: tuple[Card, ...]) -> bool:
    return UNREADABLE not in cards and is_natural(cards)


WAGERS = (
    WagerKind(
        name="bank", opens=True, by=Placer.HOLDER, meaning="what the banker stakes",
        rule=c.parallel("Campione house rules", "the banker states the bank"),
    ),
    WagerKind(name="cover", opens=True, by=Placer.OTHERS, within="bank", meaning="a part of the bank, or all of it", rule=COVER),
)  # fmt: skip


GAME = Game(
    key="baccarat-chemin-de-fer",
    title="Baccarat-Chemin de Fer",
    law="13:69F-4",
    summary="One patron banks against the others; two common hands, nearest to 9 wins; some third cards are free.",
    settings=SETTINGS,
    wagers=WAGERS,
    deck=lambda settings: DeckSpec(decks=settings.number("decks")),
    deals={Method.MANUAL_SHOE: _deal},
    absent=family.ABSENT,
    play=_play,
    irregularities=family.irregularities,
    judge=_judge,
    stub=None,
    shoe_game=True,
    is_natural=_is_natural,
    cards_needed=lambda settings, seats: family.MOST_CARDS,
    may_run_out=True,
    rounds_after_cut=_rounds_after_cut,
    holder="banker",
    speaks_for=_speaks_for,
    next_holder=next_banker,
)
