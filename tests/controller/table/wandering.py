"""Seeded play on a bench: what the table lists as next, acts that nobody should do, and trouble with devices.

`Wanderer.step` does one thing. Trouble is physical: cards really leave the device, really unread or turned. `way_out` is what a
supervisor, a dealer and a technician do to get any table ready again; it must always work, in a bounded number of acts.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator

from controller.dealing.round import seat_place
from controller.dealing.steps import Betting, Stack
from controller.table import acts as a
from controller.table.outcome import Outcome
from controller.table.outcomes import ACTS
from firmware_bridge.cards import CUT_CARD, FRENCH_CARDS, JOKER, UNREADABLE, Card, Sealed
from tests.controller.table.bench import DEALER, SHOE, SUPERVISOR, TECHNICIAN, Bench
from tests.controller.table.right_acts import right_act
from tests.controller.table.watching import Watch

PATIENCE = 60
"""Acts that a way out may take; a round in progress is voided or played on, so no round is played to its end."""
RARE = {"close": 0.002, "declare": 0.3, "resolve": 0.2, "load": 0.1, "replace_card": 1.0, "start": 0.4}
"""How readily an act that is not needed for getting on is done."""
FOLDS = 0.15
"""How readily a player folds, so that rounds reach their last street."""
EVENTS = a.DEVICE_EVENTS


class Wanderer:
    """See the module's text. Rates: `wrong` of senseless acts, `trouble` of device trouble, `curious` of trying all acts listed as next."""

    def __init__(self, bench: Bench, *, wrong: float = 0.0, trouble: float = 0.0, curious: float = 0.0, full: bool = False) -> None:
        self.bench, self.rng = bench, bench.rng
        self.full = full
        """Every seat plays, or all but one, and nobody folds: the most cards that a round can take."""
        self._spare = bench.rng.randint(0, 1) if full else 0
        self.wrong, self.trouble, self.curious = wrong, trouble, curious
        self.watch = Watch(bench)
        self.log: list[str] = []

    @contextlib.contextmanager
    def telling(self, seed: str) -> Iterator[None]:
        """Whatever fails inside tells the seed and the last acts."""
        try:
            yield
        except Exception as error:
            raise AssertionError(f"{seed}, after {self.log[-12:]}: {error!r}") from error

    def play(self, rounds: int) -> None:
        """Play until so many rounds are over, void ones included."""
        acts = 0
        until = self.bench.rounds + rounds
        while self.bench.rounds < until:
            self.step()
            acts += 1
            assert acts < 400 * rounds + 2000, f"no end of the round: {self.bench.view()}"

    def step(self) -> Outcome:
        """One act."""
        outcome = self.bench.view()
        if self.rng.random() < self.curious:
            self.try_next(outcome)
            assert self.watch.recovered() == self.bench.state, "a restart in the middle rebuilds another table"
        if outcome.state != "closed" and self.rng.random() < self.trouble:
            return self.make_trouble()
        if self.rng.random() < self.wrong:
            return self.take(senseless(self.bench, self.rng))
        return self.get_on(outcome)

    def take(self, act: a.AnyAct, fed: list[Card] | None = None) -> Outcome:
        """Put an act to the table and check all that must be true."""
        bench, before = self.bench, self.bench.state
        self.log.append(f"{type(act).__name__} in {before.phase}")
        outcome = bench.put(act, fed)
        verdict = bench.verdict
        assert verdict is not None
        self.watch.see(before, act, verdict)
        return outcome

    # ---- getting on

    def get_on(self, outcome: Outcome) -> Outcome:
        """Something that the table lists as next, or what mends what holds it."""
        if outcome.state == "suspended" or not outcome.next:
            return self.mend()
        if self._cutting_card_is_due():
            return self.take(a.CutCardOut(by=SHOE, origin=self.bench.origin("shoe")))
        names = [name for name in outcome.next if name in ("card", "stack")] or list(outcome.next)
        if set(names) <= {"resolve", "close"}:
            return self.mend()
        folding = isinstance(self.bench.procedure.step(outcome.phase), Betting)
        weights = [FOLDS if folding and name == "decide" else RARE.get(name, 1.0) for name in names]
        if self.full:
            weights = [0.0 if name in self._shunned(outcome, folding=folding) else w for name, w in zip(names, weights, strict=True)]
        for name in [*self.rng.choices(names, weights, k=4), *names]:
            act = right_act(self.bench, name)
            if act is not None:
                return self.take(act, self._fed(act))
        return self.mend()

    def _shunned(self, outcome: Outcome, *, folding: bool) -> set[str]:
        """What a full table does not do: fold, or close the bets while a seat is free."""
        round_ = self.bench.state.round
        free = outcome.state == "wagering" and round_ is not None and len(round_.seats) < self.bench.procedure.seats - self._spare
        return ({"decide"} if folding else set()) | ({"close_bets"} if free else set())

    def _cutting_card_is_due(self) -> bool:
        """The cutting card lies before the last cards that a round can take."""
        bench, game = self.bench, self.bench.procedure.game
        if not game.shoe_game or game.cards_needed is None or bench.view().gate != "open" or bench.state.deck.cut_seen:
            return False
        return len(bench.pack) <= 2 * game.cards_needed(bench.procedure.settings, bench.procedure.seats)

    def _fed(self, act: a.AnyAct) -> list[Card]:
        if isinstance(act, a.CardOut):
            return self.bench.pack[:1]
        return self.bench.pack[: len(act.cards)] if isinstance(act, a.StackOut) else []

    def try_next(self, outcome: Outcome) -> None:
        """Every act that is listed as next is accepted with the right content."""
        for name in outcome.next:
            act = right_act(self.bench, name)
            if act is not None:
                verdict = self.bench.would(act)
                assert verdict.accepted, f"{name} is listed as next in {outcome.phase} and refused: {verdict.outcome.message} {act}"

    def mend(self) -> Outcome:
        """One thing that a technician or a supervisor does about what is open; without any alarm, a new deck."""
        state = self.bench.state
        for alarm in state.alarms:
            match alarm.code:
                case "device-lost" | "wrong-identity":
                    return self.take(notice(self.bench, "back", alarm.where))
                case "lid-open" if alarm.detail == "open":
                    return self.take(notice(self.bench, "lid-closed", alarm.where))
        holding = [alarm for alarm in state.alarms if alarm.ways]
        if holding:
            ways = sorted({way for alarm in holding for way in alarm.ways})
            return self.take(a.Resolve(choose=self.rng.choice(ways), by=SUPERVISOR))
        if "resolve" in self.bench.view().next and state.phase != "quarantined":
            return self.take(a.Resolve(choose="continue", by=SUPERVISOR))
        name = next((name for name in ("open", "collect", "load", "shuffle") if name in self.bench.view().next), None)
        act = right_act(self.bench, name) if name is not None else None
        assert act is not None, f"nobody knows a way out of {self.bench.view()}"
        return self.take(act)

    def way_out(self) -> int:
        """Get the table ready for a round; return how many acts it took."""
        for acts in range(PATIENCE):
            outcome = self.bench.view()
            if outcome.state == "ready" and not self.bench.state.holding:
                return acts
            if outcome.state in ("unverified", "complete") and not self.bench.state.alarms:
                self.take(right_act(self.bench, "load") or _never())
                self.take(right_act(self.bench, "shuffle") or _never())
            elif outcome.state in ("void", "quarantined", "unverified", "complete", "closed", "suspended", "ready"):
                self._leave(outcome)
            else:
                self._end_round()
        raise AssertionError(f"no way out after {PATIENCE} acts: {self.bench.view()}")

    def _leave(self, outcome: Outcome) -> None:
        order = ("replace_card", "open", "collect", "load", "shuffle")
        name = next((name for name in order if name in outcome.next), None)
        if self.bench.state.holding or outcome.state == "suspended" or name is None:
            self.mend()
            return
        if name == "load" and self.bench.state.deck.loaded and outcome.state == "unverified":
            name = "shuffle"
        self.take(right_act(self.bench, name) or _never())

    def _end_round(self) -> None:
        """A round in progress is ended by a report, which holds the table or voids the round, and by a supervisor."""
        if self.bench.state.alarms:
            self.take(a.Resolve(choose="void", by=SUPERVISOR))
        else:
            self.take(a.Report(what="device-malfunction", by=DEALER))

    # ---- trouble

    def make_trouble(self) -> Outcome:
        """Something goes wrong with a device."""
        kinds: list[Callable[[], Outcome]] = [self._notice, self._card, self._card, self._card, self._stack, self._deck, self._set_of_cards]
        return self.rng.choice(kinds)()

    def _notice(self) -> Outcome:
        return self.take(notice(self.bench, self.rng.choice(EVENTS), self.rng.choice(("shoe", "shoe", "shuffler"))))

    def _card(self) -> Outcome:
        """A card leaves the device in some way that it should not, or when it should not."""
        bench, rng = self.bench, self.rng
        if not bench.pack:
            return self._notice()
        card = bench.pack[0]
        match rng.randrange(9):
            case 0:
                return self.take(bench.card_act(card, out_of_flow=True), [card])
            case 1:
                return self.take(bench.card_act(UNREADABLE, unreadable=True), [card])
            case 2 if len(bench.pack) > 1:
                flag = rng.choice(({}, {}, {"out_of_flow": True}, {"face_up": True}, {"back_mismatch": True}, {"unreadable": True}))
                return self.take(bench.card_act(UNREADABLE if "unreadable" in flag else card, double=True, **flag), bench.pack[:2])
            case 3:
                return self.take(bench.card_act(card, face_up=True), [card])
            case 4:
                return self.take(bench.card_act(card, back_mismatch=True), [card])
            case 5:
                return self.take(bench.card_act(card, beyond=True), [card])
            case 6:
                bench.pack[0] = rng.choice(FRENCH_CARDS)
                return self.take(bench.card_act(bench.pack[0]), bench.pack[:1])
            case 7:
                bench.pack[0] = JOKER
                return self.take(bench.card_act(JOKER), [JOKER])
            case _:
                return self.take(bench.card_act(card), [card])

    def _stack(self) -> Outcome:
        bench = self.bench
        step = bench.procedure.step(bench.state.phase)
        size = step.size if isinstance(step, Stack) else 3
        count = min(len(bench.pack), self.rng.choice((size, size - 1, size + 1)))
        if not count or (bench.state.round is not None and bench.state.round.pending_stack):
            return self._notice()
        cards = bench.pack[:count]
        told = tuple(map(Sealed, cards)) if self.rng.random() < 0.5 else ()
        return self.take(a.StackOut(count=count, cards=told, by=SHOE, origin=bench.origin("shoe")), cards)

    def _deck(self) -> Outcome:
        bench, rng, deck = self.bench, self.rng, self.bench.procedure.deck
        shuffler, origin = a.By("device", "shuffler"), bench.origin("shuffler")
        match rng.randrange(6):
            case 0:
                return self.take(a.ShuffleAborted(by=shuffler, origin=origin))
            case 1:
                mode = rng.choice(("sort", "count-only", "unknown", "random"))
                return self.take(a.Shuffle(mode=mode, counted=deck.cards, by=shuffler, origin=origin))
            case 2:
                counted = deck.cards + rng.choice((-1, 1))
                return self.take(a.Shuffle(counted=counted, by=shuffler, origin=origin))
            case 3:
                problem = rng.choice(("count", "duplicates", "aborted", "foreign-back"))
                return self.take(a.Shuffle(problem=problem, by=shuffler, origin=origin))
            case 4:
                return self.take(a.CutCardOut(by=SHOE, origin=bench.origin("shoe")))
            case _:
                told = rng.choice((deck.cards, deck.cards - 1, None))
                return self.take(a.Load(decks=deck.decks, cards=told, by=SHOE, origin=bench.origin("shoe")))

    def _set_of_cards(self) -> Outcome:
        card = self.rng.choice(self.bench.pack or list(FRENCH_CARDS))
        return self.take(a.RemoveCard(card=card, reason="damaged", by=SUPERVISOR))


def _never() -> a.AnyAct:
    raise AssertionError("the act is listed as next, and the test knows none")


def notice(bench: Bench, event: str, name: str) -> a.DeviceNotice:
    """A device event that moves no card."""
    return a.DeviceNotice(event=event, name=name, by=a.By("device", name), origin=bench.origin(name))


# ---- acts that nobody should do

WORDS = ("bet", "fold", "double", "split", "surrender", "natural", "", "raise", "<script>", "hit", "draw", "stand")
WAGERS = ("ante", "wager", "supreme_pai_gow", "bonus", "bet", "x")
REPORTS = (
    "dealer-card-exposed", "community-card-exposed", "player-card-exposed", "card-drawn-in-error", "invalid-roll", "wrong-start",
    "wrong-set", "wrong-discards", "cleared-early", "wrong-place", "card-face-up", "cards-face-up", "device-malfunction", "foreign-card",
    "duplicate-card", "missing-card", "too-few-cards", "wrong-count", "hands-counted-right", "hand-fouled", "no such thing",
)  # fmt: skip
ROLES = (DEALER, SUPERVISOR, TECHNICIAN, a.By("player", "3"))


def senseless(bench: Bench, rng: random.Random, kind: type | None = None) -> a.AnyAct:
    """An act of a person with some value, sensible or not, whatever the table is doing."""
    kind = kind or rng.choice([act for act in ACTS if act in SENSELESS])
    return SENSELESS[kind](bench, rng)


def _seat(rng: random.Random) -> int:
    return rng.choice((0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 99))


def _key(rng: random.Random) -> int | str:
    return rng.choice(("dealer", "dealer", "player", "banker", _seat(rng), _seat(rng)))


def _some(bench: Bench, rng: random.Random, most: int = 5) -> tuple[Card, ...]:
    place = rng.choice(("dealer", "community", seat_place(rng.randint(1, 4))))
    known = bench.places.get(place, [])
    cards = known if known and rng.random() < 0.6 else list(FRENCH_CARDS)
    return tuple(rng.sample(cards, min(len(cards), rng.randint(0, most))))


def _amount(rng: random.Random) -> int | None:
    return rng.choice((None, 0, -500, 1, 333, 1000, 10**12))


SENSELESS: dict[type, Callable[[Bench, random.Random], a.AnyAct]] = {
    a.Wager: lambda b, r: a.Wager(
        seat=_seat(r), amounts={r.choice(WAGERS): _amount(r) for _ in range(r.randint(0, 2))}
    ),
    a.CloseBets: lambda b, r: a.CloseBets(by=r.choice(ROLES)),
    a.Start: lambda b, r: a.Start(
        seat=r.choice((None, None, 3, "dealer", "player", 99)), dice=r.choice((None, None, 2, 7, 19)),
        number=r.choice((None, None, 0, 4, 99)), button=r.choice((None, None, 1, 99)),
    ),
    a.Decide: lambda b, r: a.Decide(
        seat=_seat(r), choose=r.choice(WORDS), amount=_amount(r), keep=_some(b, r, 3), discard=_some(b, r, 3), hand=r.randint(1, 3),
        cards=r.choice((None, None, 0, 1, 2, 9)),
    ),
    a.SetHand: lambda b, r: a.SetHand(seat=_key(r), high=_some(b, r), low=_some(b, r, 3), keep=_some(b, r, 3), medium=_some(b, r, 1)),  # type: ignore[arg-type]
    a.Expose: lambda b, r: a.Expose(
        seat=r.choice((None, _key(r))), cards=_some(b, r), high=_some(b, r, 2), low=_some(b, r, 2),  # type: ignore[arg-type]
        community=r.choice(((), (1,), (1, 1), (0,), (3, 2, 1), (9,))),
    ),
    a.Report: lambda b, r: a.Report(
        what=r.choice(REPORTS), seat=r.choice((None, _key(r))), area=r.choice((None, "community")), shown=r.random() < 0.3  # type: ignore[arg-type]
    ),
    a.Declare: lambda b, r: a.Declare(
        result=r.choice(("win", "lose", "push", "banker", "")), seat=r.choice((None, _key(r))), hand=r.choice((None, 1, 2))  # type: ignore[arg-type]
    ),
    a.Rescan: lambda b, r: a.Rescan(cards=tuple(Sealed(card) for card in (*_some(b, r), *([UNREADABLE] if r.random() < 0.2 else [])))),
    a.HoleCheck: lambda b, r: a.HoleCheck(blackjack=r.random() < 0.5),
    a.SignOn: lambda b, r: a.SignOn(person="D9"),
    a.SignOff: lambda b, r: a.SignOff(person="D9"),
    a.StubCount: lambda b, r: a.StubCount(cards=r.choice((0, 1, 40, 52, 9999))),
    a.RemoveCard: lambda b, r: a.RemoveCard(card=CUT_CARD, by=SUPERVISOR),
    a.ReplaceCard: lambda b, r: a.ReplaceCard(card=r.choice((*FRENCH_CARDS, JOKER)), by=SUPERVISOR),
    a.Resolve: lambda b, r: a.Resolve(
        choose=r.choice(("continue", "void", "replace-deck", "recount", "reshuffle", "hand-dead", "nothing")),
        alarm=r.choice((None, None, "tamper", "lid-open", "x")), by=r.choice(ROLES),
    ),
    a.Collect: lambda b, r: a.Collect(what=r.choice(("round", "discards"))),  # type: ignore[arg-type]
    a.Open: lambda b, r: a.Open(by=SUPERVISOR),
}  # fmt: skip
