"""Acts from outside: one key and its plain value become an act, for scenario files and for bodies of the API alike.

The key is the act's name and the value is what the scenario format writes behind it. Errors name the value's path and
the nearest valid word. No meaning is judged here: an act that parses may still be refused by the table, and a refusal
is an answer, not an error.

Who acts decides what a device act is worth: told by `device:NAME` it comes from that device; told by a person it has
no origin, and the table keeps it as told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from controller.table import acts
from controller.table.acts import DEVICE_EVENTS, AnyAct, By, Origin
from controller.table.parse_values import (
    ActError,
    Fields,
    as_amount,
    as_amounts,
    as_card,
    as_cards,
    as_count,
    as_flag,
    as_name,
    as_number,
    as_places,
    as_read_cards,
    as_seat,
    as_seat_key,
    as_text,
    as_word,
    unknown_word,
)
from firmware_bridge.cards import UNREADABLE, Sealed

ROLES: Final = ("dealer", "supervisor", "technician", "player", "device")
SHUFFLE_MODES: Final = ("random", "sort", "count-only", "unknown")
SHUFFLE_PROBLEMS: Final = ("count", "duplicates", "aborted", "foreign-back")
AREAS: Final = ("community",)
RESULTS_TOLD: Final = ("player", "banker", "tie", "forced-end")
"""What a device can tell of a round's end."""

_as_event: Final = as_word(DEVICE_EVENTS, "device event")
_as_hand: Final = as_number(1, 9)

Parser = Callable[[str, object, By, Origin | None], AnyAct]


def parse_by(text: object, where: str = "by") -> By:
    """Return who acts from `dealer`, `supervisor:S1` and their like.

    Raises:
        ActError: when the role does not exist or the name is none.
    """
    role, colon, name = as_text(where, text).partition(":")
    if role not in ROLES:
        raise unknown_word(where, "role", role, ROLES)
    return By(role, as_name(where, name) if colon else "")


def parse_act(key: str, value: object, by: By) -> AnyAct:
    """Return the act that a key and its plain value mean.

    Raises:
        ActError: when the key or anything in the value is wrong.
    """
    parser = _PARSERS.get(key)
    if parser is None:
        raise unknown_word(key[:40] or "act", "act", key, _PARSERS)
    origin = Origin(by.name or "shoe") if by.role == "device" else None
    return parser(key, value, by, origin)


def is_device_act(key: str) -> bool:
    """Return whether the act is something a device does or tells."""
    return key in DEVICE_KEYS


def _parse_load(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    fields = Fields(where, value, '{ decks = 1, cards = 52, back = "red" }')
    act = acts.Load(
        decks=fields.need("decks", as_number(1, 12)),
        cards=fields.maybe("cards", as_count),
        back=fields.maybe("back", as_name),
        by=by,
        origin=origin,
    )
    fields.finish()
    return act


def _parse_shuffle(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    fields = Fields(where, value, '{ mode = "random", counted = 52 }')
    act = acts.Shuffle(
        mode=fields.get("mode", as_word(SHUFFLE_MODES, "shuffle mode"), "random"),  # type: ignore[arg-type]
        counted=fields.maybe("counted", as_count),
        missing=fields.get("missing", as_cards, ()),
        extra=fields.get("extra", as_cards, ()),
        problem=fields.get("problem", as_word(SHUFFLE_PROBLEMS, "shuffle problem"), ""),  # type: ignore[arg-type]
        by=by,
        origin=origin,
    )
    fields.finish()
    return act


def _parse_card(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    if isinstance(value, str):
        face_up = value.startswith("^")
        read = _as_read(where, value[1:] if face_up else value)
        return acts.CardOut(read=read, face_up=face_up, unreadable=read == Sealed(UNREADABLE), by=by, origin=origin)
    fields = Fields(where, value, '"9h", "^9h", "?" or { read = "9h", back = "blue" }')
    read = fields.need("read", _as_read)
    act = acts.CardOut(
        read=read,
        unreadable=read == Sealed(UNREADABLE),
        back=fields.maybe("back", as_name),
        face_up=fields.get("face_up", as_flag, default=False),
        double=fields.get("double", as_flag, default=False),
        out_of_flow=fields.get("out_of_flow", as_flag, default=False),
        by=by,
        origin=origin,
    )
    fields.finish()
    return act


def _as_read(where: str, value: object) -> Sealed:
    return Sealed(UNREADABLE if value == "?" else as_card(where, value))


def _parse_stack(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    if isinstance(value, str):
        cards = as_read_cards(where, value)
        return acts.StackOut(count=len(cards), cards=cards, by=by, origin=origin)
    fields = Fields(where, value, '"9h Kd 2c" or { count = 3 }')
    act = acts.StackOut(count=fields.need("count", as_count), by=by, origin=origin)
    fields.finish()
    return act


def _parse_device(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    default_name = by.name if by.role == "device" and by.name else "shoe"
    if isinstance(value, str):
        return acts.DeviceNotice(event=_as_event(where, value), name=default_name, by=by, origin=origin)
    fields = Fields(where, value, '"jam" or { event = "jam", name = "shuffler" }')
    name = fields.get("name", as_name, default_name)
    act = acts.DeviceNotice(
        event=fields.need("event", _as_event),
        name=name,
        detail=fields.get("detail", as_text, ""),
        by=by,
        origin=None if origin is None else Origin(name),
    )
    fields.finish()
    return act


def _parse_open(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    if value is True:
        return acts.Open(by=by, origin=origin)
    fields = Fields(where, value, 'true or { confirms = "1a2b3c4d" }')
    act = acts.Open(confirms=fields.need("confirms", as_name), by=by, origin=origin)
    fields.finish()
    return act


def _parse_wager(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    fields = Fields(where, value, "{ seat = 1, ante = 10 }")
    seat = fields.need("seat", as_seat)
    return acts.Wager(seat=seat, amounts=as_amounts(where, fields.rest()), by=by, origin=origin)


def _parse_start(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    fields = Fields(where, value, "{ seat = 3 }, { dice = 14 }, { number = 5 } or { button = 4 }")
    act = acts.Start(
        seat=fields.maybe("seat", as_seat_key),
        dice=fields.maybe("dice", as_number(1, 99)),
        number=fields.maybe("number", as_number(0, 9_999)),
        button=fields.maybe("button", as_seat),
        by=by,
        origin=origin,
    )
    fields.finish()
    if sum(part is not None for part in (act.seat, act.dice, act.number, act.button)) != 1:
        raise ActError(where, "a start takes exactly one of seat, dice, number and button.", "Leave one of them.")
    return act


def _parse_decide(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    fields = Fields(where, value, '{ seat = 1, choose = "bet" }')
    seat = fields.need("seat", as_seat_key)
    if seat == "dealer":
        raise ActError(f"{where}.seat", "the dealer decides nothing.", "Name a seat, `player` or `banker`.")
    act = acts.Decide(
        seat=seat if isinstance(seat, int) else 0,
        side=seat if not isinstance(seat, int) else None,
        choose=fields.need("choose", as_text),
        amount=fields.maybe("amount", as_amount),
        discard=fields.get("discard", as_cards, ()),
        keep=fields.get("keep", as_cards, ()),
        hand=fields.maybe("hand", _as_hand),
        cards=fields.maybe("cards", as_count),
        by=by,
        origin=origin,
    )
    fields.finish()
    return act


def _parse_set(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    fields = Fields(where, value, '{ seat = 1, high = ["As", "Ah"], low = ["Kd", "Qd"] }')
    act = acts.SetHand(
        seat=fields.need("seat", as_seat_key),
        high=fields.get("high", as_cards, ()),
        medium=fields.get("medium", as_cards, ()),
        low=fields.get("low", as_cards, ()),
        keep=fields.get("keep", as_cards, ()),
        hand=fields.get("hand", _as_hand, 1),
        by=by,
        origin=origin,
    )
    fields.finish()
    return act


def _parse_expose(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    fields = Fields(where, value, '{ seat = 1 }, { seat = "dealer" } or { community = [1, 2] }')
    act = acts.Expose(
        seat=fields.maybe("seat", as_seat_key),
        cards=fields.get("cards", as_cards, ()),
        high=fields.get("high", as_cards, ()),
        medium=fields.get("medium", as_cards, ()),
        low=fields.get("low", as_cards, ()),
        community=fields.get("community", as_places, ()),
        hand=fields.maybe("hand", _as_hand),
        by=by,
        origin=origin,
    )
    fields.finish()
    if (act.seat is None) == (not act.community):
        raise ActError(where, "it takes either `seat` or `community`.", "Name whose cards are turned up.")
    return act


def _parse_report(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    fields = Fields(where, value, '{ what = "dealer-card-exposed" }')
    act = acts.Report(
        what=fields.need("what", as_text),
        seat=fields.maybe("seat", as_seat_key),
        area=fields.maybe("area", as_word(AREAS, "area")),
        cards=fields.maybe("cards", as_count),
        shown=fields.get("shown", as_flag, default=False),
        by=by,
        origin=origin,
    )
    fields.finish()
    return act


def _parse_declare(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    fields = Fields(where, value, '{ seat = 3, result = "lose" }')
    if by.role == "device":
        told = acts.ResultTold(result=fields.need("result", as_word(RESULTS_TOLD, "result")), by=by, origin=origin)
        fields.finish()
        return told
    act = acts.Declare(
        result=fields.need("result", as_text),
        seat=fields.maybe("seat", as_seat_key),
        hand=fields.maybe("hand", _as_hand),
        by=by,
        origin=origin,
    )
    fields.finish()
    return act


def _parse_rescan(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    return acts.Rescan(cards=as_read_cards(where, value), by=by, origin=origin)


def _parse_hole_check(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    fields = Fields(where, value, "{ blackjack = false }")
    act = acts.HoleCheck(blackjack=fields.need("blackjack", as_flag), by=by, origin=origin)
    fields.finish()
    return act


def _parse_person(act_type: type[acts.SignOn | acts.SignOff]) -> Parser:
    def parse(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
        fields = Fields(where, value, '{ person = "D7" }')
        act = act_type(person=fields.need("person", as_name), by=by, origin=origin)
        fields.finish()
        return act

    return parse


def _parse_stub_count(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    return acts.StubCount(cards=as_count(where, value), by=by, origin=origin)


def _parse_single_card(act_type: type[acts.RemoveCard | acts.ReplaceCard]) -> Parser:
    def parse(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
        fields = Fields(where, value, '{ card = "7h", reason = "damaged" }')
        act = act_type(card=fields.need("card", as_card), reason=fields.get("reason", as_text, ""), by=by, origin=origin)
        fields.finish()
        return act

    return parse


def _parse_resolve(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    if isinstance(value, str):
        return acts.Resolve(choose=as_text(where, value), by=by, origin=origin)
    fields = Fields(where, value, '{ choose = "continue" }')
    act = acts.Resolve(choose=fields.need("choose", as_text), alarm=fields.maybe("alarm", as_text), by=by, origin=origin)
    fields.finish()
    return act


def _parse_collect(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
    if value == "discards":
        return acts.Collect(what="discards", by=by, origin=origin)
    if value is not True:
        raise ActError(where, "this act takes no such value.", 'Write `true`, or "discards".')
    return acts.Collect(by=by, origin=origin)


def _parse_bare(make: Callable[[By, Origin | None], AnyAct]) -> Parser:
    def parse(where: str, value: object, by: By, origin: Origin | None) -> AnyAct:
        if value is not True:
            raise ActError(where, "this act takes no value.", f"Write `{where} = true`.")
        return make(by, origin)

    return parse


_DEVICE_PARSERS: Final[Mapping[str, Parser]] = {
    "load": _parse_load,
    "shuffle": _parse_shuffle,
    "shuffle_aborted": _parse_bare(lambda by, origin: acts.ShuffleAborted(by=by, origin=origin)),
    "card": _parse_card,
    "stack": _parse_stack,
    "cut_card": _parse_bare(lambda by, origin: acts.CutCardOut(by=by, origin=origin)),
    "device": _parse_device,
}
_PARSERS: Final[Mapping[str, Parser]] = {
    **_DEVICE_PARSERS,
    "wager": _parse_wager,
    "close_bets": _parse_bare(lambda by, origin: acts.CloseBets(by=by, origin=origin)),
    "start": _parse_start,
    "decide": _parse_decide,
    "set": _parse_set,
    "expose": _parse_expose,
    "report": _parse_report,
    "declare": _parse_declare,
    "rescan": _parse_rescan,
    "hole_check": _parse_hole_check,
    "sign_on": _parse_person(acts.SignOn),
    "sign_off": _parse_person(acts.SignOff),
    "stub_count": _parse_stub_count,
    "remove_card": _parse_single_card(acts.RemoveCard),
    "replace_card": _parse_single_card(acts.ReplaceCard),
    "resolve": _parse_resolve,
    "collect": _parse_collect,
    "open": _parse_open,
    "close": _parse_bare(lambda by, origin: acts.Close(by=by, origin=origin)),
    "join": _parse_bare(lambda by, origin: acts.Join(at_boundary=True, by=by, origin=origin)),
}

DEVICE_KEYS: Final = frozenset(_DEVICE_PARSERS)
ACT_KEYS: Final = frozenset(_PARSERS)
"""Every act's name, as scripts, the API, the journal and `Outcome.next` write it."""

__all__ = ["ACT_KEYS", "DEVICE_KEYS", "ROLES", "ActError", "is_device_act", "parse_act", "parse_by"]
