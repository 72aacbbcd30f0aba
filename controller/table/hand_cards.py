"""Named cards against the cards of a hand: what people say is checked with what is known.

An unread card of a hand can be any card that is named; a card that was read can only be itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from controller.dealing.game import Groups
from controller.dealing.round import Held, Round
from controller.table.acts import SetHand
from controller.table.desk import Desk
from firmware_bridge.cards import UNREADABLE, Card, Sealed, unseal_all, unseal_held

CHECK = "checking cards that a person named"
NamedGroups: TypeAlias = "tuple[tuple[str, tuple[Card, ...]], ...]"
"""The hands of a set by their names, the highest first."""


def check_named(desk: Desk, place: str, named: tuple[Card, ...]) -> None:
    """Refuse with `bad-cards` unless the hand at `place` can hold all of `named`."""
    if not named:
        return
    if match_named(desk.round, place, named) is None:
        desk.refuse("bad-cards", f"{place}: the cards named are not all in this hand. Look again and name the cards shown.")
    refuse_seen(desk, place, named, [at for at in desk.round.hands if at != place])


def refuse_seen(desk: Desk, place: str, named: tuple[Card, ...], where: Iterable[str]) -> None:
    """Refuse with `bad-cards` a card of which every copy lies face up at the places given. Hidden cards are not looked at."""
    seen = Counter(card for at in where for card in desk.round.shown_cards(at))
    for card in dict.fromkeys(named):
        if seen[card] + named.count(card) > desk.draft.deck.spec.copies(card.code):
            words = f"{place}: {card.name} lies face up already; if it is there once more, report duplicate-card."
            desk.refuse("bad-cards", words)


def match_named(round_: Round, place: str, named: tuple[Card, ...]) -> tuple[Card, ...] | None:
    """The rest of the hand when `named` are taken out of it, None when it cannot hold them."""
    rest = list(round_.cards_at(place, CHECK))
    for card in named:
        if card in rest:
            rest.remove(card)
        elif UNREADABLE in rest:
            rest.remove(UNREADABLE)
        else:
            return None
    return tuple(rest)


def open_group(group: tuple[Sealed, ...], because: str) -> tuple[Card, ...]:
    """The cards of a set group; the caller names the rule that lets it look."""
    return unseal_all(group, because)


def named_groups(act: SetHand) -> NamedGroups:
    """The groups that the act names, in the vocabulary's words."""
    groups = (("keep", act.keep), ("high", act.high), ("medium", act.medium), ("low", act.low))
    return tuple((name, cards) for name, cards in groups if cards)


def is_set_wrongly(desk: Desk, groups: NamedGroups, advised: Groups | None) -> bool:
    """The dealer's set is neither the house way's nor a copy of it; where no way was filed, it breaks the rules that bind every hand."""
    game, settings = desk.procedure.game, desk.procedure.settings
    if advised is None:
        flaw = game.set_flaw(settings, dict(groups))
        return flaw is not None and not flaw.equal
    return _codes(groups) != _codes(tuple(advised.items())) and not game.sets_are_equal(settings, dict(groups), advised)


def _codes(groups: NamedGroups) -> dict[str, list[int]]:
    return {name: sorted(card.code for card in cards) for name, cards in groups}


def hand_faces(desk: Desk, held: tuple[Held, ...], named: tuple[Card, ...], place: str) -> tuple[Card, ...]:
    """The faces of a whole hand, in the order dealt; its cards may be named in any order."""
    cards = unseal_held(held, "turned face up by the procedure")
    if not named and UNREADABLE not in cards:
        return cards
    check_named(desk, place, named)
    rest = list(named)
    for card in cards:
        if card in rest:
            rest.remove(card)
    if cards.count(UNREADABLE) > len(rest):
        desk.refuse("bad-cards", f"{place}: a card was not read here; name the cards that are turned.")
    return tuple(rest.pop(0) if card is UNREADABLE else card for card in cards)
