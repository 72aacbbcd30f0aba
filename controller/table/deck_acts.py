"""The deck: loading, shuffling, single cards taken out and replaced; opening and closing the table.

A deck may be dealt only after an uninterrupted random cycle, with the right count, since it was loaded. A wrong count quarantines it:
only a newly loaded deck, or a named supervisor's recorded act, clears that.
"""

from __future__ import annotations

from controller.dealing.rules import Rule, Standing, house, parallel
from controller.dealing.steps import StateKind
from controller.table import facts as f
from controller.table.acts import HOST_ROLE, Close, Load, Open, RemoveCard, ReplaceCard, Shuffle, ShuffleAborted, SignOff, SignOn
from controller.table.codes import IRREGULARITIES
from controller.table.desk import OUTSIDE_ROUND, Desk
from controller.table.exchange_acts import rest_loaded, rest_shuffled
from controller.table.going_on import go_on_if_free, shuffler_failed, unshuffle_spare

COUNT_RULE = parallel("MD 36.05.03.27", "a shuffler that counts and shows a wrong number: the deck leaves the table")
MODE_RULE = Rule("EQ-22", Standing.HOUSE, "a cycle counts as a shuffle only when its mode is random")
TURN_RULE = Rule("13:69F-23.2(b)", Standing.LAW, "two decks alternate, one in the rack at a time, backs differ")
SET_RULE = house("set of cards", "a set with a card taken out is not dealt until the card is replaced")
SETTLED_BY_A_GOOD_SHUFFLE = IRREGULARITIES.keys() | {"count-mismatch", "not-shuffled", "device-mode", "deck-turn"}
"""A newly verified deck ends what was wrong with the cards before it."""
LOADABLE = frozenset({StateKind.CLOSED, StateKind.UNVERIFIED, StateKind.READY, StateKind.COMPLETE, StateKind.VOID, StateKind.QUARANTINED})


def open_table(desk: Desk, act: Open) -> None:
    """The table opens; cards must be loaded and shuffled before they are dealt."""
    desk.emit(f.TableOpened(rules_hash=desk.procedure.rules_hash, beside=act.beside))
    if act.beside and desk.draft.deck.loaded:  # nobody followed it while the table was closed
        desk.emit(f.ShoeJoined(shoe=desk.draft.shoe, keeps=False))
    if desk.draft.quarantine_why:
        desk.fire("quarantine")


def close_table(desk: Desk, act: Close) -> None:
    """The table closes between rounds; its deck must be shuffled again before it opens."""
    desk.emit(f.DeckUnshuffled(why="the table closed"))
    desk.emit(f.TableClosed())


def load(desk: Desk, act: Load) -> None:
    """A set of cards was put into a device; in a round only the rest of this one, with the cards that are shuffled back into it."""
    if desk.kind not in LOADABLE and desk.kind is not StateKind.CLOSED:
        rest_loaded(desk, act)
        return
    spec = desk.procedure.deck
    expected = (spec.cards, spec.cards - len(desk.draft.deck.short))
    if _is_the_shuffled_set(desk, act):
        desk.notes.evidence = "confirmed"
        return
    spare = desk.draft.spare if act.cards in (None, desk.draft.spare) else None
    unshuffle_spare(desk, "a deck was loaded")
    evidence = "counted" if act.cards is not None and act.origin is not None else _word_of(desk)
    desk.emit(f.DeckLoaded(shoe=desk.draft.shoe + 1, decks=act.decks, cards=act.cards, back=act.back, evidence=evidence))
    desk.notes.evidence = evidence
    _leave_for_unverified(desk)
    if desk.draft.quarantine_why:
        desk.emit(f.DeckCleared(by=desk.by))
    if act.decks != spec.decks or (act.cards is not None and act.cards not in expected):
        desk.notes.message = f"{_cards(spec.cards)} of {spec.decks} deck(s) belong here, {_cards(act.cards)} of {act.decks} came."
        _count_wrong(desk, "the count at loading")
    elif desk.procedure.settings.flag("two_decks") and act.back is not None and act.back == desk.draft.last_back:
        desk.notes.rule = TURN_RULE
        desk.raise_alarm("deck-turn", detail=act.back, holds=False)
        desk.emit(f.DeckQuarantined(why="deck-turn"))
        desk.fire("quarantine")
    elif spare is not None and desk.kind is StateKind.UNVERIFIED:
        desk.notes.rule = TURN_RULE
        _accept_shuffle(desk, Shuffle(counted=spare, by=act.by))


def _word_of(desk: Desk) -> str:
    """How it is known when nobody counted: told by a person, or taken from what another host does."""
    return "inferred" if desk.act.by.role == HOST_ROLE else "told"


def _cards(count: int | None) -> str:
    return "an unknown number of cards" if count is None else f"{count} cards"


def _is_the_shuffled_set(desk: Desk, act: Load) -> bool:
    """The shoe tells that the shuffled set went into it: same decks and count, straight after the shuffle."""
    deck = desk.draft.deck
    same = act.decks == deck.decks and act.cards == deck.ledger.device and act.back in (None, deck.back)
    from_shoe = act.origin is not None and act.origin.device != "shuffler"
    return from_shoe and deck.shuffled and deck.fresh and same and desk.kind is StateKind.READY


def _leave_for_unverified(desk: Desk) -> None:
    if desk.kind not in (StateKind.UNVERIFIED, StateKind.CLOSED):
        desk.fire("unverify")


def _count_wrong(desk: Desk, witness: str) -> None:
    desk.notes.rule = COUNT_RULE
    desk.notes.remedy = "deck-off-table"
    desk.emit(f.DeckQuarantined(why="count-mismatch"))
    desk.raise_alarm("count-mismatch", detail=witness, holds=False, ways=("replace-deck",))
    desk.fire("quarantine")


def shuffle(desk: Desk, act: Shuffle) -> None:
    """A finished cycle: it makes the deck ready only when its mode was random and its count and set are right."""
    kind = desk.kind
    if kind not in OUTSIDE_ROUND:
        _other_deck_shuffled(desk, act)
        return
    if kind is StateKind.QUARANTINED:
        if act.origin is None:
            desk.refuse("not-expected-now", "This deck is off the table: load a new one first.")
        return
    if kind is StateKind.VOID and desk.draft.round is not None:
        desk.emit(f.RoundCollected(cards=desk.draft.deck.ledger.dealt))
        desk.emit(f.RoundCompleted(round=desk.draft.round_number))
    if kind is StateKind.CLOSED:
        return
    spec, deck = desk.procedure.deck, desk.draft.deck
    expected = spec.cards - len(deck.short)
    if act.mode != "random":
        _not_random(desk, act)
    elif act.problem == "aborted":
        _unshuffled(desk, "the cycle was broken off")
    elif act.missing or act.extra or act.problem in ("duplicates", "foreign-back"):
        _wrong_set(desk, act)
    elif act.problem == "count" or (act.counted is not None and act.counted != expected):
        _unshuffled(desk, "wrong count")
        desk.notes.message = f"{expected} cards belong in the set, the shuffler counted {act.counted}."
        _count_wrong(desk, "the count after the shuffle")
    elif not deck.loaded and deck.ledger.loaded == 0 and act.counted is None:
        _unshuffled(desk, "nothing was loaded")
    else:
        _accept_shuffle(desk, act)


def _accept_shuffle(desk: Desk, act: Shuffle) -> None:
    deck = desk.draft.deck
    if deck.ledger.loaded == 0 or act.counted not in (None, deck.ledger.loaded):
        desk.emit(
            f.DeckLoaded(
                shoe=desk.draft.shoe + 1,
                decks=desk.procedure.deck.decks,
                cards=act.counted,
                back=None,
                evidence="counted",
            )
        )
    evidence = "counted" if act.counted is not None else _word_of(desk)
    unshuffle_spare(desk, "the deck that was shuffled is dealt next")
    desk.emit(f.DeckShuffled(mode=act.mode, counted=act.counted, evidence=evidence))
    for alarm in desk.draft.alarms:
        if not alarm.holds and alarm.code in SETTLED_BY_A_GOOD_SHUFFLE:
            desk.emit(f.AlarmSettled(code=alarm.code, by=desk.by, choose="shuffled"))
    desk.notes.evidence = evidence
    if desk.draft.deck.short:
        _still_short(desk)
        return
    desk.fire("verify")


def _still_short(desk: Desk) -> None:
    desk.notes.rule = SET_RULE
    desk.raise_alarm("missing-card", detail=f"{len(desk.draft.deck.short)} taken out and not replaced", holds=False)


def _not_random(desk: Desk, act: Shuffle) -> None:
    _unshuffled(desk, f"mode {act.mode}")
    desk.notes.rule = MODE_RULE
    desk.raise_alarm("device-mode", detail=f"the cycle ran in mode {act.mode}", holds=False)


def _wrong_set(desk: Desk, act: Shuffle) -> None:
    _unshuffled(desk, "the set is wrong")
    spec = desk.procedure.deck
    kinds = ["missing-card"] if act.missing else []
    if act.problem == "foreign-back" or any(spec.copies(card.code) == 0 for card in act.extra):
        kinds.append("foreign-card")
    elif act.extra or act.problem == "duplicates":
        kinds.append("duplicate-card")
    named = [f"missing {' '.join(c.name for c in act.missing)}"] if act.missing else []
    named += [f"too many {' '.join(c.name for c in act.extra)}"] if act.extra else []
    desk.notes.irregularity, desk.notes.remedy, desk.notes.rule = kinds[0], "deck-off-table", COUNT_RULE
    desk.notes.message = f"The set is not complete: {', '.join(named) or 'the shuffler found a wrong card'}."
    desk.emit(f.DeckQuarantined(why=kinds[0]))
    for kind in kinds:
        desk.raise_alarm(kind, detail=", ".join(named), holds=False, ways=("replace-deck",))
    desk.fire("quarantine")


def _unshuffled(desk: Desk, why: str) -> None:
    desk.emit(f.DeckUnshuffled(why=why))
    _leave_for_unverified(desk)


def _other_deck_shuffled(desk: Desk, act: Shuffle) -> None:
    """A cycle ends while a round is on: the rest of this deck where it waits for that, else the other deck, which tells nothing here."""
    two_decks = desk.procedure.settings.flag("two_decks")
    if desk.draft.round is not None and desk.draft.round.returning and not (two_decks and act.counted == desk.procedure.deck.cards):
        rest_shuffled(desk, act)
        return
    desk.notes.message = "A shuffle ended while cards are on the table; it does not concern the deck in use."
    if not two_decks:
        return
    cards = desk.procedure.deck.cards
    good = act.mode == "random" and not (act.missing or act.extra or act.problem) and act.counted in (None, cards)
    if good:
        desk.emit(f.SpareShuffled(counted=cards))
    else:
        unshuffle_spare(desk, "its cycle was not a whole random shuffle of the right cards")


def shuffle_aborted(desk: Desk, act: ShuffleAborted) -> None:
    """A cycle that was broken off leaves the deck unshuffled."""
    unshuffle_spare(desk, "a cycle was broken off")
    if desk.kind in LOADABLE and desk.kind is not StateKind.QUARANTINED and desk.kind is not StateKind.CLOSED:
        _unshuffled(desk, "the cycle was broken off")
        desk.raise_alarm("not-shuffled", holds=False)
        shuffler_failed(desk, act.by.name)


def remove_card(desk: Desk, act: RemoveCard) -> None:
    """A card is taken out of the set: the set is short until it is replaced."""
    deck = desk.draft.deck
    if desk.procedure.deck.copies(act.card.code) == 0:
        desk.refuse("bad-cards", f"{act.card.name} does not belong to this game's deck.")
    if not deck.ledger.loaded:
        desk.refuse("not-expected-now", "No set of cards is loaded.")
    if deck.short.count(act.card.code) == desk.procedure.deck.copies(act.card.code):
        desk.refuse("bad-cards", f"Every {act.card.name} of this set is taken out already.")
    desk.emit(f.CardRemoved(card=act.card, reason=act.reason))
    desk.notes.rule = SET_RULE
    desk.raise_alarm("missing-card", detail=f"{act.card.name} taken out", ways=("void", "replace-deck"))


def replace_card(desk: Desk, act: ReplaceCard) -> None:
    """The very card that was taken out is put back into the set."""
    short = desk.draft.deck.short
    if act.card.code not in short:
        words = "no card is missing" if not short else "this is not the card that was taken out"
        desk.refuse("bad-cards", f"{act.card.name} cannot be put in: {words}.", SET_RULE)
    desk.emit(f.CardReplaced(card=act.card, reason=act.reason))
    if not desk.draft.deck.short and desk.draft.alarm("missing-card") is not None:
        desk.emit(f.AlarmSettled(code="missing-card", by=desk.by, choose="replaced"))
        go_on_if_free(desk)


def sign_on(desk: Desk, act: SignOn) -> None:
    """The dealer at the table changes."""
    desk.emit(f.DealerChanged(person=act.person, on=True))


def sign_off(desk: Desk, act: SignOff) -> None:
    """The dealer leaves the table."""
    desk.emit(f.DealerChanged(person=act.person, on=False))
