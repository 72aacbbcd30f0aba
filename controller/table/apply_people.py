"""Folds facts of what people do with their cards: decisions, set and exposed hands, results."""

from __future__ import annotations

from msgspec.structs import replace

from controller.dealing.round import COMMUNITY, DEALER, SEAT_PLACES, SIDES, Held, Round, Seat, seat_of
from controller.table import facts as f
from controller.table.folding import CENSUS, Appliers, FoldError, change_seat, no_round, rack, round_of, take_turn
from controller.table.state import TableState
from firmware_bridge.cards import UNREADABLE, Card, Sealed, seal_all, unseal, unseal_held


def _decided(state: TableState, fact: f.Decided) -> None:
    round_ = state.round or no_round(state)
    seat = round_.seats[fact.seat]
    places = fact.wager is not None or fact.takes_back is not None
    if places or fact.status or fact.forfeits or fact.discard or fact.keep or (fact.done and not seat.is_set):
        change_seat(round_, _as_decided(seat, fact))
    if fact.to_rack:
        rack(state, fact.to_rack)
    if fact.done:
        take_turn(round_, SEAT_PLACES[fact.seat])


def _as_decided(seat: Seat, fact: f.Decided) -> Seat:
    wagers, lost, groups = seat.wagers, seat.lost, seat.groups
    if fact.wager is not None:
        wagers = {**wagers, fact.wager: fact.amount}
    if fact.takes_back is not None:
        wagers = {name: amount for name, amount in wagers.items() if name != fact.takes_back}
    if fact.forfeits:
        lost = {**lost, **dict.fromkeys(fact.forfeits, fact.forfeits_to)}
    if fact.discard:
        groups = {**groups, "discard": fact.discard}
    if fact.keep:
        groups = {**groups, "keep": fact.keep}
    status, is_set = fact.status or seat.status, seat.is_set or fact.done
    return replace(seat, wagers=wagers, lost=lost, groups=groups, status=status, is_set=is_set)


def _side_decided(state: TableState, fact: f.SideDecided) -> None:
    round_ = state.round or no_round(state)
    if fact.choose:
        round_.choices = {**round_.choices, fact.side: fact.choose}
    take_turn(round_, fact.side)


def _hand_set(state: TableState, fact: f.HandSet) -> None:
    round_ = state.round or no_round(state)
    number = seat_of(fact.place)
    if number is None:
        round_.dealer_groups = dict(fact.groups)
    else:
        seat = round_.seats[number]
        change_seat(round_, replace(seat, groups=dict(fact.groups), is_set=True, wrong=fact.wrong))
    rack(state, fact.to_rack)
    take_turn(round_, fact.place)


def _discards_collected(state: TableState, fact: f.DiscardsCollected) -> None:
    rack(state, fact.cards)
    round_of(state).turns = ()


def _exposed(state: TableState, fact: f.Exposed) -> None:
    round_ = state.round or no_round(state)
    if (number := seat_of(fact.place)) is not None:
        _show_seat(round_, number, fact)
    elif fact.place.startswith(COMMUNITY):
        _show_community(round_, fact)
    elif fact.place.startswith("dealer "):
        _show_one_of_dealer(round_, fact)
    elif fact.place == DEALER:
        round_.hands = {**round_.hands, DEALER: _show_all(round_.hands.get(DEALER, ()), fact)}
        round_.dealer_exposed, round_.dealer_natural = True, fact.natural
        round_.redeemable = ""
        if fact.groups:
            round_.dealer_groups = _sealed(fact.groups)
    elif fact.place in SIDES:
        round_.hands = {**round_.hands, fact.place: _show_all(round_.hands.get(fact.place, ()), fact)}
    else:
        raise FoldError(code="fold", what=f"Table {state.table}: '{fact.place}' is no place.", do="Verify the journal.")
    if fact.done:
        take_turn(round_, fact.place)


def _sealed(groups: tuple[tuple[str, tuple[Card, ...]], ...]) -> dict[str, tuple[Sealed, ...]]:
    sealed = {}
    for name, cards in groups:
        sealed[name] = seal_all(cards)
    return sealed


def _show_seat(round_: Round, number: int, fact: f.Exposed) -> None:
    seat, place = round_.seats[number], SEAT_PLACES[number]
    groups = _sealed(fact.groups) if fact.groups else seat.groups
    change_seat(round_, replace(seat, groups=groups, exposed=fact.done))
    round_.hands = {**round_.hands, place: _show_named(round_.hands.get(place, ()), fact.cards)}


def _show_community(round_: Round, fact: f.Exposed) -> None:
    held = list(round_.hands.get(COMMUNITY, ()))
    index = int(fact.place.split()[1]) - 1 if " " in fact.place else 0
    for offset, card in enumerate(fact.cards):
        held[index + offset] = _shown(held[index + offset], card, _better(held[index + offset].evidence))
    round_.hands = {**round_.hands, COMMUNITY: tuple(held)}


def _show_one_of_dealer(round_: Round, fact: f.Exposed) -> None:
    held = list(round_.hands.get(DEALER, ()))
    index = int(fact.place.split()[1]) - 1
    held[index] = _shown(held[index], fact.cards[0], _better(held[index].evidence))
    round_.hands = {**round_.hands, DEALER: tuple(held)}


def _shown(held: Held, card: Card | None = None, evidence: str = "") -> Held:
    """The card face up; as it was named where it was not read."""
    return Held(held.card if card is None else card.sealed, evidence or held.evidence, True, held.order)


def _better(evidence: str) -> str:
    return "told" if evidence == "unknown" else evidence


def _show_all(hand: tuple[Held, ...], fact: f.Exposed) -> tuple[Held, ...]:
    named = list(fact.cards)
    if len(named) != len(hand):
        return _show_named(hand, fact.cards)
    known = unseal_held(hand, CENSUS)
    if UNREADABLE not in known:
        return _face_up(hand)
    missing = list(named)
    for card in known:
        if card in missing:
            missing.remove(card)
    shown = []
    for held, card in zip(hand, known, strict=True):
        told = missing.pop(0) if card.code == 0 and missing else None
        shown.append(_shown(held, told, "told") if told is not None else _shown(held))
    return tuple(shown)


def _face_up(hand: tuple[Held, ...]) -> tuple[Held, ...]:
    """A hand whose cards were all read."""
    shown = []
    for held in hand:
        shown.append(Held(held.card, held.evidence, True, held.order))  # noqa: PERF401  # as in `firmware_bridge.cards`
    return tuple(shown)


def _show_named(hand: tuple[Held, ...], told: tuple[Card, ...]) -> tuple[Held, ...]:
    cards, shown = unseal_held(hand, CENSUS), []
    if told == cards and UNREADABLE not in cards:
        return _face_up(hand)
    named = list(told)
    for held, card in zip(hand, cards, strict=True):
        if card in named:
            named.remove(card)
            shown.append(_shown(held))
        else:
            shown.append(held)
    for index, held in enumerate(shown):
        if named and unseal(held.card, CENSUS).code == 0:
            shown[index] = _shown(held, named.pop(0), "told")
    return tuple(shown)


def _hand_shown(state: TableState, fact: f.HandShown) -> None:
    round_, place = round_of(state), f"seat {fact.seat}"
    seat = round_.seats[fact.seat]
    change_seat(round_, replace(seat, shown_for=(*seat.shown_for, fact.wager)))
    round_.hands = {**round_.hands, place: _show_named(round_.hands.get(place, ()), fact.cards)}
    take_turn(round_, place)


def _turn_is_taken(state: TableState, fact: f.TurnTaken) -> None:
    take_turn(round_of(state), fact.place)


def _set_found_wrong(state: TableState, fact: f.SetFoundWrong) -> None:
    round_ = state.round or no_round(state)
    change_seat(round_, replace(round_.seats[fact.seat], wrong=fact.words))


def _hand_judged(state: TableState, fact: f.HandJudged) -> None:
    round_ = state.round or no_round(state)
    round_.results = {**round_.results, fact.key: fact.results}
    round_.pays = {**round_.pays, fact.key: fact.pays}
    round_.hand_names = {**round_.hand_names, fact.key: fact.hand}


def _declared(state: TableState, fact: f.Declared) -> None:
    round_ = state.round or no_round(state)
    round_.declared = {**round_.declared, fact.key: fact.result}
    seat = round_.seats.get(int(number)) if (number := fact.key.partition(" ")[0]).isdigit() else None
    rest = {key: wagers for key, wagers in round_.told.items() if key != fact.key}
    still_open = seat is not None and seat.live and not seat.exposed
    round_.told = {**rest, fact.key: tuple(round_.results.get(fact.key, ()))} if still_open else rest


def _hand_dead(state: TableState, fact: f.HandDead) -> None:
    round_ = state.round or no_round(state)
    place = f"seat {fact.seat}"
    change_seat(round_, replace(round_.seats[fact.seat], status="dead"))
    round_.turns = tuple(place for place in round_.turns if seat_of(place) != fact.seat)
    if not fact.dealt_on:
        round_.plan = round_.plan[: round_.cursor] + tuple(due for due in round_.plan[round_.cursor :] if due[0] != place)


APPLY: Appliers = {
    f.Decided: _decided,
    f.SideDecided: _side_decided,
    f.HandSet: _hand_set,
    f.DiscardsCollected: _discards_collected,
    f.Exposed: _exposed,
    f.HandShown: _hand_shown,
    f.TurnTaken: _turn_is_taken,
    f.SetFoundWrong: _set_found_wrong,
    f.HandJudged: _hand_judged,
    f.Declared: _declared,
    f.HandDead: _hand_dead,
}
