"""Commands from words: what is understood, what is refused, and what goes out in diagnostic mode only."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from controller.errors import ShoedError
from controller.service.grant import Grant, GrantError
from controller.table.acts import By
from controller.technician.errors import TechnicianError
from controller.technician.reach import codec_of
from controller.technician.sending import request_of, sendables, verify_sendable
from device_profiles.loader import load_profile, profile_names
from device_profiles.plain.frames import Way
from device_profiles.schema import Role
from firmware_bridge.codec import load_codec

CODEC = codec_of("sdp1")
COMMANDS = load_profile("sdp1").commands


@pytest.mark.parametrize(
    ("name", "words", "fields"),
    [
        ("gate", ["order=unlock", "cards=3"], {"order": "unlock", "cards": 3}),
        ("gate", ["order=0"], {"order": 0}),
        ("echo", ["content=01 02ff"], {"content": b"\x01\x02\xff"}),
        ("burn", ["count=0x02", "face_up=yes"], {"count": 2, "face_up": True}),
        ("diag_enter", ["ticket=57"], {"ticket": b"W" + bytes(7)}),
        ("status", [], {}),
    ],
)
def test_words_become_fields_that_the_profile_takes(name: str, words: list[str], fields: dict[str, object]) -> None:
    request = request_of(CODEC, name, words)
    assert (request.name, dict(request.fields)) == (name, fields)
    codec = load_codec("sdp1")
    assert codec.write_command(codec.command(name), 1, request.fields)


@pytest.mark.parametrize(
    ("name", "words", "code", "told"),
    [
        ("gaet", [], "no-such-message", "`gate`"),
        ("gate", ["ordr=lock"], "no-such-field", "`order="),
        ("gate", ["order"], "no-such-field", "order"),
        ("burn", ["count=many"], "bad-field-value", "count"),
        ("burn", ["face_up=maybe"], "bad-field-value", "face_up"),
        ("echo", ["content=xyz"], "bad-field-value", "content"),
        ("session_open", [], "no-such-message", "session_open"),
        ("event_resume", [], "no-such-message", "event_resume"),
    ],
)
def test_what_is_no_command_is_told_with_the_nearest(name: str, words: list[str], code: str, told: str) -> None:
    with pytest.raises(TechnicianError) as caught:
        request_of(CODEC, name, words)
    assert caught.value.code == code
    assert told in f"{caught.value.what} {caught.value.do}"


def bench(shoe_id: bytes | None) -> SimpleNamespace:
    return SimpleNamespace(codec=CODEC, running=SimpleNamespace(status=SimpleNamespace(shoe_id=shoe_id)))


@pytest.mark.requirement("EQ-79")
@pytest.mark.parametrize("name", sendables(CODEC))
def test_what_is_unsafe_wants_diagnostic_mode(name: str) -> None:
    message = COMMANDS[name]
    unsafe = message.needs_diagnostic or message.role in (Role.TECHNICIAN, Role.VENDOR)
    if unsafe:
        with pytest.raises(ShoedError) as caught:
            verify_sendable(bench(None), name, in_diagnosis=False)  # type: ignore[arg-type]
        assert caught.value.code == "wants-diagnosis"
    else:
        verify_sendable(bench(None), name, in_diagnosis=False)  # type: ignore[arg-type]
    verify_sendable(bench(None), name, in_diagnosis=True)  # type: ignore[arg-type]
    if message.changes:
        with pytest.raises(ShoedError) as caught:
            verify_sendable(bench(b"\1" * 16), name, in_diagnosis=True)  # type: ignore[arg-type]
        assert caught.value.code == "shoe-open"


@pytest.mark.parametrize("profile", profile_names())
def test_every_profile_says_what_can_be_sent(profile: str) -> None:
    codec = codec_of(profile)
    known = sendables(codec)
    if profile != "sdp1":
        assert set(known) == {m.name for m in codec.profile.messages if m.way is not Way.IN}  # type: ignore[union-attr]
    assert all(command.role in Role for command in known.values())


@pytest.mark.requirement("EQ-78")
@pytest.mark.parametrize(
    ("by", "second", "ticket", "code"),
    [
        (By("supervisor", "S2"), By("supervisor", "S1"), "WO-1", "wants-technician"),
        (By("technician", ""), By("supervisor", "S1"), "WO-1", "wants-technician"),
        (By("technician", "T3"), By("technician", "T4"), "WO-1", "wants-second-person"),
        (By("technician", "T3"), By("supervisor", "T3"), "WO-1", "wants-second-person"),
        (By("technician", "T3"), By("supervisor", ""), "WO-1", "wants-second-person"),
        (By("technician", "T3"), By("supervisor", "S1"), "", "bad-ticket"),
        (By("technician", "T3"), By("supervisor", "S1"), "WO-123456", "bad-ticket"),
    ],
)
def test_diagnostic_mode_wants_an_order_and_two_persons(by: By, second: By, ticket: str, code: str) -> None:
    with pytest.raises(GrantError) as caught:
        Grant(ticket=ticket, by=by, second=second)
    assert caught.value.code == code
