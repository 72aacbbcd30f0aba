"""A table under test: the core, a physical deck that the test knows, and everything that was decided.

`put` judges one act and takes its state. The bench keeps by itself where each physical card lies, from the facts alone, so that
checks can compare the table's books with the cards. It asks nobody what is right; `right_acts` and `watching` do.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

from controller.dealing.game import Game
from controller.dealing.procedure import Procedure, build_procedure
from controller.dealing.settings import Plain
from controller.decks import census_of
from controller.games import GAMES
from controller.table import acts as a
from controller.table import facts as f
from controller.table.outcome import Outcome
from controller.table.state import TableState
from controller.table.table import Verdict, decide, new_state, outcome_of
from firmware_bridge.cards import Card, Sealed, card_from_code, unseal

SHOE = a.By("device", "shoe")
SHUFFLER = a.By("device", "shuffler")
DEALER = a.By("dealer", "D1")
SUPERVISOR = a.By("supervisor", "S1")
TECHNICIAN = a.By("technician", "T1")

HOUSES: dict[str, dict[str, Plain]] = {
    key: {"methods_permitted": [method.value for method in game.deals]}
    for key, game in GAMES.items()
    if "methods_permitted" in {setting.name for setting in game.settings}
} | {"baccarat-chemin-de-fer": {"six_after_stay": "free"}}
"""What a house must set so that every method may be used, and every step is met now and then."""
METHOD_HOUSES: dict[tuple[str, str], dict[str, Plain]] = {("blackjack", "hand"): {"decks": 2}}
"""What a house must set so that a game may be dealt by this method."""


def houses_of(key: str) -> list[str]:
    """The game's key; where its house chooses among variants, `key/variant` for each of them."""
    variants = [setting.allowed or () for setting in GAMES[key].settings if setting.name == "variant"]
    return [f"{key}/{value}" for value in variants[0]] if variants else [key]


TABLES = tuple((name, method.value) for key, game in GAMES.items() for name in houses_of(key) for method in game.deals)
"""Every game with every method and every variant that it has."""
ROUNDS_FOR = 12
"""Random play was measured with so many tables; with more of them each plays less, so that the whole costs the same."""


def share(rounds: int) -> int:
    """The part of so many random rounds that one of all tables plays by default; `make soak` plays them all."""
    return max(3, rounds * ROUNDS_FOR // len(TABLES))


_COMPILED: dict[tuple[str, ...], Procedure] = {}


def procedure_of(game: str, method: str, house: Mapping[str, Plain] | None = None) -> Procedure:
    """The procedure of a game (`key` or `key/variant`) and method, compiled once for each set of house settings."""
    game_key, _, variant = game.partition("/")
    merged = {**HOUSES.get(game_key, {}), **METHOD_HOUSES.get((game_key, method), {}), **(house or {})}
    merged |= {"variant": variant} if variant else {}
    key = (game_key, method, *(f"{name}={value!r}" for name, value in sorted(merged.items())))
    if key not in _COMPILED:
        _COMPILED[key] = build_procedure(GAMES[game_key], method, merged)
    return _COMPILED[key]


def full_pack(procedure: Procedure) -> list[Card]:
    """Every card of the procedure's set, in the order of the codes."""
    cards = [card_from_code(code) for code, copies in census_of(procedure.deck).items() for _ in range(copies)]
    return [card for card in cards if card is not None]


def opening_amounts(game: Game, amount: int | None) -> dict[str, int | None]:
    """The wagers in cents that put a seat in play: the first is `amount`, the others as large as they may be beside it."""
    required = [kind for kind in game.wagers if kind.required] or [k for k in game.wagers if k.name == game.opening_wagers[0]]
    amounts: dict[str, int | None] = {}
    for kind in required:
        choices = kind.size.choices(amounts) if kind.size is not None else ()
        amounts[kind.name] = choices[-1] if choices else amount
    return amounts


class Bench:
    """See the module's text."""

    def __init__(self, procedure: Procedure, rng: random.Random | None = None, table: str = "T1") -> None:
        self.procedure = procedure
        self.rng = rng or random.Random(1)
        self.state: TableState = new_state(procedure, table)
        self.pack: list[Card] = []
        """Cards physically in the device, top first."""
        self.next_pack: list[Card] | None = None
        """What the next shuffle leaves in the device; None: a random order."""
        self.out: list[Card] = []
        """Cards that physically left the device since the shuffle, in order."""
        self.places: dict[str, list[Card]] = {}
        self.laid: list[Card] = []
        """Cards on the table in the order in which they were laid."""
        self.aside: list[tuple[Card, bool]] = []
        self.muck: list[Card] = []
        """Burns, cards found face up, folded and thrown cards: what lies in the rack and may be shuffled into the rest of the deck."""
        self.held_out: list[Card] = []
        self.laid_out: list[Card] = []
        """Cards that wait to be shuffled into the rest of the deck."""
        self.verdict: Verdict | None = None
        self.act: a.AnyAct | None = None
        self.facts: list[f.AnyFact] = []
        self.fed: list[Card] = []
        self.rounds = 0
        self.names = True
        """Cards that lie face down are sometimes named by their players, as scripts may do."""
        self._eseq: dict[str, int] = {}
        self._viewed: tuple[TableState, Outcome] | None = None

    # ---- judging

    def put(self, act: a.AnyAct, fed: list[Card] | None = None) -> Outcome:
        """Judge an act, take its state; `fed` are the physical cards that the act brings out of the device."""
        self.fed = fed or []
        self.act = act
        verdict = decide(self.procedure, self.state, act, 0)
        self.verdict = verdict
        self.facts.extend(verdict.facts)
        self.state = verdict.state
        self._follow_cards(verdict.facts)
        self.out += self.fed
        return verdict.outcome

    def view(self) -> Outcome:
        """How the table stands; asked for several times between two acts, and put into words once."""
        if self._viewed is None or self._viewed[0] is not self.state:
            self._viewed = self.state, outcome_of(self.procedure, self.state)
        return self._viewed[1]

    def would(self, act: a.AnyAct) -> Verdict:
        """The verdict on an act that is not taken."""
        return decide(self.procedure, self.state, act, 0)

    # ---- acts of devices

    def origin(self, device: str) -> a.Origin:
        """The next event of a device."""
        self._eseq[device] = self._eseq.get(device, 0) + 1
        return a.Origin(device, self._eseq[device])

    def card_act(self, card: Card, **flags: object) -> a.CardOut:
        """A card that the shoe tells."""
        return a.CardOut(read=Sealed(card), by=SHOE, origin=self.origin("shoe"), **flags)  # type: ignore[arg-type]

    def card(self, **flags: object) -> Outcome:
        """The top card leaves the shoe and is read."""
        card = self.pack[0]
        return self.put(self.card_act(card, **flags), [card])

    def stack(self, count: int, *, read: bool = True) -> Outcome:
        """A stack of so many cards is dispensed."""
        cards = self.pack[:count]
        told = tuple(map(Sealed, cards)) if read else ()
        return self.put(a.StackOut(count=len(cards), cards=told, by=SHOE, origin=self.origin("shoe")), cards)

    def load(self, **what: object) -> Outcome:
        """A whole set is put into the device."""
        deck = self.procedure.deck
        told = {"decks": deck.decks, "cards": deck.cards} | what
        return self.put(a.Load(by=SHOE, origin=self.origin("shoe"), **told))  # type: ignore[arg-type]

    def shuffle(self, **what: object) -> Outcome:
        """A whole random cycle with the right count."""
        told = {"mode": "random", "counted": self.procedure.deck.cards} | what
        return self.put(a.Shuffle(by=SHUFFLER, origin=self.origin("shuffler"), **told))  # type: ignore[arg-type]

    def notice(self, event: str, name: str = "shoe") -> Outcome:
        """A device event that moves no card."""
        return self.put(a.DeviceNotice(event=event, name=name, by=a.By("device", name), origin=self.origin(name)))

    # ---- acts of people

    def resolve(self, choose: str, alarm: str | None = None) -> Outcome:
        """A supervisor settles an alarm."""
        return self.put(a.Resolve(choose=choose, alarm=alarm, by=SUPERVISOR))

    def ready(self) -> Outcome:
        """Open the table if need be, load and shuffle a whole deck."""
        if self.state.phase == "closed":
            self.put(a.Open(by=SUPERVISOR))
        self.load()
        return self.shuffle()

    def wagered(self, *seats: int, amount: int | None = 1000, **more: int) -> Outcome:
        """Seats place the game's first wager, and the others named, in cents; bets are closed. Where one seat banks, it is the first."""
        opening, name = opening_amounts(self.procedure.game, amount), self.procedure.game.required_wager
        cover = next((kind.name for kind in self.procedure.game.wagers if kind.within == name), None)
        if cover is not None:
            bank = None if amount is None else amount * len(seats[1:] or (1,))
            self.put(a.Wager(seat=seats[0], amounts={name: bank}, by=DEALER))
            opening, seats = {cover: amount}, seats[1:] or (seats[0] % self.procedure.seats + 1,)
        for seat in seats:
            self.put(a.Wager(seat=seat, amounts={**opening, **more}, by=DEALER))
        return self.put(a.CloseBets(by=DEALER))

    def deal(self) -> Outcome:
        """Give cards or stacks as long as the gate is open in the present steps of the deal."""
        outcome = self.view()
        while outcome.gate == "open":
            outcome = self.card() if "card" in outcome.next else self.stack(getattr(self.procedure.step(outcome.phase), "size", 0))
        return outcome

    # ---- following the cards

    def _follow_cards(self, facts: tuple[f.AnyFact, ...]) -> None:
        fed = list(self.fed)
        for card in fed:
            if card in self.pack:
                self.pack.remove(card)
        for fact in facts:
            self._follow_set(fact)
            self._follow_card(fact, fed)

    def _follow_set(self, fact: f.AnyFact) -> None:
        """What happens to all cards in the device, or to the round."""
        match fact:
            case f.DeckShuffled():
                self.pack = self.next_pack if self.next_pack is not None else self._shuffled()
                self.next_pack, self.out = None, []
            case f.DeckLoaded():
                self.pack, self.out = self._whole()[: self.state.deck.ledger.device], []
            case f.CardRemoved() if len(self.pack) > self.state.deck.ledger.device:
                self.pack.remove(fact.card)
            case f.CardReplaced() if len(self.pack) < self.state.deck.ledger.device:
                self.pack.append(fact.card)
            case f.StubRacked():
                self.pack = []
            case f.RoundStarted():
                self.laid = []
                self.places, self.aside = {}, [waiting for waiting in self.aside if fact.waiting and waiting[1]]
                self.muck, self.held_out, self.laid_out = [], [], []
            case f.RestShuffled():
                self.pack += self.laid_out
                self.rng.shuffle(self.pack)
                self.laid_out, self.out = [], []
            case f.RoundCompleted():
                self.rounds += 1
            case f.IdleHandsRacked():
                for card in (card for place in fact.places for card in self.places[place]):
                    self.laid.remove(card)
            case _:
                pass

    def _follow_card(self, fact: f.AnyFact, fed: list[Card]) -> None:
        """Where a card that came now, or lay aside, is laid."""
        match fact:
            case f.AsideReleased():
                self.aside = [(card, True) for card, _ in self.aside]
            case f.CardsReordered():
                at = next(i for i, (_, as_next) in enumerate(self.aside) if as_next)
                self._lay(fact.to, [self.aside.pop(at)[0]])
            case f.HandSplit():
                one, two = self.places.pop(fact.place)
                self.places[fact.left], self.places[fact.right] = [one], [two]
            case f.OfferTaken():
                self._lay(fact.place, [self.aside.pop()[0]])
            case f.OfferPassed():
                self.aside[-1] = (self.aside[-1][0], True)
            case f.CardOffered():
                self.aside[-1] = (self.aside[-1][0], False)
            case f.AsideBurned():
                del self.aside[len(self.aside) - fact.cards :]
            case f.StackDealt():
                pending = self.places.pop("pending", [])
                new = max(0, len(fact.cards) - len(pending))
                self._lay(fact.to, pending + fed[:new])
                if fact.racked:
                    del self.laid[-fact.racked :]
                del fed[:new]
            case f.CardDealt():
                self._lay(fact.to, [fed.pop(0)])
            case f.CardPutAside():
                self.aside.append((fed.pop(0), fact.as_next))
            case f.StrayCard():
                fed.pop(0)
            case f.CardDiscarded():
                self.muck.append(fed.pop(0))
            case f.StackCardRead():
                self.places.setdefault("pending", []).append(fed.pop(0))
            case _:
                self._follow_muck(fact)

    def _follow_muck(self, fact: f.AnyFact) -> None:
        """Cards that lie on the table or in the rack go somewhere else."""
        match fact:
            case f.Exchanged():
                hand = self.places[f"seat {fact.seat}"]
                named = [unseal(card, "the test follows the cards") for card in fact.discard]
                for card in named or self.rng.sample(hand, fact.cards):
                    hand.remove(card)
                    self.muck.append(card)
            case f.BurnedInstead():
                self.muck.append(self.places[fact.place].pop(fact.index))
            case f.HeldOut():
                self.held_out.append(self.aside.pop()[0])
                self.muck += [self.aside.pop()[0]] if fact.with_burn else []
            case f.RestDue():
                self._lay_out(fact)
            case _:
                pass

    def _rack(self) -> list[Card]:
        """All cards of the shoe that lie neither in the device nor on the table."""
        played = self.state.round.played if self.state.round is not None else {}
        lying = [card for place, cards in self.places.items() if place not in played or not played[place].cleared for card in cards]
        out = Counter(self._whole()) - Counter(self.pack) - Counter(lying) - Counter(card for card, _ in self.aside)
        return list(out.elements())

    def _lay_out(self, fact: f.RestDue) -> None:
        if fact.muck and self.procedure.game.shoe_game:
            self.laid_out, self.muck = self._rack(), []
        kept = self.muck[len(self.muck) - fact.own_thrown :] if fact.own_thrown else []
        if fact.muck and self.state.round is not None:
            for number, seat in self.state.round.seats.items():
                if seat.status == "folded":
                    self.laid_out += self.places.pop(f"seat {number}", [])
            self.laid_out += self.muck[: len(self.muck) - len(kept)]
            self.muck = kept
        for _ in range(fact.aside):
            self.laid_out.append(self.aside.pop()[0])
        if fact.held_out:
            self.laid_out += self.held_out
            self.held_out = []
        if fact.board:
            self.laid_out += self.places.pop("community")
        for _ in range(fact.burns):
            self.laid_out.append(self.muck.pop())
        assert len(self.laid_out) == fact.cards, "another number of cards is laid out than the record says"

    def _lay(self, to: str, cards: list[Card]) -> None:
        if to == "burn":
            self.muck += cards
            return
        place = "community" if to.startswith("community") else to
        self.places.setdefault(place, []).extend(cards)
        if place != "burn":
            self.laid += cards

    def _shuffled(self) -> list[Card]:
        pack = self._whole()
        self.rng.shuffle(pack)
        return pack

    def _whole(self) -> list[Card]:
        pack = full_pack(self.procedure)
        for code in self.state.deck.short:
            card = card_from_code(code)
            if card in pack:
                pack.remove(card)
        return pack
