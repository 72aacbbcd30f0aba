"""Every act of the vocabulary parses to its value, and every slip is an error that says where and what is nearest."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.table import acts
from controller.table.acts import By, Origin
from controller.table.parse import ACT_KEYS, ActError, parse_act, parse_by
from firmware_bridge.cards import Sealed, parse_card

DEALER = By("dealer", "D1")
SHOE = By("device", "shoe")


def cards(text: str) -> tuple[object, ...]:
    return tuple(parse_card(word) for word in text.split())


def sealed(text: str) -> tuple[Sealed, ...]:
    return tuple(Sealed(parse_card(word)) for word in text.split())


PEOPLE: list[tuple[str, object, acts.AnyAct]] = [
    ("wager", {"seat": 1, "ante": 10, "bonus": "22.50"}, acts.Wager(seat=1, amounts={"ante": 1000, "bonus": 2250})),
    ("wager", {"seat": 1}, acts.Wager(seat=1)),
    ("wager", {"seat": 2, "ante": 0.1}, acts.Wager(seat=2, amounts={"ante": 10})),
    ("close_bets", True, acts.CloseBets()),
    ("start", {"seat": "dealer"}, acts.Start(seat="dealer")),
    ("start", {"dice": 14}, acts.Start(dice=14)),
    ("start", {"number": 5}, acts.Start(number=5)),
    ("start", {"button": 4}, acts.Start(button=4)),
    (
        "decide",
        {"seat": 1, "choose": "bet", "amount": 20, "discard": ["4d"], "hand": 2},
        acts.Decide(seat=1, choose="bet", amount=2000, discard=cards("4d"), hand=2),
    ),
    (
        "decide",
        {"seat": 3, "choose": "split", "keep": ["Qd", "Jd"]},
        acts.Decide(seat=3, choose="split", keep=cards("Qd Jd")),
    ),
    ("set", {"seat": 1}, acts.SetHand(seat=1)),
    ("set", {"seat": "dealer", "keep": ["Ah", "Kh"]}, acts.SetHand(seat="dealer", keep=cards("Ah Kh"))),
    (
        "set",
        {"seat": 1, "high": ["As", "Ah"], "low": ["10d", "Qd"], "medium": ["2c"]},
        acts.SetHand(seat=1, high=cards("As Ah"), low=cards("Td Qd"), medium=cards("2c")),
    ),
    ("expose", {"seat": 1, "cards": ["Ah", "Kh"]}, acts.Expose(seat=1, cards=cards("Ah Kh"))),
    ("expose", {"seat": "banker"}, acts.Expose(seat="banker")),
    ("expose", {"community": [1, 2]}, acts.Expose(community=(1, 2))),
    ("report", {"what": "wrong-count", "seat": 3, "cards": 4}, acts.Report(what="wrong-count", seat=3, cards=4)),
    ("report", {"what": "wrong-count", "area": "community"}, acts.Report(what="wrong-count", area="community")),
    ("report", {"what": "card-drawn-in-error", "shown": True}, acts.Report(what="card-drawn-in-error", shown=True)),
    ("declare", {"result": "banker"}, acts.Declare(result="banker")),
    ("declare", {"seat": 3, "result": "lose", "hand": 2}, acts.Declare(seat=3, result="lose", hand=2)),
    ("rescan", "9h Kd 2c", acts.Rescan(cards=sealed("9h Kd 2c"))),
    ("hole_check", {"blackjack": False}, acts.HoleCheck(blackjack=False)),
    ("sign_on", {"person": "D7"}, acts.SignOn(person="D7")),
    ("sign_off", {"person": "D7"}, acts.SignOff(person="D7")),
    ("stub_count", 46, acts.StubCount(cards=46)),
    (
        "remove_card",
        {"card": "7h", "reason": "damaged"},
        acts.RemoveCard(card=parse_card("7h"), reason="damaged"),
    ),
    ("replace_card", {"card": "7h"}, acts.ReplaceCard(card=parse_card("7h"))),
    ("resolve", "void", acts.Resolve(choose="void")),
    ("resolve", {"choose": "continue", "alarm": "tamper"}, acts.Resolve(choose="continue", alarm="tamper")),
    ("collect", True, acts.Collect()),
    ("collect", "discards", acts.Collect(what="discards")),
    ("open", True, acts.Open()),
    ("close", True, acts.Close()),
    ("join", True, acts.Join(at_boundary=True)),
]

DEVICES: list[tuple[str, object, acts.AnyAct]] = [
    ("load", {"decks": 1, "cards": 52, "back": "red"}, acts.Load(decks=1, cards=52, back="red")),
    (
        "shuffle",
        {"mode": "sort", "counted": 52, "missing": ["Qd"], "extra": ["Jd"]},
        acts.Shuffle(mode="sort", counted=52, missing=cards("Qd"), extra=cards("Jd")),  # type: ignore[arg-type]
    ),
    ("shuffle_aborted", True, acts.ShuffleAborted()),
    ("card", "9h", acts.CardOut(read=Sealed(parse_card("9h")))),
    ("card", "^10d", acts.CardOut(read=Sealed(parse_card("Td")), face_up=True)),
    ("card", "?", acts.CardOut(read=Sealed(parse_card("?")), unreadable=True)),
    ("card", "^?", acts.CardOut(read=Sealed(parse_card("?")), unreadable=True, face_up=True)),
    ("card", "Jk", acts.CardOut(read=Sealed(parse_card("Jk")))),
    (
        "card",
        {"read": "9h", "back": "blue", "face_up": True, "double": True, "out_of_flow": True},
        acts.CardOut(read=Sealed(parse_card("9h")), back="blue", face_up=True, double=True, out_of_flow=True),
    ),
    ("stack", "9h ? 2c", acts.StackOut(count=3, cards=sealed("9h ? 2c"))),
    ("stack", {"count": 3}, acts.StackOut(count=3)),
    ("cut_card", True, acts.CutCardOut()),
    ("device", "jam", acts.DeviceNotice(event="jam", name="shoe")),
    ("declare", {"result": "tie"}, acts.ResultTold(result="tie")),
]


def with_sender(act: acts.AnyAct, by: By, origin: Origin | None) -> acts.AnyAct:
    fields = {name: getattr(act, name) for name in act.__struct_fields__}
    return type(act)(**{**fields, "by": by, "origin": origin})


@pytest.mark.parametrize(("key", "value", "act"), PEOPLE)
def test_people_acts_parse(key: str, value: object, act: acts.AnyAct) -> None:
    assert parse_act(key, value, DEALER) == with_sender(act, DEALER, None)


@pytest.mark.parametrize(("key", "value", "act"), DEVICES)
def test_device_acts_come_from_their_device(key: str, value: object, act: acts.AnyAct) -> None:
    assert parse_act(key, value, SHOE) == with_sender(act, SHOE, Origin("shoe"))


def test_a_device_act_told_by_a_person_has_no_origin() -> None:
    assert parse_act("card", "9h", DEALER).origin is None


def test_a_notice_may_name_another_device() -> None:
    act = parse_act("device", {"event": "jam", "name": "shuffler"}, SHOE)
    assert isinstance(act, acts.DeviceNotice)
    assert (act.name, act.origin) == ("shuffler", Origin("shuffler"))


@pytest.mark.parametrize("value", [{"result": "win"}, {"seat": 1, "result": "player"}, {}])
def test_a_device_tells_only_who_won(value: object) -> None:
    with pytest.raises(ActError):
        parse_act("declare", value, SHOE)


def test_every_act_is_tried_here() -> None:
    assert {key for key, _, _ in PEOPLE + DEVICES} == ACT_KEYS


@pytest.mark.parametrize(
    ("key", "value", "where", "nearest"),
    [
        ("wagr", {"seat": 1}, "wagr", "wager"),
        ("wager", {"ante": 1}, "wager", "seat"),
        ("wager", {"seat": 0}, "wager.seat", None),
        ("wager", {"seat": True}, "wager.seat", None),
        ("wager", {"seat": 1, "Ante": 5}, "wager.Ante", None),
        ("wager", {"seat": 1, "ante": "1.005"}, "wager.ante", None),
        ("wager", {"seat": 1, "ante": 1.005}, "wager.ante", None),
        ("wager", {"seat": 1, "ante": math.nan}, "wager.ante", None),
        ("wager", {"seat": 1, "ante": math.inf}, "wager.ante", None),
        ("wager", {"seat": 1, "ante": -1}, "wager.ante", None),
        ("wager", {"seat": 1, "ante": "1_0"}, "wager.ante", None),
        ("wager", {"seat": 1, "ante": "\u0661"}, "wager.ante", None),
        ("wager", {"seat": 1, "ante": 10**30}, "wager.ante", None),
        ("wager", {"seat": 1, "ante": None}, "wager.ante", None),
        ("wager", 5, "wager", None),
        ("close_bets", False, "close_bets", None),
        ("close_bets", 1, "close_bets", None),
        ("start", {}, "start", None),
        ("start", {"seat": 1, "dice": 3}, "start", None),
        ("start", {"seat": "deeler"}, "start.seat", "dealer"),
        ("decide", {"seat": 1, "chose": "bet"}, "decide", "choose"),
        ("decide", {"seat": 1, "choose": "bet", "discards": ["4d"]}, "decide.discards", "discard"),
        ("decide", {"seat": 1, "choose": "bet", "discard": ["4x"]}, "decide.discard[0]", None),
        ("decide", {"seat": 1, "choose": "bet", "discard": ["?"]}, "decide.discard[0]", None),
        ("decide", {"seat": "dealer", "choose": "bet"}, "decide.seat", None),
        ("set", {"seat": 1, "hi": ["As"]}, "set.hi", "high"),
        ("expose", {}, "expose", None),
        ("expose", {"seat": 1, "community": [1]}, "expose", None),
        ("expose", {"community": []}, "expose.community", None),
        ("report", {"what": "wrong-count", "area": "comunity"}, "report.area", "community"),
        ("collect", "discard", "collect", None),
        ("resolve", {"chose": "void"}, "resolve", "choose"),
        ("stub_count", "46", "stub_count", None),
        ("stub_count", -1, "stub_count", None),
        ("rescan", "", "rescan", None),
        ("card", "1x", "card", None),
        ("card", "^", "card", None),
        ("card", {"read": "9h", "faceup": True}, "card.faceup", "face_up"),
        ("card", {"back": "blue"}, "card", "read"),
        ("stack", {"cont": 3}, "stack", "count"),
        ("stack", "9h ^Kd", "stack[1]", None),
        ("shuffle", {"mode": "rand"}, "shuffle.mode", "random"),
        ("device", "jamm", "device", "jam"),
        ("device", {"event": "jam", "nam": "shuffler"}, "device.nam", "name"),
        ("load", {"decks": 0}, "load.decks", None),
        ("sign_on", {"person": "two words"}, "sign_on.person", None),
    ],
)
def test_a_slip_names_its_place_and_the_nearest_word(key: str, value: object, where: str, nearest: str | None) -> None:
    with pytest.raises(ActError) as caught:
        parse_act(key, value, SHOE)
    assert (caught.value.where, caught.value.nearest) == (where, nearest)
    assert caught.value.code == "bad-act"
    assert where in caught.value.what
    assert caught.value.do


def test_roles_and_names() -> None:
    assert parse_by("dealer") == By("dealer")
    assert parse_by("supervisor:S1") == By("supervisor", "S1")
    for bad in ("boss", "dealer:", "dealer:a b", "", 5):
        with pytest.raises(ActError):
            parse_by(bad)
    with pytest.raises(ActError) as caught:
        parse_by("superviser:S1")
    assert caught.value.nearest == "supervisor"


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
KNOWN_KEYS = ("seat", "cards", "choose", "read", "community", "what", "event", "count", "decks", "result", "card")
shaped = st.dictionaries(st.sampled_from(KNOWN_KEYS), plain, max_size=4)


@given(st.sampled_from(sorted(ACT_KEYS)) | st.text(max_size=12), plain | shaped)
def test_nothing_raises_past_the_typed_error(key: str, value: object) -> None:
    try:
        act = parse_act(key, value, SHOE)
    except ActError as caught:
        error: ActError | None = caught
    else:
        error = None
        assert act.by == SHOE
    assert error is None or (error.where and len(error.what) < 400)
