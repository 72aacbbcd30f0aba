"""Folds facts of the table and its deck: open and closed, loaded and shuffled, alarms, suspension."""

from __future__ import annotations

from msgspec.structs import replace

from controller.decks import DeckSpec
from controller.integrity.census import Beyond, ShoeCensus
from controller.integrity.ledger import Place
from controller.integrity.order import OrderWatch
from controller.table import facts as f
from controller.table.folding import CENSUS, Appliers, moved
from controller.table.state import Alarm, Deck, TableState, new_deck
from firmware_bridge.cards import unseal_codes


def _table_opened(state: TableState, fact: f.TableOpened) -> None:
    state.phase, state.rules_hash, state.beside = "unverified", fact.rules_hash, fact.beside


def _table_closed(state: TableState, fact: f.TableClosed) -> None:
    state.phase, state.round = "closed", None
    state.alarms = tuple(alarm for alarm in state.alarms if alarm.holds)


def _device_heard(state: TableState, fact: f.DeviceHeard) -> None:
    state.device_seq = {**state.device_seq, fact.device: fact.eseq}


def _deck_loaded(state: TableState, fact: f.DeckLoaded) -> None:
    spec, last = state.deck.spec, _last_order(state.deck)
    deck, short = new_deck(spec, last), state.deck.short
    if fact.cards not in (None, spec.cards - len(short)):
        short = ()  # else nothing shows that this is another set than the one a card was taken out of
    ledger = deck.ledger.load(fact.cards if fact.cards is not None else spec.cards - len(short))
    state.deck = replace(deck, ledger=ledger, short=short, loaded=True, back=fact.back, decks=fact.decks, evidence=fact.evidence)
    state.shoe = fact.shoe


def _deck_shuffled(state: TableState, fact: f.DeckShuffled) -> None:
    deck, spec = state.deck, state.deck.spec
    state.deck = replace(
        deck, ledger=deck.ledger.reload(), census=_census(spec, deck.short), watch=OrderWatch.start(spec, last=_last_order(deck)),
        shuffled=True, fresh=True, loaded=True, cut_seen=False, empty=False, partial=False, rounds_left=0,
        mode=fact.mode, evidence=fact.evidence,
    )  # fmt: skip
    state.shuffler_out = fact.counted
    state.shoe += 1


def _last_order(deck: Deck) -> bytes:
    """The order in which the set was read last; an untouched shoe keeps the one before."""
    return deck.watch.read or deck.watch.reference.last


def _state_carried(state: TableState, fact: f.StateCarried) -> None:
    """All that the rounds before leave behind; a fold may begin here."""
    last = unseal_codes(fact.last_order, CENSUS)
    spec = state.deck.spec
    deck = new_deck(spec, last, state.deck.watch)
    if fact.short:
        deck = replace(deck, census=_census(spec, fact.short), short=fact.short)
    state.deck = replace(
        deck, ledger=deck.ledger.load(fact.cards), loaded=True, shuffled=True, fresh=True,
        mode=fact.mode, back=fact.back, decks=fact.decks, evidence=fact.evidence,
    )  # fmt: skip
    state.round, state.resume_to = None, None
    state.phase, state.shoe, state.round_number, state.button = fact.phase, fact.shoe, fact.round_number, fact.button
    state.last_back, state.shuffler_out, state.dealer = fact.last_back, fact.shuffler_out, fact.dealer
    state.rules_hash, state.device_seq, state.rounds_since_count = fact.rules_hash, fact.device_seq, fact.rounds_since_count
    state.devices_down = frozenset(fact.devices_down)
    state.spare = fact.spare
    state.dealer_is_new = fact.dealer_is_new
    state.beside, state.agreed, state.differed = fact.beside, fact.agreed, fact.differed
    state.device_modes = fact.device_modes
    state.quarantine_why = ""
    state.alarms = tuple(Alarm(a.code, a.where, a.detail, a.holds, a.ways) for a in fact.alarms)


def _device_mode_told(state: TableState, fact: f.DeviceModeTold) -> None:
    state.device_modes = {**state.device_modes, fact.device: fact.mode}


def _census(spec: DeckSpec, short: tuple[int, ...]) -> ShoeCensus:
    census = ShoeCensus.of(spec)
    for code in short:
        without = census.without(code)
        if not isinstance(without, Beyond):
            census = without
    return census


def _spare_shuffled(state: TableState, fact: f.SpareShuffled) -> None:
    state.spare = fact.counted


def _spare_unshuffled(state: TableState, fact: f.SpareUnshuffled) -> None:
    state.spare = None


def _deck_unshuffled(state: TableState, fact: f.DeckUnshuffled) -> None:
    state.deck = replace(state.deck, shuffled=False)


def _deck_quarantined(state: TableState, fact: f.DeckQuarantined) -> None:
    state.deck = replace(state.deck, shuffled=False, loaded=False)
    state.quarantine_why = fact.why


def _deck_cleared(state: TableState, fact: f.DeckCleared) -> None:
    state.quarantine_why = ""


def _card_removed(state: TableState, fact: f.CardRemoved) -> None:
    """Out of the rack when such a card came out already, else out of the device, which can then not give it any more."""
    deck, code = state.deck, fact.card.code
    was_out = deck.spec.copies(code) - deck.short.count(code) > deck.census.may_come(code)
    racked, inside = (Place.DISCARDED, Place.BURNED, Place.ASIDE), (Place.DEVICE,)
    place = next((p for p in (racked + inside if was_out else inside + racked) if deck.ledger.at(p)), Place.DEVICE)
    without = deck.census.without(code) if place is Place.DEVICE else None
    census = without if isinstance(without, ShoeCensus) else deck.census
    state.deck = replace(deck, ledger=moved(deck.ledger.take_out(place, 1), state), short=(*deck.short, code), census=census)


def _card_replaced(state: TableState, fact: f.CardReplaced) -> None:
    deck = state.deck
    short = list(deck.short)
    short.remove(fact.card.code)
    if deck.ledger.discarded:
        ledger, census = deck.ledger.put_in(Place.DISCARDED, 1), deck.census
    else:
        ledger, census = deck.ledger.put_in(Place.DEVICE, 1), deck.census.with_added(fact.card.code)
    state.deck = replace(deck, ledger=ledger, census=census, short=tuple(short))


def _alarm_raised(state: TableState, fact: f.AlarmRaised) -> None:
    if fact.code == "unshuffled-order":
        state.deck = replace(state.deck, finding="")
    others = tuple(a for a in state.alarms if (a.code, a.where) != (fact.code, fact.where))
    state.alarms = (*others, Alarm(fact.code, fact.where, fact.detail, fact.holds, fact.ways))
    if fact.code == "device-lost":
        state.devices_down = state.devices_down | {fact.where}


def _alarm_settled(state: TableState, fact: f.AlarmSettled) -> None:
    settled = [alarm for alarm in state.alarms if alarm.code == fact.code and fact.where in (None, alarm.where)]
    if fact.code == "device-lost":
        state.devices_down = state.devices_down - {alarm.where for alarm in settled}
    state.alarms = tuple(alarm for alarm in state.alarms if alarm not in settled)


def _suspended(state: TableState, fact: f.Suspended) -> None:
    state.resume_to, state.phase = fact.from_phase, "suspended"


def _resumed(state: TableState, fact: f.Resumed) -> None:
    state.resume_to, state.phase = None, fact.to_phase


def _dealer_changed(state: TableState, fact: f.DealerChanged) -> None:
    state.dealer = fact.person if fact.on else ""
    state.dealer_is_new = fact.on or state.dealer_is_new


def _shoe_emptied(state: TableState, fact: f.ShoeEmptied) -> None:
    state.deck = replace(state.deck, empty=True)


def _shoe_ended(state: TableState, fact: f.ShoeEnded) -> None:
    state.deck = replace(state.deck, shuffled=False)


APPLY: Appliers = {
    f.TableOpened: _table_opened,
    f.TableClosed: _table_closed,
    f.DeviceHeard: _device_heard,
    f.DeckLoaded: _deck_loaded,
    f.DeckShuffled: _deck_shuffled,
    f.StateCarried: _state_carried,
    f.DeviceModeTold: _device_mode_told,
    f.SpareShuffled: _spare_shuffled,
    f.SpareUnshuffled: _spare_unshuffled,
    f.DeckUnshuffled: _deck_unshuffled,
    f.DeckQuarantined: _deck_quarantined,
    f.DeckCleared: _deck_cleared,
    f.CardRemoved: _card_removed,
    f.CardReplaced: _card_replaced,
    f.AlarmRaised: _alarm_raised,
    f.AlarmSettled: _alarm_settled,
    f.Suspended: _suspended,
    f.Resumed: _resumed,
    f.DealerChanged: _dealer_changed,
    f.ShoeEmptied: _shoe_emptied,
    f.ShoeEnded: _shoe_ended,
}
