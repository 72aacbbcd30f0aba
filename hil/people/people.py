"""A dealer, players and a supervisor who play random legal rounds of any game from its procedure.

They know the procedure, what the table answered, and the cards that a person at the table could know; they never look
into the table's state. All randomness is the generator passed in, so a seed repeats a session. `next_move` says what
they do next, or None when it is a device's turn; `heard` tells them what the table answered.

Slips of people are in `hil.people.slips`; a slip that the table accepts after all is remembered like any other act.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

from controller.dealing.plan import turns_of
from controller.dealing.procedure import Procedure
from controller.dealing.round import DEALER, SIDES, Round, Seat, seat_of, seat_place
from controller.dealing.show_steps import ShowHands
from controller.dealing.side_steps import DecideSide, ExposeSide
from controller.dealing.steps import Betting, Decide, Exchange, ExposeCards, Option, SetHands, Settle, StateKind, Stub, Wagers, Who
from controller.dealing.turn_steps import PlayHands
from controller.table.outcome import Outcome
from firmware_bridge.cards import parse_card
from hil.people import sides
from hil.people.drawing import next_in_turns
from hil.people.hands import groups_of
from hil.people.moves import HandCards, Move, Plain
from hil.people.muck import Muck, among_players, some_seats
from hil.people.stakes import DECLINED_RATE, amount_of, cents, seat_after, wagers_missing, wagers_of
from hil.people.starting import any_start

SUPERVISOR: Final = "supervisor:S1"
WAYS: Final = ("continue", "void", "reshuffle", "replace-deck", "hand-dead")
"""Words of `resolve` that the supervisor tries one after another."""
VOID_FIRST: Final = frozenset({"unshuffled-order"})
"""Alarms after which no supervisor goes on with these cards."""
NAMED_RATE: Final = 0.5
"""How often cards of a choice are named at once and not when they are exposed."""
TRIES: Final = 10
"""Above the number of seats: by then every other turn has been tried before this one."""


class People:
    """Everybody at one table; see the module's text."""

    def __init__(self, procedure: Procedure, rng: random.Random, *, most_seats: int | None = None) -> None:
        self.procedure = procedure
        self.rng = rng
        self.cards = HandCards()
        self.muck = Muck(procedure, self.cards, rng)
        self.round = Round(number=0)
        self._most_seats = min(most_seats or procedure.seats, procedure.seats)
        self._coming: list[int] = []
        self._phase = ""
        self._turns: list[str] = []
        self._named: dict[str, Mapping[str, list[str]]] = {}
        self._ways = list(WAYS)
        self._community_left: list[int] = []
        self._button = 0
        self._tries: dict[str, int] = {}
        self._rescanned = False
        self._names_all = False
        """The table has asked for the names of cards that are turned up, since it has not read all of them."""

    # ---- what they learn

    def heard(self, move: Move | None, outcome: Outcome) -> None:
        """Take in what the table answered to a move, or to a device (None)."""
        if move is not None and outcome.refused is None:
            self._remember(move)
        elif move is not None and not move.why and move.key == "wager":
            self._coming = self._coming[1:]
        elif move is not None and not move.why and outcome.refused in ("not-your-turn", "not-wagered"):
            self._forget_turn(move)
        elif move is not None and not move.why and move.key == "expose" and outcome.refused == "bad-cards":
            self._names_all = True
        if outcome.state != "suspended" and outcome.phase != self._phase:
            self._enter(outcome)
        self.muck.heard(move, outcome, self.round)

    def saw_card(self, place: str, name: str) -> None:
        """A card was placed."""
        self.cards.saw("community" if place.startswith("community") else place, [name])

    def lost_track(self) -> None:
        """Two cards left together: nobody can tell any more which was meant for whom, so the round is better void."""
        self._ways = ["void", *WAYS]

    def _enter(self, outcome: Outcome) -> None:
        self._phase = outcome.phase
        self._ways = list(WAYS)
        self._rescanned = self._names_all = False
        self._tries.clear()
        step = self.procedure.step(outcome.phase)
        self._turns = list(turns_of(step, self.round, self.procedure.seats))
        if isinstance(step, ExposeCards) and step.what is Who.COMMUNITY:
            self._community_left = list(range(1, len(self.cards.at("community")) + 1))
        if isinstance(step, Wagers):
            if outcome.round != self.round.number:
                self._begin(outcome.round)
        elif outcome.state in ("ready", "unverified", "complete"):
            self._begin(0)

    def _begin(self, number: int) -> None:
        kept = self.round.seats if number and not self.round.number else {}
        self.round = Round(number=number, seats=dict(kept))
        self.cards.clear()
        self.muck.clear()
        self._named.clear()
        seats = some_seats(self.procedure, self._most_seats, self.rng)
        self._coming = [seat for seat in sorted(seats) if seat not in kept]

    def _remember(self, move: Move) -> None:
        value = move.value
        match move.key:
            case "wager" if isinstance(value, dict):
                self._seat_wagered(value)
            case "start" if isinstance(value, dict):
                self._start_fixed(value)
            case "decide" if isinstance(value, dict):
                self._decided(value)
            case "set" if isinstance(value, dict):
                self._hand_set(value)
            case "expose" if isinstance(value, dict):
                self._exposed(value)
            case _:
                pass

    def _seat_wagered(self, value: Mapping[str, object]) -> None:
        seat = value["seat"]
        assert isinstance(seat, int)
        told = cents(value) or dict.fromkeys(self.procedure.game.wagers_without_words)
        before = self.round.seats.get(seat, Seat(seat, {})).wagers
        self.round.button = sides.holder_after(self.procedure.game, self.round, seat, told)
        self.round.seats = {**self.round.seats, seat: Seat(seat, {**before, **told})}
        self._coming = [item for item in self._coming if item != seat]

    def _start_fixed(self, value: Mapping[str, object]) -> None:
        button = value.get("button", value.get("seat") if self.procedure.game.holder else None)
        if isinstance(button, int):
            self.round.button = self._button = button

    def _decided(self, value: Mapping[str, object]) -> None:
        seat, word = value["seat"], value["choose"]
        if not isinstance(seat, int):
            self._take_turn(str(seat))
            return
        option = next((item for item in self._options() if item.answers_to(str(word))), None)
        if option is not None:
            if seat in self.round.seats:
                self.round.seats = {**self.round.seats, seat: seat_after(self.round.seats[seat], option, value)}
            self.muck.threw(seat, option, value)
        self._take_turn(seat_place(seat))
        self._note_named(seat_place(seat), {} if option is not None and option.exchanges else value)

    def _hand_set(self, value: Mapping[str, object]) -> None:
        place = DEALER if value["seat"] == DEALER else f"seat {value['seat']}"
        self._take_turn(place)
        self._note_named(place, value)

    def _exposed(self, value: Mapping[str, object]) -> None:
        community = value.get("community")
        if isinstance(community, list):
            self._community_left = [place for place in self._community_left if place not in community]
        elif value.get("seat") == DEALER:
            self._take_turn(DEALER)
        else:
            self._take_turn(f"seat {value.get('seat')}")

    def _note_named(self, place: str, value: Mapping[str, object]) -> None:
        named = {key: cards for key in ("keep", "discard", "high", "medium", "low") if isinstance(cards := value.get(key), list)}
        if named:
            self._named[place] = named

    def _forget_turn(self, move: Move) -> None:
        """Somebody's slip has changed or taken this turn: try it later, and do not insist on it."""
        if isinstance(move.value, dict) and "seat" in move.value:
            seat = move.value["seat"]
            place = DEALER if seat == DEALER else f"seat {seat}"
            self._take_turn(place)
            self._tries[place] = self._tries.get(place, 0) + 1
            if self._tries[place] <= TRIES:
                self._turns.append(place)

    def _take_turn(self, place: str) -> None:
        self._turns = [item for item in self._turns if item != place]

    def _options(self) -> tuple[Option, ...]:
        step = self.procedure.step(self._phase)
        return step.options if isinstance(step, Decide | SetHands | Settle) else ()

    def turned_up(self, move: Move) -> list[str]:
        """Return the cards that an exposure has turned face up; everybody sees them now."""
        value = move.value
        if move.key not in ("expose", "set") or not isinstance(value, dict):
            return []
        if move.key == "set" and value.get("seat") != DEALER:
            return []
        community = value.get("community")
        if isinstance(community, list):
            row = self.cards.at("community")
            return [row[place - 1] for place in community if place <= len(row)]
        place = str(value.get("seat")) if value.get("seat") in (DEALER, *SIDES) else f"seat {value.get('seat')}"
        named = {**self._named.get(place, {}), **{key: cards for key, cards in value.items() if isinstance(cards, list)}}
        seat = value.get("seat")
        if isinstance(seat, int) and seat in self.round.seats and self.round.seats[seat].status == "split":
            return self.cards.at(place)
        shown = [card for key in ("keep", "high", "medium", "low", "cards") for card in named.get(key, ())]
        if shown:
            return shown
        hand = self.cards.at(place)
        for card in named.get("discard", ()):
            hand.remove(card)
        return hand

    # ---- what they do

    def next_move(self, outcome: Outcome) -> Move | None:
        """Return what a person does now; None when a device has to act first."""
        if outcome.gate == "open":
            return None
        match StateKind(outcome.state):
            case StateKind.CLOSED:
                return Move("open", True, SUPERVISOR)
            case StateKind.SUSPENDED | StateKind.READY if not {"wager", "start", "close_bets"} & {*outcome.next}:
                return self._resolving(outcome)
            case StateKind.READY | StateKind.WAGERING:
                return self._wagering(outcome)
            case StateKind.COMPLETE if not self.procedure.shuffle_each_round:
                return self._wagering(outcome)
            case StateKind.COMPLETE | StateKind.UNVERIFIED | StateKind.QUARANTINED:
                return None
            case StateKind.VOID:
                return Move("collect", True) if "collect" in outcome.next else None
            case _:
                return self._in_round(outcome) if "shuffle" not in outcome.next else None

    def _wagering(self, outcome: Outcome) -> Move | None:
        if self.procedure.game.holder and self.round.button is None and self._coming and "start" in outcome.next:
            return Move("start", {"seat": self._coming[0]})
        if self._coming:
            return Move("wager", self._wager(self._coming[0]))
        if self.procedure.button_game and self.round.button is None:
            self._button = self._button % self.procedure.seats + 1
            return Move("start", {"button": self._button})
        if not self.round.seats:
            self._begin(0)
            return self._wagering(outcome) if self._coming else None
        if sides.has_holder_wager(self.procedure.game) and len(self.round.seats) < 2:
            self._coming = [self.rng.choice([n for n in range(1, self.procedure.seats + 1) if n not in self.round.seats])]
            return self._wagering(outcome)
        late = wagers_missing(self.procedure, self.round.seats.values(), self.rng)
        return Move("wager", late) if late is not None else Move("close_bets", True)

    def _wager(self, seat: int) -> Plain:
        if sides.has_holder_wager(self.procedure.game):
            return {"seat": seat, **sides.wagers_at(self.procedure.game, seat, self.round, self.rng)}
        return {"seat": seat, **wagers_of(self.procedure, self.rng, [other.wagers for other in self.round.seats.values()])}

    def _in_round(self, outcome: Outcome) -> Move | None:
        if "stub_count" in outcome.next and self._counts_stub(outcome):
            return Move("stub_count", outcome.stub_expected or 0)
        step = self.procedure.step(outcome.phase)
        match step:
            case Decide() | DecideSide():
                return self._decide(step, outcome)
            case PlayHands():
                return next_in_turns(step, outcome, self.cards, self.round.seats, self.rng)
            case SetHands(who=Who.DEALER):
                return Move("set", self._dealer_set(step, outcome))
            case SetHands():
                return self._set(step)
            case ExposeCards() | ExposeSide():
                return Move("expose", self._expose_for_all(step))
            case Settle():
                return among_players(step, self.round, self._turns, self.cards, self.rng) or self._expose_next(step)
            case Stub():
                return None
            case _ if outcome.state == "starting":
                return Move("start", any_start(self.procedure.seats, self.rng))
            case _:
                return Move("collect", True) if "collect" in outcome.next else None

    def _counts_stub(self, outcome: Outcome) -> bool:
        only_this = outcome.state == "collecting" and "collect" not in outcome.next
        return "stub-count-due" in outcome.alarms or only_this or self.rng.random() < 0.3

    def _decide(self, step: Decide | DecideSide, outcome: Outcome) -> Move | None:
        if isinstance(step, DecideSide):
            return sides.decision(step, self.cards, self.rng)
        if isinstance(step, Betting | Exchange):
            return among_players(step, self.round, self._turns, self.cards, self.rng)
        seat = seat_of(outcome.turn or "")
        if seat is None:
            return None
        return Move("decide", self._choice(seat, self.rng.choice(self._possible(step.options, seat))), f"player:{seat}")

    def _possible(self, options: tuple[Option, ...], seat: int) -> list[Option]:
        """The options that this seat has: those without a condition, and a natural where the seat holds one."""
        hand = self.cards.known(seat_place(seat), 4)
        procedure = self.procedure
        is_natural = hand is not None and procedure.game.is_natural(procedure.settings, tuple(map(parse_card, hand)))
        wagers = self.round.seats[seat].wagers
        return [o for o in options if (o.needs is None or is_natural) and (o.takes_back is None or o.takes_back in wagers)]

    def _choice(self, seat: int, option: Option) -> Plain:
        value: dict[str, object] = {"seat": seat, "choose": option.choose}
        amount = amount_of(option, self.round.seats[seat].wagers, self.rng)
        if amount is not None:
            value["amount"] = amount
        if self.rng.random() < NAMED_RATE:
            hand = self.cards.at(seat_place(seat))
            if "?" not in hand and option.discard and len(hand) > option.discard:
                value["discard"] = self.rng.sample(hand, option.discard)
            elif "?" not in hand and option.keep and len(hand) > option.keep:
                value["keep"] = self.rng.sample(hand, option.keep)
        return value

    def _set(self, step: SetHands) -> Move | None:
        if not self._turns:
            return Move("collect", "discards") if step.ends_with_discards else None
        place = self.rng.choice(self._turns)
        seat = seat_of(place)
        assert seat is not None
        by = f"player:{seat}"
        possible = self._possible(step.options, seat)
        if possible and self.rng.random() < 0.25:
            return Move("decide", self._choice(seat, self.rng.choice(possible)), by)
        value: dict[str, object] = {"seat": seat}
        if self.rng.random() < NAMED_RATE:
            value.update(self._groups(step, place))
        return Move("set", value, by)

    def _groups(self, step: SetHands, place: str) -> dict[str, list[str]]:
        hand = self.cards.known(place, sum(size for _, size in step.groups) if len(step.groups) > 1 else 4)
        return {} if hand is None else groups_of(self.procedure, step, hand, self.rng)

    def _dealer_set(self, step: SetHands, outcome: Outcome) -> Plain:
        if outcome.house_way is not None:
            return {"seat": DEALER, **{name: list(cards) for name, cards in outcome.house_way.items()}}
        if len(step.groups) == 1:
            return {"seat": DEALER}
        return {"seat": DEALER, **self._groups(step, DEALER)}

    def _expose_for_all(self, step: ExposeCards | ExposeSide) -> Plain:
        if isinstance(step, ExposeSide):
            return self._with_names({"seat": step.side.value})
        if step.what is Who.COMMUNITY:
            one = self.rng.random() < 0.3
            left = [place for place in self._community_left if not step.cards or place in step.cards]
            places = (left[:1] if one else left) or [1]
            return self._with_names({"community": places})
        return self._with_names({"seat": DEALER})

    def _expose_next(self, step: Settle) -> Move | None:
        if not self._turns:
            return None
        place = self._turns[0]
        seat = seat_of(place)
        assert seat is not None
        if isinstance(step, ShowHands) and self.rng.random() < DECLINED_RATE:
            return Move("decide", self._choice(seat, self.rng.choice(self._possible(step.options, seat))), f"player:{seat}")
        value: dict[str, object] = {"seat": seat}
        if place not in self._named:
            value.update(self._shown(place, seat))
        if seat in self.muck.unnamed:
            value["cards"] = self.cards.at(place)
        return Move("expose", self._with_names(value))

    def _with_names(self, value: dict[str, object]) -> dict[str, object]:
        """Name the cards that are turned up, where the table could not read all of them."""
        if not self._names_all or any(key in value for key in ("cards", "high", "medium", "low")):
            return value
        return {**value, "cards": self.turned_up(Move("expose", value))}

    def _shown(self, place: str, seat: int) -> dict[str, list[str]]:
        """The cards that come with the exposure, where nobody saw until now which were kept."""
        hand = self.cards.at(place)
        for step in self.procedure.steps:
            if isinstance(step, SetHands) and step.who is not Who.DEALER:
                if len(step.groups) > 1:
                    return self._groups(step, place)
                both = self.round.seats[seat].status == "split"
                return {"cards": self.rng.sample(hand, min(len(hand), 4 if both else 2))}
        shows = self.procedure.game.shows
        return {"cards": self.rng.sample(hand, min(len(hand), shows))} if shows else {}

    def _resolving(self, outcome: Outcome) -> Move:
        """Read the cards again where one was not read; else a supervisor tries one way after another."""
        if "unreadable-card" in outcome.alarms and not self._rescanned:
            self._rescanned = True
            names = self.cards.in_dealing_order()
            if names and "?" not in names:
                return Move("rescan", " ".join(names))
        if VOID_FIRST & set(outcome.alarms) and self._ways == list(WAYS):
            self._ways.insert(0, "void")
        if not self._ways:
            self._ways = list(WAYS)
        return Move("resolve", {"choose": self._ways.pop(0)}, SUPERVISOR)
