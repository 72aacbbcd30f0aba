"""Cards and stacks that leave a device: is each one asked for, is it possible, where does it go.

Order of the checks on a card: asked for at all, face up, beyond the census, then its planned place; after it is placed, unreadable,
double feed and the order of all cards so far. A card is always accounted for, whatever the verdict.
"""

from __future__ import annotations

from controller.dealing.round import COMMUNITY, Round
from controller.dealing.side_steps import BurnByFirst
from controller.dealing.steps import Burn, Deal, Draw, Exchange, Stack, StateKind, Step
from controller.integrity.census import Beyond, BeyondReason
from controller.table import facts as f
from controller.table import turns
from controller.table.acts import CardOut, CutCardOut, StackOut
from controller.table.beside_acts import card_told
from controller.table.betting_acts import begin_round
from controller.table.desk import Desk, shown_card
from controller.table.going_on import unshuffle_outside_round
from firmware_bridge.cards import UNREADABLE, Sealed, unseal

CENSUS = "census"
PEOPLE = frozenset({"dealer", "supervisor", "technician", "player"})
"""What they say of a card is told; what a device says of it was read."""
CARD_BY_CARD = Burn | BurnByFirst | Deal | Draw | Exchange
MEETS_A_PLAN = frozenset({StateKind.DEALING, StateKind.DRAWING})
ERROR_BEFORE_BETS = frozenset({StateKind.READY, StateKind.WAGERING})


def card_out(desk: Desk, act: CardOut) -> None:
    """One card left the device."""
    round_ = desk.draft.round
    if round_ is not None and (step := _asking_for(desk, act, round_)) is not None:
        _lay_as_planned(desk, act, round_, step, _told_or_read(act))
        if act.told:
            card_told(desk, act)
        if desk.draft.deck.finding:
            _tell_order(desk)
        elif round_.cursor >= len(round_.plan):
            desk.step_done()
        return
    left_in_its_step = not act.out_of_flow and _was_asked_for_before_the_line_was_lost(desk)
    is_followed = desk.in_round and desk.kind is not StateKind.SUSPENDED
    _judge_card(desk, act)
    if is_followed and act.told:
        card_told(desk, act)
    _tell_order(desk)
    if left_in_its_step:
        _hold_again(desk)


def _asking_for(desk: Desk, act: CardOut, round_: Round) -> Step | None:
    """The step that asks for this card; None when there is none, or when something about card or table has to be looked at, which is rare.

    A card that was not read is such a one: it has no copies in the census.
    """
    if act.unreadable or act.face_up or act.double or act.out_of_flow or act.back_mismatch or act.beyond or round_.returning:
        return None
    deck, back = desk.draft.deck, act.back
    census = deck.census
    if not census.counts[unseal(act.read, CENSUS).code] or census.unknown or (back is not None and back != deck.back):
        return None
    return desk.procedure.dealt_singly.get(desk.draft.phase) if round_.cursor < len(round_.plan) else None


def _was_asked_for_before_the_line_was_lost(desk: Desk) -> bool:
    """A device lets cards go until it notices itself that its line is lost, and tells them when the line is back (SDP/1 1.7, 1.8).

    Such a card was asked for: it is judged in the step that the table is held in, not as one that nobody wanted.
    """
    draft, round_ = desk.draft, desk.draft.round
    phase = draft.resume_to
    if desk.kind is not StateKind.SUSPENDED or phase is None or round_ is None or any(a.code != "device-lost" for a in draft.holding):
        return False
    if desk.procedure.kind_at(phase, round_) not in MEETS_A_PLAN or not round_.cards_due:
        return False
    desk.emit(f.Resumed(to_phase=phase))
    return True


def _hold_again(desk: Desk) -> None:
    """The line is lost still."""
    if desk.in_round and desk.draft.holding:
        desk.suspend()


def _tell_order(desk: Desk) -> None:
    """An order that a shuffle does not give is told with the card that shows it, or as soon as the table no longer waits for else."""
    if desk.draft.deck.finding and desk.in_round and desk.kind is not StateKind.SUSPENDED:
        desk.irregular("unshuffled-order", detail=desk.draft.deck.finding)


def _told_or_read(act: CardOut) -> str:
    return "told" if act.by.role in PEOPLE else "read"


def _judge_card(desk: Desk, act: CardOut) -> None:
    evidence = "unknown" if act.unreadable else _told_or_read(act)
    desk.notes.evidence = evidence
    if desk.draft.round is None or not desk.in_round:
        _card_outside_round(desk, act, evidence)
        _second_card(desk, act)
        return
    beyond = _beyond(desk, act)
    if beyond is not None:
        _refuse_card(desk, act, beyond, evidence)
    elif desk.kind is StateKind.SUSPENDED or not desk.round.cards_due or act.out_of_flow:
        _drawn_in_error(desk, act, evidence)
    elif act.face_up:
        _found_face_up(desk, act, evidence)
    elif isinstance(desk.step, Stack):
        _card_of_stack(desk, act, evidence)
    else:
        _place(desk, act, evidence)
        return
    _second_card(desk, act)


def _second_card(desk: Desk, act: CardOut) -> None:
    """Two cards left together, the first of them to no planned place: the second is accounted for too, unread."""
    if not act.double or any(isinstance(fact, f.StackCardRead) for fact in desk.facts):
        return
    stray = any(isinstance(fact, f.StrayCard) for fact in desk.facts)
    second = Sealed(UNREADABLE)
    desk.emit(f.StrayCard(card=second, evidence="inferred") if stray else f.CardPutAside(card=second, evidence="inferred", as_next=False))
    if desk.in_round and desk.kind is not StateKind.SUSPENDED:
        _double_feed(desk)


def _double_feed(desk: Desk) -> None:
    desk.raise_alarm("device-malfunction", detail="two cards left the shoe together", ways=("continue", "void", "reshuffle"))
    desk.notes.irregularity, desk.notes.remedy = "device-malfunction", "supervisor-decides"


def _lay_as_planned(desk: Desk, act: CardOut, round_: Round, step: Step, evidence: str) -> None:
    """The card goes to its planned place."""
    place, face = round_.plan[round_.cursor]
    shown = shown_card(act.read, face) if face == "up" else None
    notes, rule = desk.notes, step.rule
    desk.emit(f.CardDealt(to=place, face=face, card=act.read, evidence=evidence, shown=shown, rule=rule))
    notes.to, notes.face = place, face
    notes.evidence, notes.rule = evidence, rule
    if shown is not None:
        notes.card = shown.name


def _place(desk: Desk, act: CardOut, evidence: str) -> None:
    round_ = desk.round
    place, face = round_.plan[round_.cursor]
    _lay_as_planned(desk, act, round_, desk.procedure.by_name[desk.draft.phase], evidence)
    if act.double:
        desk.emit(f.CardPutAside(card=Sealed(UNREADABLE), evidence="inferred", as_next=not _next_comes_in_a_stack(desk)))
    if act.unreadable:
        desk.unread(place, face)
    if act.double:
        _double_feed(desk)
    elif not act.unreadable and not desk.draft.deck.finding:
        desk.step_done()


def _beyond(desk: Desk, act: CardOut) -> str | None:
    """The kind of impossible card, or None when this shoe may still hold it."""
    deck = desk.draft.deck
    if act.back_mismatch or (act.back is not None and deck.back is not None and act.back != deck.back):
        return "foreign-card"
    if act.beyond and not (desk.draft.round is not None and desk.draft.round.reshuffled):
        return "duplicate-card"
    census, code = deck.census, unseal(act.read, CENSUS).code
    if code and census.counts[code] and not census.unknown:
        return None
    drawn = census.draw(code)
    if not isinstance(drawn, Beyond):
        return None
    return "foreign-card" if drawn.reason is BeyondReason.FOREIGN else "duplicate-card"


def _refuse_card(desk: Desk, act: CardOut, kind: str, evidence: str) -> None:
    desk.emit(f.CardPutAside(card=act.read, evidence=evidence, as_next=False))
    desk.notes.to = "aside"
    desk.irregular(kind)


def _found_face_up(desk: Desk, act: CardOut, evidence: str) -> None:
    kind = "card-face-up" if desk.round.face_up_seen == 0 else "cards-face-up"
    seen = unseal(act.read, "seen face up in the shoe")
    desk.emit(f.CardDiscarded(card=act.read, evidence=evidence, shown=seen))
    desk.notes.to, desk.notes.face, desk.notes.card = "discard", "up", seen.name
    desk.irregular(kind)


def _drawn_in_error(desk: Desk, act: CardOut, evidence: str) -> None:
    kind = "card-drawn-in-error"
    if desk.kind is StateKind.COLLECTING and "drawn-and-not-used" in desk.procedure.irregularities:
        desk.emit(f.CardPutAside(card=act.read, evidence=evidence, as_next=True))
        desk.notes.to = "burn"
        turns.burn_what_nobody_can_use(desk)
        return
    if desk.kind in ERROR_BEFORE_BETS and "drawn-before-bets-closed" in desk.procedure.irregularities:
        kind = "drawn-before-bets-closed"
    row = desk.procedure.irregularities.get(kind)
    by_stack = _next_comes_in_a_stack(desk)
    as_next = row is not None and row.remedy == "use-as-next" and not act.face_up and not by_stack
    shown = unseal(act.read, "seen face up") if act.face_up else None
    desk.emit(f.CardPutAside(card=act.read, evidence=evidence, as_next=as_next, shown=shown))
    desk.notes.to = "aside"
    if act.face_up and turns.may_offer(desk):
        turns.offer(desk)
    elif as_next:
        desk.irregular(kind)
    elif desk.kind is not StateKind.SUSPENDED:
        desk.raise_alarm(kind, ways=("void", "reshuffle") if by_stack else ("continue", "void", "reshuffle"))
        desk.notes.irregularity, desk.notes.remedy = kind, "supervisor-decides"
    else:
        desk.notes.irregularity, desk.notes.remedy = kind, "supervisor-decides"


def _next_comes_in_a_stack(desk: Desk) -> bool:
    """True when the next card that the procedure asks for comes in a stack, of which a single card can be no part."""
    names, draft = desk.procedure.names, desk.draft
    phase = draft.resume_to if desk.kind is StateKind.SUSPENDED and draft.resume_to else draft.phase
    here, round_ = names.index(phase), desk.round
    for step in desk.procedure.steps[here if round_.cursor < len(round_.plan) else here + 1 :]:
        if isinstance(step, Stack):
            return True
        if isinstance(step, CARD_BY_CARD) and (step.when is None or step.when(round_)):
            return False
    return False


def _card_outside_round(desk: Desk, act: CardOut, evidence: str) -> None:
    """A card although no round is in progress: before the first wager it waits for its place, else the deck is not in order."""
    may_begin = desk.kind is StateKind.READY or (desk.kind is StateKind.COMPLETE and not desk.procedure.shuffle_each_round)
    if may_begin and not desk.draft.holding:
        begin_round(desk)
        beyond = _beyond(desk, act)
        if beyond is not None:
            _refuse_card(desk, act, beyond, evidence)
        else:
            _drawn_in_error(desk, act, evidence)
        return
    _stray(desk, (act.read,), evidence)


def _stray(desk: Desk, cards: tuple[Sealed, ...], evidence: str) -> None:
    """Cards that lie aside until the next shuffle, which has to come before the next round."""
    for card in cards:
        desk.emit(f.StrayCard(card=card, evidence=evidence))
    desk.notes.to = "aside"
    if desk.draft.beside and desk.kind is StateKind.UNVERIFIED:
        desk.notes.message = "No round is followed yet: the card is counted, and no more."
        return
    desk.notes.irregularity = "card-drawn-in-error"
    code = "not-shuffled" if desk.kind in (StateKind.UNVERIFIED, StateKind.COMPLETE) else "card-drawn-in-error"
    desk.raise_alarm(code, holds=False)
    unshuffle_outside_round(desk, "a card left the device outside of a round")


# ---- stacks


def _card_of_stack(desk: Desk, act: CardOut, evidence: str) -> None:
    place = desk.round.plan[desk.round.cursor][0]
    desk.emit(f.StackCardRead(card=act.read, evidence=evidence))
    if act.double:
        desk.emit(f.StackCardRead(card=Sealed(UNREADABLE), evidence="inferred"))
    desk.notes.to, desk.notes.face = place, "down"


def stack_out(desk: Desk, act: StackOut) -> None:
    """A dispensed stack: its size is the game's, the device's claim is checked."""
    left_in_its_step = _was_asked_for_before_the_line_was_lost(desk)
    _judge_stack(desk, act)
    _tell_order(desk)
    if left_in_its_step:
        _hold_again(desk)


def _judge_stack(desk: Desk, act: StackOut) -> None:
    step = desk.step
    if desk.draft.round is None or not desk.round.plan or not isinstance(step, Stack):
        _stack_in_error(desk, act)
        return
    round_ = desk.round
    place, _ = round_.plan[round_.cursor]
    read = tuple(held.card for held in round_.pending_stack) + act.cards
    cards = read + (Sealed(UNREADABLE),) * (act.count - len(read))
    faces = tuple(step.facing[min(i, len(step.facing) - 1)].value for i in range(len(cards)))
    evidence = "read" if len(read) == len(cards) else "counted"
    bad = _bad_in_stack(desk, act.cards)
    shown = tuple(shown_card(card, face) for card, face in zip(cards, faces, strict=True))
    desk.notes.cards = tuple(card for card in shown if card is not None)
    racked = step.size - step.keeps if step.keeps is not None and len(cards) == step.size == act.count else 0
    desk.emit(f.StackDealt(to=place, cards=cards, faces=faces, evidence=evidence, shown=shown, racked=racked))
    desk.notes.to, desk.notes.face, desk.notes.evidence, desk.notes.rule = (
        place,
        faces[0] if faces else "down",
        evidence,
        step.rule,
    )
    if bad is not None:
        desk.irregular(bad)
    elif len(cards) != step.size or act.count != len(cards):
        _wrong_stack(desk, place)
    elif act.cards and desk.draft.deck.finding:
        desk.irregular("unshuffled-order", detail=desk.draft.deck.finding)
    elif desk.procedure.hands_lie_open and _open_but_unread(cards, faces):
        desk.unread(place, "up")
    else:
        desk.step_done()


def _open_but_unread(cards: tuple[Sealed, ...], faces: tuple[str, ...]) -> bool:
    return any(face == "up" and shown_card(card, face) is None for card, face in zip(cards, faces, strict=True))


def _wrong_stack(desk: Desk, place: str) -> None:
    """A stack of the wrong size has the remedy of its own row, else that of a wrong number of cards at the place."""
    kind = "wrong-stack-size"
    if kind not in desk.procedure.irregularities:
        kind = {"dealer": "wrong-count-dealer", COMMUNITY: "wrong-count-community"}.get(place, "wrong-count-seat")
    desk.irregular(kind, where=place)


def _bad_in_stack(desk: Desk, cards: tuple[Sealed, ...]) -> str | None:
    census = desk.draft.deck.census
    for card in cards:
        drawn = census.draw(unseal(card, CENSUS).code)
        if isinstance(drawn, Beyond):
            return "foreign-card" if drawn.reason is BeyondReason.FOREIGN else "duplicate-card"
        census = drawn
    return None


def _stack_in_error(desk: Desk, act: StackOut) -> None:
    cards, evidence = act.cards or (Sealed(UNREADABLE),) * act.count, "read" if act.cards else "counted"
    desk.notes.evidence = evidence
    if desk.draft.round is None or not desk.in_round:
        _stray(desk, cards, evidence)
        return
    for card in cards:
        desk.emit(f.CardPutAside(card=card, evidence=evidence, as_next=False))
    desk.notes.to, desk.notes.irregularity, desk.notes.remedy = "aside", "card-drawn-in-error", "supervisor-decides"
    if desk.kind is not StateKind.SUSPENDED:
        desk.raise_alarm("card-drawn-in-error", ways=("void", "reshuffle"))


def cut_card_out(desk: Desk, act: CutCardOut) -> None:
    """The cutting card: this round is finished, and as many more as the game still allows; then the shoe is shuffled."""
    game, round_ = desk.procedure.game, desk.draft.round
    cards_came = desk.in_round and round_ is not None and round_.out > 0
    left = game.rounds_after_cut(desk.procedure.settings) if cards_came else 0
    if desk.draft.deck.cut_seen:  # told again, in the last round or on the way to it
        left = min(left, desk.draft.deck.rounds_left)
    desk.emit(f.CutCardSeen(rounds_left=left))
    this_one = "This round is the last" if desk.in_round else "The next round is the last"
    last = "This round is finished, then one more is the last" if left else this_one
    desk.notes.message = f"The cutting card: put it aside. {last} before the shuffle."
