"""What the dealer turns, sets, declares, counts and picks up."""

from __future__ import annotations

from controller.dealing.game import no_flaw
from controller.dealing.round import COMMUNITY, DEALER, SEAT_PLACES, Held, Round, Seat, seat_place
from controller.dealing.show_steps import ShowHands
from controller.dealing.steps import Collect as CollectStep
from controller.dealing.steps import ExposeCards, Order, SetHands, Settle, StateKind, Who
from controller.table import facts as f
from controller.table.acts import Collect, Declare, Expose, SetHand, StubCount
from controller.table.arriving import stub_count_due
from controller.table.codes import sentence
from controller.table.desk import Desk, stub_expected
from controller.table.going_on import settle_alarm
from controller.table.hand_cards import check_named, hand_faces, is_set_wrongly, match_named, named_groups, open_group, refuse_seen
from controller.table.judging import overall
from controller.table.show_acts import show_hand
from controller.table.side_acts import declare_outcome, expose_side
from controller.table.turns import hole_card_lies_down, is_what_was_told
from firmware_bridge.cards import UNREADABLE, Card, Sealed, seal_all, unseal_held

ROUND_OVER = frozenset({StateKind.VOID, StateKind.QUARANTINED, StateKind.COMPLETE})

# ---- exposing


def expose(desk: Desk, act: Expose) -> None:
    """Cards are turned face up, in the game's order."""
    seat = act.seat
    if act.community:
        _expose_community(desk, act)
    elif isinstance(seat, int):
        if desk.procedure.hands_lie_open:
            _point_at_open_hand(desk, seat)
        else:
            _expose_seat(desk, act, seat)
    elif seat == DEALER:
        _expose_dealer(desk, act)
    elif seat is not None:
        expose_side(desk, act, seat)
    else:
        desk.refuse("bad-option", "Say what is exposed: a seat, the dealer, or community places.")


def _point_at_open_hand(desk: Desk, number: int) -> None:
    """A hand that lies open since the deal is settled without being turned; a dealer who names it in the settlement is heard."""
    place = seat_place(number)
    if number not in desk.round.seats:
        desk.refuse("not-wagered", f"Seat {number} has no hand in this round.")
    if not any(key == str(number) or key.startswith(f"{number} hand ") for key in desk.round.results):
        desk.refuse("not-your-turn", f"The hand of seat {number} is settled after the last card.")
    desk.notes.to, desk.notes.face, desk.notes.cards = place, "up", desk.round.shown_cards(place)


def _expose_community(desk: Desk, act: Expose) -> None:
    step = desk.step
    held = desk.round.hands.get(COMMUNITY, ())
    if not isinstance(step, ExposeCards) or step.what is not Who.COMMUNITY:
        desk.refuse("not-your-turn", "Community cards are not turned in this step.")
    for place in act.community:
        if not 1 <= place <= len(held):
            desk.refuse("bad-position", f"There are community cards 1 to {len(held)}; there is no {place}.")
        if held[place - 1].shown:
            desk.refuse("not-expected-now", f"Community card {place} already lies face up.")
        if step.cards and place not in step.cards:
            desk.refuse("not-your-turn", f"Community card {place} is not turned in this step.", step.rule)
    cards = _faces(desk, tuple(held[place - 1] for place in act.community), act.cards, COMMUNITY)
    due = step.cards or range(1, len(held) + 1)
    done = all(held[place - 1].shown or place in act.community for place in due)
    for number, (place, card) in enumerate(zip(act.community, cards, strict=True)):
        last = number == len(act.community) - 1
        desk.emit(f.Exposed(place=f"{COMMUNITY} {place}", cards=(card,), done=False))
        if last and done:
            desk.emit(f.TurnTaken(place=COMMUNITY))
    desk.notes.rule, desk.notes.to, desk.notes.face = step.rule, COMMUNITY, "up"
    desk.notes.cards = cards
    if done:
        desk.judge()
        desk.fire("advance")


def _faces(desk: Desk, held: tuple[Held, ...], named: tuple[Card, ...], place: str) -> tuple[Card, ...]:
    """The faces of cards now turned: as read, or as named where they were not read."""
    if named and len(named) != len(held):
        desk.refuse("bad-cards", f"{place}: {len(held)} cards are turned, {len(named)} are named.")
    refuse_seen(desk, place, named, desk.round.hands)
    cards = []
    for index, card in enumerate(unseal_held(held, "turned face up by the procedure")):
        told = named[index] if named else None
        if told is not None and card is not UNREADABLE and told is not card:
            desk.refuse("bad-cards", f"{place}: the cards named are not the cards that were read there.")
        if card is UNREADABLE and told is None:
            desk.refuse("bad-cards", f"{place}: a card was not read here; name the cards that are turned.")
        cards.append(told or card)
    return tuple(cards)


def _expose_dealer(desk: Desk, act: Expose) -> None:
    step, round_ = desk.step, desk.round
    if isinstance(step, Settle) and round_.dealer_exposed and not any(seat.exposed for seat in round_.seats.values()):
        desk.notes.rule = step.rule
        return
    idly = isinstance(step, CollectStep) and hole_card_lies_down(desk)
    if step is None or not (idly or (isinstance(step, ExposeCards) and step.what is Who.DEALER)):
        desk.refuse("not-your-turn", "The dealer's cards are not turned in this step.")
    if isinstance(step, ExposeCards) and step.cards:
        _turn_some_of_dealer(desk, step, act.cards)
    else:
        turn_dealer(desk, round_, act.cards)
    desk.notes.rule = step.rule
    desk.judge()
    if is_what_was_told(desk) and not idly:
        desk.fire("advance")


def _turn_some_of_dealer(desk: Desk, step: ExposeCards, named: tuple[Card, ...]) -> None:
    hand = desk.round.hands.get(DEALER, ())
    cards = _faces(desk, tuple(hand[number - 1] for number in step.cards), named, DEALER)
    for number, card in zip(step.cards, cards, strict=True):
        desk.emit(f.Exposed(place=f"{DEALER} {number}", cards=(card,), done=False))
    desk.emit(f.TurnTaken(place=DEALER))
    desk.notes.to, desk.notes.face, desk.notes.cards = DEALER, "up", cards


def turn_dealer(desk: Desk, round_: Round, named: tuple[Card, ...]) -> None:
    """The dealer's hand is turned up and looked at for a configured natural."""
    hand = round_.hands.get(DEALER, ())
    cards = hand_faces(desk, hand, named, DEALER)
    procedure = desk.procedure
    natural = procedure.game.is_natural(procedure.settings, cards)
    desk.emit(f.Exposed(place=DEALER, cards=cards, natural=natural))
    desk.notes.to, desk.notes.face, desk.notes.cards = DEALER, "up", cards


def _expose_seat(desk: Desk, act: Expose, number: int) -> None:
    draft = desk.draft
    step, round_ = desk.procedure.by_name.get(draft.phase), draft.round
    if not isinstance(step, Settle) or round_ is None:
        desk.refuse("not-your-turn", "Players' hands are not exposed in this step.")
    seat = round_.seats.get(number)
    if seat is None:
        desk.refuse("not-wagered", f"Seat {number} has no hand in this round.")
    if isinstance(step, ShowHands):
        show_hand(desk, step, act, number)
        return
    place = SEAT_PLACES[number]
    if place not in round_.turns:
        desk.refuse("not-your-turn", f"The hand of seat {number} is not exposed (again).", step.rule)
    if round_.turns[0] != place and step.order is not Order.ANY:
        desk.refuse("not-your-turn", f"From the dealer's right, counterclockwise: {round_.turns[0]} is exposed first.", step.rule)
    groups, cards = _shown_groups(desk, act, round_, seat, place)
    desk.emit(f.Exposed(place=place, cards=cards, groups=groups))
    notes = desk.notes
    notes.to, notes.face = place, "up"
    notes.rule, notes.cards = step.rule, cards
    if desk.procedure.game.set_flaw is not no_flaw and not _ruled(desk, number, groups):
        return
    desk.judge()
    if not round_.turns:
        desk.fire("advance")


def _shown_groups(
    desk: Desk, act: Expose, round_: Round, seat: Seat, place: str
) -> tuple[tuple[tuple[str, tuple[Card, ...]], ...], tuple[Card, ...]]:
    """The groups of an exposed hand and all cards now face up."""
    forms = _forms_of_rest(desk, seat) if seat.thrown else desk.procedure.hand_forms
    if not (forms or seat.groups or act.high or act.medium or act.low or act.cards):
        cards = hand_faces(desk, round_.hands.get(place, ()), (), place)
        return (("keep", cards),), cards
    by_name = (("high", act.high), ("medium", act.medium), ("low", act.low))
    if act.high or act.medium or act.low:
        named: tuple[tuple[str, tuple[Card, ...]], ...] = tuple((name, cards) for name, cards in by_name if cards)
    elif act.cards and len(forms) > 1 and len(act.cards) == sum(size for _, size in forms):
        named = _cut(act.cards, forms)
    elif act.cards and seat.status == "split":
        named = (("keep", act.cards[:2]), ("keep 2", act.cards[2:]))
    else:
        named = (("keep", act.cards),) if act.cards else ()
    told = tuple(card for _, cards in named for card in cards)
    if any(name not in dict(forms) and not name.startswith("keep") for name, _ in named):
        desk.refuse("bad-cards", f"{place}: hands are shown as {' and '.join(name for name, _ in forms) or 'they were dealt'} here.")
    check_named(desk, place, told)
    known = tuple((name, open_group(group, "exposed by the procedure")) for name, group in _known_groups(seat).items() if name != "discard")
    if known:
        if named and [sorted(c.code for c in cards) for _, cards in named] != [sorted(c.code for c in cards) for _, cards in known]:
            desk.refuse("bad-cards", f"{place}: the cards named are not those that were set.")
        return known, tuple(card for _, cards in known for card in cards)
    if forms and not named:
        desk.refuse("bad-cards", f"{place}: name the cards that are turned up; until now nobody saw which were kept.")
    if not forms:
        cards = hand_faces(desk, round_.hands.get(place, ()), act.cards, place)
        return (("keep", cards),), cards
    one = sum(size for _, size in forms)
    shown = 2 * one if seat.status == "split" else one
    if len(told) != shown or any(len(cards) != one for name, cards in named if name.startswith("keep")):
        desk.refuse("bad-cards", f"{place}: {shown} cards are shown, {len(told)} are named.")
    return named, told


def _cut(cards: tuple[Card, ...], forms: tuple[tuple[str, int], ...]) -> tuple[tuple[str, tuple[Card, ...]], ...]:
    """The cards in the order of the hands, the highest first."""
    cut, left = [], cards
    for name, size in forms:
        cut.append((name, left[:size]))
        left = left[size:]
    return tuple(cut)


def _known_groups(seat: Seat) -> dict[str, tuple[Sealed, ...]]:
    if seat.status == "split":
        both = "keep" in seat.groups and "discard" in seat.groups
        return {"keep": seat.groups["keep"], "keep 2": seat.groups["discard"]} if both else {}
    return {name: group for name, group in seat.groups.items() if name != "discard"}


def _forms_of_rest(desk: Desk, seat: Seat) -> tuple[tuple[str, int], ...]:
    """How a hand is shown after cards were thrown away of which nobody knows which they were."""
    return (("keep", len(desk.round.hands.get(seat_place(seat.number), ())) - seat.thrown),)


def _ruled(desk: Desk, number: int, groups: tuple[tuple[str, tuple[Card, ...]], ...]) -> bool:
    """False when the set needs a supervisor's ruling before it can be judged."""
    flaw = desk.procedure.game.set_flaw(desk.procedure.settings, dict(groups))
    if flaw is None:
        return True
    place = seat_place(number)
    if flaw.ruling:
        desk.emit(f.Irregular(kind="wrong-set", remedy="supervisor-decides", rule=flaw.rule, where=place))
        desk.notes.irregularity, desk.notes.remedy, desk.notes.rule = "wrong-set", "supervisor-decides", flaw.rule
        desk.raise_alarm("wrong-set", where=place, detail=flaw.words, ways=("continue", "hand-dead", "void"))
        return False
    desk.emit(f.SetFoundWrong(seat=number, words=flaw.words, rule=flaw.rule))
    desk.notes.irregularity, desk.notes.rule = "wrong-set", flaw.rule
    return True


# ---- the dealer's hand


def set_dealer(desk: Desk, act: SetHand) -> None:
    """The dealer sets by the house way, where one was filed; a hand set otherwise, or against the rules of setting, is set again."""
    step = desk.step
    if isinstance(step, ExposeCards) and step.what is Who.DEALER:
        turn_dealer(desk, desk.round, ())
        desk.judge()
        desk.fire("advance")
        step = desk.step
    if not isinstance(step, SetHands) or step.who is not Who.DEALER:
        code = "not-your-turn" if desk.kind is StateKind.SETTING else "not-expected-now"
        desk.refuse(code, "The dealer sets after all players' hands are set.")
    procedure, hand = desk.procedure, desk.round.hands.get(DEALER, ())
    named = named_groups(act)
    told = tuple(card for _, cards in named for card in cards)
    check_named(desk, DEALER, told)
    cards = told if len(told) == len(hand) else unseal_held(hand, "the dealer sets the hand")
    advised = procedure.game.house_way(procedure.settings, cards) if UNREADABLE not in cards else None
    desk.notes.rule = step.rule
    if not named and advised is None:
        desk.refuse("bad-cards", "No house way is configured for this game: name the cards of the dealer's hand as set.")
    groups = named or tuple((advised or {}).items())
    sizes = tuple((name, len(group)) for name, group in groups)
    if sizes != step.groups:
        desk.refuse(
            "bad-cards",
            f"The dealer's hand is set as {' and '.join(f'{n} {size}' for n, size in step.groups)}.",
            step.rule,
        )
    if is_set_wrongly(desk, groups, advised):
        if len(told) == len(hand) and not desk.round.dealer_exposed:
            desk.emit(f.Exposed(place=DEALER, cards=told, done=False))
        desk.irregular("wrong-set", where=DEALER)
        return
    rest = match_named(desk.round, DEALER, tuple(card for _, group in groups for card in group)) or ()
    if not desk.round.dealer_exposed:
        shown = tuple(card for _, group in groups for card in group)
        desk.emit(f.Exposed(place=DEALER, cards=(*shown, *rest), groups=groups, done=False))
    desk.emit(f.HandSet(place=DEALER, groups=tuple((name, seal_all(group)) for name, group in groups), to_rack=len(rest)))
    desk.notes.to, desk.notes.face = DEALER, "up"
    desk.notes.cards = tuple(card for _, group in groups for card in group)
    desk.judge()
    desk.fire("advance")


# ---- declaring, collecting, counting

_WAYS_ROUND = {Order.RIGHT_FIRST: ", from the dealer's right, counterclockwise", Order.CLOCKWISE: ", clockwise", Order.ANY: ""}


def declare(desk: Desk, act: Declare) -> None:
    """The dealer states a result; the controller's own becomes visible, and a difference alarms."""
    round_ = desk.round
    if act.seat is None:
        declare_outcome(desk, act.result)
        return
    key = f"{act.seat} hand {act.hand}" if act.hand else str(act.seat)
    telling = desk.procedure.game.telling_wagers
    hands = [k for k in round_.results if k == key or k.startswith(f"{key} hand ")]
    if not hands:
        desk.refuse("not-expected-now", "This result is not known yet: the cards come first.")
    agrees = all(act.result in (overall(round_.results[k], telling), round_.hand_names.get(k, "")) for k in hands)
    for hand in hands:
        desk.emit(f.Declared(key=hand, result=act.result, agrees=agrees))
    if not agrees:
        desk.raise_alarm("declared-differs", where=key, detail=f"declared {act.result[:40]}", holds=False, ways=("continue", "void"))


def collect(desk: Desk, act: Collect) -> None:
    """Cards are picked up: the players' discards, or all cards of the round."""
    step = desk.step
    if act.what == "discards":
        _collect_discards(desk)
    elif desk.kind is StateKind.VOID:
        _collect_void(desk)
    elif isinstance(step, CollectStep):
        desk.emit(f.RoundCollected(cards=desk.draft.deck.ledger.dealt, kept=_kept_for_next(desk)))
        desk.notes.rule = step.rule
        _finish_round(desk)
    elif isinstance(step, Settle) and desk.round.turns:
        desk.refuse(
            "not-your-turn",
            f"{desk.round.turns[0]} is exposed first{_WAYS_ROUND[step.order]}.",
            step.rule,
        )
    else:
        desk.refuse("not-your-turn", "The round is not over, so no cards are picked up.")


def _collect_discards(desk: Desk) -> None:
    step = desk.step
    if not isinstance(step, SetHands) or not step.ends_with_discards:
        desk.refuse("not-your-turn", "There are no discards to take up in this step.")
    if desk.round.turns:
        desk.refuse("not-your-turn", f"{desk.round.turns[0]} has not set a hand yet.", step.rule)
    keep = dict(step.groups)["keep"]
    cards = sum(len(desk.round.hands[seat_place(n)]) - keep for n, seat in desk.round.seats.items() if seat.status == "")
    desk.emit(f.DiscardsCollected(cards=cards))
    desk.notes.rule, desk.notes.to = step.rule, "discard"
    desk.fire("advance")


def _kept_for_next(desk: Desk) -> int:
    """Cards drawn in excess that are the first of the next round of a shoe; the last round of a shoe has no next."""
    if desk.procedure.shuffle_each_round or _is_last_of_shoe(desk):
        return 0
    return sum(as_next for _, as_next in desk.round.aside)


def _is_last_of_shoe(desk: Desk) -> bool:
    deck = desk.draft.deck
    return deck.empty or (deck.cut_seen and not deck.rounds_left)


def _collect_void(desk: Desk) -> None:
    desk.emit(f.RoundCollected(cards=desk.draft.deck.ledger.dealt))
    desk.emit(f.RoundCompleted(round=desk.round.number))
    desk.fire("unverify")


def _finish_round(desk: Desk) -> None:
    if stub_count_due(desk):
        desk.notes.message = sentence("stub-count-due")
        return
    last = _is_last_of_shoe(desk)
    desk.emit(f.RoundCompleted(round=desk.round.number))
    desk.fire("advance")
    if desk.procedure.shuffle_each_round:
        desk.emit(f.DeckUnshuffled(why="the round is over"))
    elif last:
        desk.emit(f.ShoeEnded(why="the cutting card came out" if desk.draft.deck.cut_seen else "the shoe is empty"))
        desk.fire("unverify")


def stub_count(desk: Desk, act: StubCount) -> None:
    """Cards counted in the stub, against what the ledger leaves."""
    check, round_ = desk.procedure.game.stub, desk.round
    expected = stub_expected(round_, desk.draft.deck.ledger.loaded)
    if check is None or expected is None or desk.kind in ROUND_OVER:
        desk.refuse("not-expected-now", "The stub is counted after the last card of the round.")
    if round_.stub_counted is not None:
        desk.refuse("not-expected-now", "The stub of this round is counted already.")
    desk.emit(f.StubCounted(counted=act.cards, expected=expected))
    desk.notes.rule, desk.notes.evidence = check.rule, "told"
    settle_alarm(desk, "stub-count-due", "counted")
    if act.cards != expected:
        remedy = check.wrong_misdealt
        desk.emit(f.Irregular(kind="stub-count-wrong", remedy=remedy.remedy, rule=remedy.rule))
        desk.notes.irregularity, desk.notes.remedy, desk.notes.rule = "stub-count-wrong", remedy.remedy, remedy.rule
        desk.notes.message = f"The stub must have {expected} cards, {act.cards} were counted. Count every hand, then report what you found."
        desk.void("stub-count-wrong", remedy.remedy, remedy.rule)
    elif round_.collected:
        _finish_round(desk)
