"""The checks of every profile run against the simulated device that the same profile makes, and against ones that are not in order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from controller.cli.main import run as run_command
from controller.technician.checks.outcome import Outcome, Verdict
from controller.technician.checks.record import Record
from controller.technician.checks.run import CheckReport, Wish, run_checks
from controller.technician.reach import Reach
from device_profiles.loader import profile_names
from device_profiles.plain.check_kinds import Kind, Needs
from device_profiles.plain.checks import checks_of
from device_profiles.plain.loader import is_plain, load_plain
from device_profiles.plain.profile import PlainProfile
from device_profiles.shelf import ProfileShelf
from firmware_bridge.cards import FRENCH_CARDS
from firmware_bridge.plain.codec import PlainCodec
from hil.mechanism.cards import fresh_deck
from hil.simulated.plain import PlainDevice, PlainSettings
from hil.simulated.virtual_time import run_in_virtual_time
from tests.firmware_bridge.twin_slide import TEXT
from tests.hil.memory_cable import MemoryCable

replaced = msgspec.structs.replace
PLAIN = tuple(name for name in profile_names() if is_plain(name))
TAGS = {card.name: (f"04{card.code:06X}",) for card in FRENCH_CARDS}
QUICK = 100.0
SOON_S = 0.2
SHORT = Wish(listen_s=2.5)
"""Longer than a polled shoe may be silent."""
BLOCKS = """
name = "blocks"
extends = "bulk-shoe"
[about]
title = "Blocks on a serial line"
vendor = "none"
revision = 7
author = "a test"
source = "a test"
trust = "experimental"
[line]
kinds = ["serial"]
serial = { baud = 115200 }
"""


def checked(
    folder: Path,
    name: str,
    wish: Wish,
    *,
    device: PlainProfile | None = None,
    deed: Callable[[PlainDevice], object] = lambda _device: None,
    write: bool = True,
    **settings: object,
) -> CheckReport:
    """The report on a simulated device; `deed` is done to it soon after the beginning. `device`: it speaks another profile."""

    async def main() -> CheckReport:
        loop = asyncio.get_running_loop()
        profile = device or ProfileShelf(folder).plain(name)
        cable = MemoryCable()
        far = PlainDevice(PlainSettings(profile=profile, tags=TAGS, factor=QUICK, end=cable, **settings), clock=loop.time)  # type: ignore[arg-type]
        far.load(fresh_deck())
        await far.start()
        try:
            names: list[str] = []
            loop.call_later(SOON_S, deed, far)
            reach = Reach(port=cable.url, profile=name, profiles=folder, may_write=write)
            report = await run_checks(reach, wish, lambda o: names.append(o.name), clock=loop.time, line=lambda *_: cable.host_end())
            assert sorted(names) == sorted(outcome.name for outcome in report.outcomes)
            return report
        finally:
            await far.stop()

    return run_in_virtual_time(main(), has_wires=False)


def draw_four(device: PlainDevice) -> None:
    for _ in range(4):
        device.draw()


def found(report: CheckReport, name: str) -> Outcome:
    return next(outcome for outcome in report.outcomes if outcome.name == name)


def failures(report: CheckReport) -> set[str]:
    return {outcome.name for outcome in report.outcomes if outcome.verdict is Verdict.FAIL}


@pytest.mark.requirement("EQ-56")
@pytest.mark.parametrize("name", PLAIN)
def test_a_device_made_from_a_profile_passes_every_check_that_a_host_can_run(name: str, tmp_path: Path) -> None:
    report = checked(tmp_path, name, Wish(acts=True, listen_s=2.5), deed=lambda device: device.draw())
    assert not failures(report)
    alone = {check.name for check in checks_of(load_plain(name)) if check.needs is Needs.HOST}
    assert not {o.name: o.why for o in report.outcomes if o.name in alone and o.verdict is Verdict.NOT_RUN}
    assert (report.profile, report.revision) == (name, load_plain(name).about.revision)


def test_who_the_device_says_it_is_and_the_bytes_are_in_the_report_and_cards_are_not(tmp_path: Path) -> None:
    report = checked(tmp_path, "cctalk-shoe", SHORT, deed=lambda device: device.draw())
    assert report.model == "Simulated shoe"
    assert report.firmware is None
    asked, answer = found(report, "message/ask-category").evidence
    assert (asked.hex, answer.hex[:11]) == ("02 00 01 F5 08", "01 0E 02 00")
    assert {one.hex for o in report.outcomes for one in o.evidence if one.message == "events"} == {"··"}


def test_cards_are_in_the_evidence_only_where_that_is_asked_for() -> None:
    codec = PlainCodec(load_plain("bee-tek"))
    vector = next(v for v in codec.profile.vectors if v.card is not None)
    for shows in (False, True):
        record = Record(codec, 0.0, pauses=False, show_cards=shows)
        entries = record.heard(vector.wire_bytes(), 1.0)
        (one,) = record.evidence(entries)
        assert one.message == vector.message
        assert (one.hex == "··") is not shows


def test_nothing_is_said_to_a_device_that_is_only_listened_to(tmp_path: Path) -> None:
    report = checked(tmp_path, "angel-eye-ii-ex", Wish(acts=True, listen_s=0.5), deed=lambda device: device.draw(), write=False)
    assert not failures(report)
    assert not [one for outcome in report.outcomes for one in outcome.evidence if one.way.value == "out"]
    assert "--write" in found(report, "message/lock-order").why


def test_what_makes_the_device_act_is_not_said_unless_that_is_allowed(tmp_path: Path) -> None:
    report = checked(tmp_path, "colon-crc32-shuffler", Wish(listen_s=0))
    assert "--acts" in found(report, "message/shuffle").why
    assert found(report, "message/initialise").verdict is Verdict.PASS


@pytest.mark.requirement("EQ-56")
def test_a_device_that_says_too_few_copies_fails_that_check_and_no_other(tmp_path: Path) -> None:
    angel = load_plain("angel-eye-ii-ex")
    assert angel.repeats is not None
    twice = replaced(angel, repeats=replaced(angel.repeats, times=2))
    report = checked(tmp_path, "angel-eye-ii-ex", Wish(listen_s=4.0), device=twice, deed=lambda d: d.draw(), write=False)
    assert failures(report) == {"duplicate/copies"}


@pytest.mark.requirement("EQ-69")
def test_a_gate_that_says_it_is_locked_and_lets_cards_go_fails_and_one_that_holds_them_passes(tmp_path: Path) -> None:
    shoe = load_plain("angel-eye-ii-ex")
    deaf = replaced(shoe, messages=tuple(replaced(m, carries=None) if m.carries == "Lock" else m for m in shoe.messages))

    def draw_on(device: PlainDevice) -> None:
        device.draw()
        asyncio.get_running_loop().call_later(0.7, draw_on, device)

    wish = Wish(acts=True, listen_s=0.5)
    honest = checked(tmp_path, "angel-eye-ii-ex", wish, deed=draw_on)
    assert found(honest, "gate/locked").verdict is Verdict.PASS
    lying = found(checked(tmp_path, "angel-eye-ii-ex", wish, device=deaf, deed=draw_on), "gate/locked")
    assert lying.verdict is Verdict.FAIL
    assert "cards are told" in lying.why
    idle = found(checked(tmp_path, "angel-eye-ii-ex", wish), "gate/locked")
    assert idle.verdict is Verdict.NOT_RUN
    assert "draw all the time" in idle.why


def test_a_device_that_has_to_show_life_is_simulated_with_its_sign_of_life(tmp_path: Path) -> None:
    text = TEXT.replace("[connect]", "[quiet]\nlost_after_s = 1.5\n[connect]")
    for name, alive, verdict in (("lively", 'alive = "this"\n', Verdict.PASS), ("still", "", Verdict.FAIL)):
        own = text.replace("[simulation]\n", f"[simulation]\n{alive}").replace('name = "twin-slide"', f'name = "{name}"')
        (tmp_path / f"{name}.toml").write_text(own, encoding="utf-8")
        assert found(checked(tmp_path, name, Wish(listen_s=4.0)), "limit/silence").verdict is verdict


@pytest.mark.slow
@pytest.mark.requirement("EQ-56")
def test_a_device_that_is_not_in_order_fails_the_checks_of_that_and_no_others(tmp_path: Path) -> None:
    shoe = load_plain("cctalk-shoe")
    grammars = shoe.framing.grammars
    framing = replaced(shoe.framing, grammars=(grammars[0], *(replaced(g, integrity=None) for g in grammars[1:])))
    unasked = replaced(shoe.connect, messages=(), identity={})  # it says no questions itself
    unchecked = replaced(shoe, framing=framing, vectors=shoe.vectors[1:2], connect=unasked, poll=None)
    report = checked(tmp_path, "cctalk-shoe", SHORT, device=unchecked)
    assert {"checksum/frame/refused"} <= failures(report) <= {"checksum/frame/refused", "framing/frame/junk", "framing/frame/cut"}

    slow = replaced(shoe, simulation=replaced(shoe.simulation, answer_s=0.7 * QUICK))
    late = found(checked(tmp_path, "cctalk-shoe", SHORT, device=slow), "limit/read-events/answer")
    assert late.verdict is Verdict.FAIL
    assert late.measured_ms is not None
    assert 500 < late.measured_ms < 1000

    messages = tuple(m for m in shoe.messages if m.name != "ask-category")
    mute = replaced(shoe, messages=messages, vectors=shoe.vectors[1:2], connect=unasked)
    report = checked(tmp_path, "cctalk-shoe", SHORT, device=mute)
    assert {"connect/sequence", "message/ask-category", "limit/ask-category/answer"} <= failures(report)
    assert found(report, "message/read-events").verdict is Verdict.PASS


def test_a_line_that_spoils_bytes_fails_the_checksums(tmp_path: Path) -> None:
    report = checked(
        tmp_path, "angel-eye-ii-ex", Wish(listen_s=1.0), deed=lambda d: [d.draw() for _ in range(20)], write=False, faults=("flip:0.5",)
    )
    assert "checksum/heard" in failures(report)


@pytest.mark.requirement("EQ-56")
def test_a_message_is_said_again_until_it_has_its_reply_and_numbers_have_no_gap(tmp_path: Path) -> None:
    (tmp_path / "blocks.toml").write_text(f"spec = 1\n{BLOCKS}")
    report = checked(tmp_path, "blocks", Wish(listen_s=8.0), deed=draw_four)
    assert not failures(report)
    assert report.revision == 7
    for name in ("duplicate/card", "duplicate/started", "loss/numbers", "restart/started", "restart/numbers"):
        assert found(report, name).verdict is Verdict.PASS
    profile = ProfileShelf(tmp_path).plain("blocks")
    meant = [m for m in profile.messages if m.name != "card"]
    card = next(m for m in profile.messages if m.name == "card")
    hasty = replaced(profile, messages=(*meant, replaced(card, reply_with=None)))
    assert failures(checked(tmp_path, "blocks", Wish(), device=hasty, deed=lambda d: d.draw())) == {"duplicate/card"}
    skips = replaced(
        profile, can=("cards",), numbers=None, simulation=replaced(profile.simulation, counts="number", counts_as=(0, 1, 5, 6, 7))
    )
    report = checked(tmp_path, "blocks", Wish(listen_s=8.0), device=skips, deed=draw_four)
    assert failures(report) == {"loss/numbers"}


@pytest.mark.parametrize("name", PLAIN)
def test_every_message_limit_and_error_of_a_profile_has_a_check_with_a_name_of_its_own(name: str) -> None:
    profile = load_plain(name)
    checks = checks_of(profile)
    assert len({check.name for check in checks}) == len(checks)
    about = {check.message for check in checks} | {check.question for check in checks}
    assert {message.name for message in profile.messages} <= about
    timed = {check.question for check in checks if check.kind is Kind.ANSWER_TIME}
    assert timed == {message.name for message in profile.messages if message.answer is not None}
    errors = [m for m in profile.messages if m.means is not None and m.means.event == "ErrorRaised"]
    assert len([check for check in checks if check.name.startswith("error/")]) >= len(errors)
    assert all(check.passes and check.fails and check.does for check in checks)


def test_the_list_and_a_run_are_written_as_objects(
    tmp_path: Path, beside_plain: Callable[..., object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["profile", "checks", "bee-tek", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["name"] for row in rows] == [check.name for check in checks_of(load_plain("bee-tek"))]
    assert run_command(["profile", "checks", "sdp1"]) == 2
    told = capsys.readouterr().err
    assert "No command certifies a device of SDP/1 yet" in told
    assert "`shoed device identify`" in told
    device = beside_plain("bee-tek", factor=QUICK)
    arguments = ["profile", "checks", "bee-tek", "--listen", "0", "--port", device.url]  # type: ignore[attr-defined]
    assert run_command(arguments) == 0
    assert "firmware not told" in capsys.readouterr().out
    assert run_command([*arguments, "--json"]) == 0
    *outcomes, head = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert head["profile"] == "bee-tek"
    assert head["pass"] + head["fail"] + head["not-run"] == len(outcomes)
