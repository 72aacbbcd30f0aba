"""Folds facts of a round: wagers, cards that leave the device, the stub, voids, the end."""

from __future__ import annotations

from msgspec.structs import replace

from controller.dealing.round import BURN, COMMUNITY, Held, Round, Seat
from controller.integrity.census import Beyond
from controller.integrity.ledger import BURNED, DEALT, Place
from controller.table import facts as f
from controller.table.apply_turn import hands_go_back
from controller.table.folding import CENSUS, Appliers, card_left, change_seat, hold, move, no_round, rack, round_of
from controller.table.state import TableState
from firmware_bridge.cards import unseal


def _round_started(state: TableState, fact: f.RoundStarted) -> None:
    state.round_number = fact.round
    waiting = state.round.aside if state.round is not None and fact.waiting else ()
    state.round = Round(number=fact.round, button=fact.button, fresh_shoe=state.deck.fresh, aside=waiting)


def _wagered(state: TableState, fact: f.Wagered) -> None:
    round_ = state.round or no_round(state)
    seat = round_.seats.get(fact.seat)
    if seat is None:
        change_seat(round_, Seat(fact.seat, dict(fact.amounts)))
    else:
        change_seat(round_, replace(seat, wagers={**seat.wagers, **fact.amounts}))


def _bets_closed(state: TableState, fact: f.BetsClosed) -> None:
    round_ = state.round or no_round(state)
    round_.new_dealer, state.dealer_is_new = state.dealer_is_new, False


def _start_fixed(state: TableState, fact: f.StartFixed) -> None:
    round_ = state.round or no_round(state)
    round_.start = fact.position
    if fact.button is not None:
        round_.button = state.button = fact.button


def _step_entered(state: TableState, fact: f.StepEntered) -> None:
    round_ = state.round
    state.phase = fact.phase
    if round_ is not None:
        round_.plan, round_.cursor, round_.turns = fact.plan, 0, fact.turns


def _card_dealt(state: TableState, fact: f.CardDealt) -> None:
    round_, to, card = state.round or no_round(state), fact.to, fact.card
    if to == BURN:
        card_left(state, card, BURNED)
        _burn(round_, Held(card, fact.evidence, True), fact.face)
    else:
        card_left(state, card, DEALT)
        place, hands, laid = COMMUNITY if to.startswith(COMMUNITY) else to, round_.hands.copy(), round_.laid + 1
        held = (Held(card, fact.evidence, fact.face == "up", laid),)
        hands[place] = hands[place] + held if place in hands else held
        round_.hands, round_.laid = hands, laid
    round_.cursor += 1
    if round_.redeemable:
        round_.redeemable = ""


def _burn(round_: Round, held: Held, face: str) -> None:
    """To the rack; a burned card that is shown stays known, since the rule looks at it."""
    round_.muck = (*round_.muck, Held(held.card, held.evidence, face == "up"))
    round_.burned += 1
    round_.racked += 1
    if face == "up":
        hold(round_, BURN, (held,))


def _cards_reordered(state: TableState, fact: f.CardsReordered) -> None:
    round_ = state.round or no_round(state)
    burn = fact.to == BURN
    move(state, Place.ASIDE, Place.BURNED if burn else Place.DEALT)
    if burn:
        _burn(round_, Held(fact.card, fact.evidence, True), fact.face)
    else:
        hold(round_, fact.to, (Held(fact.card, fact.evidence, fact.face == "up"),))
    first = next(i for i, (_, as_next) in enumerate(round_.aside) if as_next)
    round_.aside = round_.aside[:first] + round_.aside[first + 1 :]
    round_.cursor += 1


def _card_put_aside(state: TableState, fact: f.CardPutAside) -> None:
    card_left(state, fact.card, Place.ASIDE)
    round_ = state.round or no_round(state)
    round_.aside = (*round_.aside, (Held(fact.card, fact.evidence, fact.shown is not None), fact.as_next))


def _stray_card(state: TableState, fact: f.StrayCard) -> None:
    card_left(state, fact.card, Place.ASIDE)


def _card_discarded(state: TableState, fact: f.CardDiscarded) -> None:
    round_ = state.round or no_round(state)
    card_left(state, fact.card, Place.DISCARDED)
    round_.muck = (*round_.muck, Held(fact.card, fact.evidence, fact.shown is not None))
    round_.face_up_seen += 1
    round_.racked += 1


def _stack_card_read(state: TableState, fact: f.StackCardRead) -> None:
    round_ = state.round or no_round(state)
    card_left(state, fact.card, Place.DEALT)
    round_.pending_stack = (*round_.pending_stack, Held(fact.card, fact.evidence))


def _stack_dealt(state: TableState, fact: f.StackDealt) -> None:
    round_ = state.round or no_round(state)
    found = ""
    for card in fact.cards[len(round_.pending_stack) :]:
        card_left(state, card, Place.DEALT)
        found = found or state.deck.finding
    state.deck = replace(state.deck, finding=found)
    held = tuple(
        Held(card, "unknown" if fact.evidence == "read" and not unseal(card, CENSUS).code else fact.evidence, face == "up")
        for card, face in zip(fact.cards, fact.faces, strict=True)
    )
    hold(round_, fact.to, held[: len(held) - fact.racked])
    rack(state, fact.racked)
    round_.pending_stack = ()
    round_.cursor += 1
    round_.stacks_dealt += 1


def _cut_card_seen(state: TableState, fact: f.CutCardSeen) -> None:
    state.deck = replace(state.deck, cut_seen=True, rounds_left=fact.rounds_left)


def _stub_counted(state: TableState, fact: f.StubCounted) -> None:
    round_ = state.round or no_round(state)
    round_.stub_counted, round_.stub_wrong = fact.counted, fact.counted != fact.expected
    if not round_.stub_wrong:
        state.rounds_since_count = 0


def _stub_explained(state: TableState, fact: f.StubExplained) -> None:
    round_of(state).stub_explained = True


def _stub_racked(state: TableState, fact: f.StubRacked) -> None:
    round_ = state.round or no_round(state)
    move(state, Place.DEVICE, Place.DISCARDED, fact.cards)
    round_.stub_racked = True
    round_.racked += fact.cards


def _idle_hands_racked(state: TableState, fact: f.IdleHandsRacked) -> None:
    round_ = state.round or no_round(state)
    round_.hands = {place: held for place, held in round_.hands.items() if place not in fact.places}
    rack(state, fact.cards)


def _irregular(state: TableState, fact: f.Irregular) -> None:
    """Tells why the facts after it follow; changes nothing by itself."""


def _round_voided(state: TableState, fact: f.RoundVoided) -> None:
    round_ = state.round or no_round(state)
    round_.void, round_.void_side_bets_stand = True, fact.side_bets_stand
    for number, seat in round_.seats.items():
        if round_.played_by(number):
            hands_go_back(round_, seat, fact.stand)
        elif seat.status != "natural" and number not in fact.settled_seats:
            _wagers_go_back(round_, number, seat, fact)
    round_.plan, round_.cursor, round_.turns, round_.returning = (), 0, (), 0
    state.deck = replace(state.deck, shuffled=False)
    state.resume_to = None


def _wagers_go_back(round_: Round, number: int, seat: Seat, void: f.RoundVoided) -> None:
    """Side wagers that stand are settled outside of this record, or have been settled before."""
    key = str(number)
    before = round_.results.get(key, {})
    settled = [name for name in void.settled if name in before]
    results = {name: "odds" if name in void.stand else "void" for name in seat.wagers}
    amounts = {name: None if amount is None or name in void.stand else 0 for name, amount in seat.wagers.items()}
    kept = {name: round_.pays[key][name] for name in settled}
    round_.results = {
        **{k: v for k, v in round_.results.items() if not k.startswith(f"{key} hand")},
        key: {**results, **{name: before[name] for name in settled}},
    }
    round_.pays = {**{k: v for k, v in round_.pays.items() if not k.startswith(f"{key} hand")}, key: {**amounts, **kept}}


def _aside_released(state: TableState, fact: f.AsideReleased) -> None:
    round_ = state.round or no_round(state)
    round_.aside = tuple((held, True) for held, _ in round_.aside)


def _evidence_confirmed(state: TableState, fact: f.EvidenceConfirmed) -> None:
    round_ = state.round or no_round(state)
    hands = {place: list(held) for place, held in round_.hands.items()}
    for place, index, sealed in fact.cards:
        old = hands[place][index]
        if unseal(old.card, CENSUS).code == 0:
            told = state.deck.census.identify(unseal(sealed, CENSUS).code)
            if not isinstance(told, Beyond):
                state.deck = replace(state.deck, census=told)
        hands[place][index] = Held(sealed, fact.evidence, old.shown, old.order)
    round_.hands = {place: tuple(held) for place, held in hands.items()}


def _round_collected(state: TableState, fact: f.RoundCollected) -> None:
    round_ = state.round or no_round(state)
    ledger = state.deck.ledger
    round_.racked += ledger.dealt + ledger.aside - fact.kept
    state.deck = replace(state.deck, ledger=ledger.collect())
    if fact.kept:
        move(state, Place.DISCARDED, Place.ASIDE, fact.kept)
    round_.aside = tuple((held, as_next) for held, as_next in round_.aside if as_next) if fact.kept else ()
    round_.collected = True
    round_.turns = ()


def _round_completed(state: TableState, fact: f.RoundCompleted) -> None:
    deck = state.deck
    state.rounds_since_count = 0 if round_of(state).stub_counted is not None else state.rounds_since_count + 1
    state.last_back = deck.back
    if deck.rounds_left:
        state.deck = replace(deck, rounds_left=deck.rounds_left - 1)
    state.alarms = state.holding


APPLY: Appliers = {
    f.RoundStarted: _round_started,
    f.Wagered: _wagered,
    f.BetsClosed: _bets_closed,
    f.StartFixed: _start_fixed,
    f.StepEntered: _step_entered,
    f.CardDealt: _card_dealt,
    f.CardsReordered: _cards_reordered,
    f.CardPutAside: _card_put_aside,
    f.StrayCard: _stray_card,
    f.CardDiscarded: _card_discarded,
    f.StackCardRead: _stack_card_read,
    f.StackDealt: _stack_dealt,
    f.CutCardSeen: _cut_card_seen,
    f.StubCounted: _stub_counted,
    f.StubExplained: _stub_explained,
    f.StubRacked: _stub_racked,
    f.IdleHandsRacked: _idle_hands_racked,
    f.Irregular: _irregular,
    f.RoundVoided: _round_voided,
    f.AsideReleased: _aside_released,
    f.EvidenceConfirmed: _evidence_confirmed,
    f.RoundCollected: _round_collected,
    f.RoundCompleted: _round_completed,
}
