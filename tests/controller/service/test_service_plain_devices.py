"""Devices of foreign protocols in the daemon: what of them is configured, driven, asked for and told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controller.dealing.procedure import build_procedure
from controller.games import find_game
from controller.service.card_map import read_card_map
from controller.service.config import Setup
from controller.service.config_file import load_config
from controller.service.drive import DeviceView, next_clear, next_command
from controller.service.driver import DeviceDriver
from controller.service.errors import ConfigError
from controller.service.habits import SDP1, UNTAKEN_MAX, Habits, Post
from controller.service.inbox import Heard, Noticed, ToTable
from controller.service.link import Consumer, Link
from controller.service.logs import LogFile, make_logger
from controller.service.metrics import Metrics
from controller.service.preflight import plan_tables
from controller.table.acts import By, DeviceNotice, DeviceRoutine, Open
from controller.table.devices import act_of_event
from controller.table.outcome import Wanted
from controller.table.table import decide, new_state
from firmware_bridge.commands import Command, Lock, Unlock
from firmware_bridge.device import DeviceOutput
from firmware_bridge.events import DeviceError, DeviceState, ErrorCleared, ErrorRaised, GateState, Jam, JamPlace
from firmware_bridge.link.faults import LossCause
from firmware_bridge.plain.abilities import capabilities_of, commands_of
from firmware_bridge.reports import Capability, DeviceIdentity, StatusReport
from firmware_bridge.session.outputs import CommandAnswered, CommandFailed, EventArrived, Identified, LinkLost, Running

LISTENS = Habits(
    takes=frozenset(), keeps_events=False, notices_gaps=False, own_events=False, tells_serial=False, checks_frames=True, tells_repeats=True
)
GOOD = """
config = 1
journal = { path = "journal.db", key_file = "keys.json" }
[[table]]
id = "T1"
game = "minibaccarat"
method = "manual-shoe"
[[table.device]]
name = "shoe"
kind = "shoe"
profile = "angel-eye-ii-ex"
port = "tcp://127.0.0.1:4001"
"""


def load(folder: Path, text: str) -> Setup:
    (folder / "table.toml").write_text(text)
    return load_config(folder / "table.toml")


def status(last: int = 0) -> StatusReport:
    return StatusReport(
        DeviceState.UNKNOWN, DeviceError.NONE, 0, GateState.UNKNOWN, False, 0, None, last, last + 1, 0, 0, 0, 0, None
    )  # fmt: skip


# ---- configuration


def test_a_foreign_shoe_needs_no_serial_number_and_gives_its_habits(tmp_path: Path) -> None:
    (table,) = plan_tables(load(tmp_path, GOOD))
    plan = table.devices["shoe"]
    assert plan.habits == LISTENS
    assert any("locked from here" in line for line in plan.cannot)


def test_a_grant_to_write_gives_the_commands_of_the_profile(tmp_path: Path) -> None:
    (table,) = plan_tables(load(tmp_path, GOOD + "write = true\n"))
    assert table.devices["shoe"].habits.takes == {"Lock", "Unlock"}


@pytest.mark.parametrize(
    ("change", "key", "code", "hint"),
    [
        ({"angel-eye-ii-ex": "angel-eye-2"}, "profile", "unknown-profile", "angel-eye-ii-ex"),
        ({"angel-eye-ii-ex": "cctalk-shoe"}, "port", "wrong-line", "port of such a device"),
        ({"angel-eye-ii-ex": "bulk-shoe"}, "port", "wrong-line", "port of such a device"),
        ({"angel-eye-ii-ex": "rfid-uid-lines"}, "cards", "missing-key", "map.toml"),
        ({"4001": '4001"\ncards = "map.toml'}, "cards", "key-without-use", "leave it out"),
        ({"4001": '4001"\nsecurity = 1\nkey_file = "k'}, "security", "no-such-security", "security = 0"),
        ({'"angel-eye-ii-ex"': '"sdp1"\nserial = "S"\nwrite = true'}, "write", "key-without-use", "profile"),
        ({'"angel-eye-ii-ex"': '"sdp1"'}, "serial", "missing-key", "serial number"),
    ],
)
def test_what_can_have_no_effect_is_refused_with_its_place(tmp_path: Path, change: dict[str, str], key: str, code: str, hint: str) -> None:
    text = GOOD
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(ConfigError) as refused:
        plan_tables(load(tmp_path, text))
    assert (refused.value.key, refused.value.code) == (f"table.T1.device.shoe.{key}", code)
    assert hint in refused.value.do


def test_a_vendors_profile_comes_from_the_directory_of_profiles(tmp_path: Path) -> None:
    folder = tmp_path / "profiles"
    folder.mkdir()
    source = Path(__file__).parents[3] / "device_profiles" / "bee-tek.toml"
    (folder / "our-shoe.toml").write_text(source.read_text().replace('name = "bee-tek"', 'name = "our-shoe"'))
    text = GOOD.replace("config = 1", 'config = 1\nprofiles = { directory = "profiles" }')
    (table,) = plan_tables(load(tmp_path, text.replace("angel-eye-ii-ex", "our-shoe")))
    habits = table.devices["shoe"].habits
    assert (habits.takes, habits.checks_frames, habits.tells_repeats) == (frozenset(), False, False)
    with pytest.raises(ConfigError, match="our-shoe"):
        plan_tables(load(tmp_path, text.replace("angel-eye-ii-ex", "our-shoo")))
    (folder / "our-shoe.toml").write_text("spec = 1\nnmae = 'x'\n")
    with pytest.raises(ConfigError, match="name"):
        plan_tables(load(tmp_path, text.replace("angel-eye-ii-ex", "our-shoe")))


@pytest.mark.parametrize(
    "text",
    ["", "[cards]", '[cards]\n"04AA" = "1x"', '[cards]\n"04AA" = 3', 'cards = "Ah"', "[cards", '[cards]\n"" = "Ah"', '[map]\n"1" = "Ah"'],
)
def test_a_card_map_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "map.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as refused:
        read_card_map(path, tmp_path / "table.toml", "cards")
    assert refused.value.code == "bad-card-map"


def test_a_card_map_names_several_tags_for_a_card(tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    path.write_text('[cards]\n"04aabb" = "Ah"\n"04AABC" = "Ah"\n"07" = "Td"\n')
    assert read_card_map(path, tmp_path, "cards") == {"04AABB": "Ah", "04AABC": "Ah", "07": "Td"}


# ---- driving


def view(*functions: str, takes: frozenset[str] = frozenset()) -> DeviceView:
    known = DeviceView()
    known.connected(status(), tuple(Capability(name, 1, 0) for name in functions), takes)
    known.caught_up = True
    return known


def test_nothing_is_asked_of_a_device_that_takes_nothing() -> None:
    known = view("cards", "errors")
    for wanted in (Wanted(), Wanted(shoe=1), Wanted(shoe=1, unlock=4), Wanted(shoe=1, dispense=(3, 1, 1))):
        assert next_command(known, wanted, "T1", 0.0) is None
    known.error_code, known.may_clear = 8, True
    assert next_clear(known) is None
    assert next_command(known, Wanted(shoe=1, unlock=4), "T1", 0.0) is None


def test_a_device_that_opens_no_shoes_is_locked_and_unlocked_all_the_same() -> None:
    known = view("cards", "gate", takes=frozenset({"Lock", "Unlock"}))
    assert next_command(known, Wanted(shoe=1), "T1", 0.0) == Lock()
    known.accepted(Lock(), Wanted(shoe=1), 1)
    assert next_command(known, Wanted(shoe=1, unlock=4), "T1", 0.0) == Unlock()
    known.accepted(Unlock(), Wanted(shoe=1, unlock=4), 2)
    assert next_command(known, Wanted(shoe=1, unlock=3), "T1", 0.0) is None
    assert next_command(known, Wanted(shoe=1), "T1", 0.0) == Lock()


def test_a_gate_is_a_gate_only_when_it_may_be_moved(tmp_path: Path) -> None:
    from device_profiles.plain.loader import load_plain

    profile = load_plain("angel-eye-ii-ex")
    assert "gate" not in {c.function for c in capabilities_of(profile, may_write=False)}
    assert "gate" in {c.function for c in capabilities_of(profile, may_write=True)}
    assert commands_of(profile, may_write=False) == frozenset()


class QuietLink:
    """A device without a port and without commands."""

    def __init__(self, first_wanted: int, consumer: Consumer) -> None:
        self.first_wanted, self.say = first_wanted, consumer
        self.fail = asyncio.Event()

    def start(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._live())

    async def _live(self) -> None:
        await self.fail.wait()
        raise RuntimeError("a defect")

    async def stop(self) -> None:
        pass

    def acknowledge(self, eseq: int) -> None:
        pass

    async def command(self, command: Command) -> CommandAnswered | CommandFailed:
        raise AssertionError(f"nothing may be asked of it: {command}")

    async def status(self) -> StatusReport | None:
        return None

    def connect(self) -> None:
        self.say(Identified(1, DeviceIdentity(vendor="V"), (), sealed=False))
        self.say(Running(1, status(self.first_wanted - 1), self.first_wanted, self.first_wanted - 1))


class Rig:
    """A driver on quiet links; what it tells is kept."""

    def __init__(self, habits: Habits = LISTENS) -> None:
        self.told: list[ToTable] = []
        self.links: list[QuietLink] = []
        self.driver = DeviceDriver(
            Post("T1", "shoe", habits=habits),
            self._make,
            self.told.append,
            metrics=Metrics(),
            logger=make_logger(LogFile(None), "error", pretty=False),
            clock=lambda: 0.0,
            pause=lambda _seconds: asyncio.sleep(0),
        )

    def _make(self, first_wanted: int, consumer: Consumer) -> Link:
        self.links.append(QuietLink(first_wanted, consumer))
        return self.links[-1]

    async def __aenter__(self) -> Rig:
        return self

    async def begin(self, known_up_to: int | None) -> None:
        self.task = asyncio.create_task(self.driver.run(known_up_to))
        await self.settle()

    async def settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    async def __aexit__(self, *_: object) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    def notices(self) -> list[str]:
        return [item.event for item in self.told if isinstance(item, Noticed)]


def event(eseq: int) -> DeviceOutput:
    return EventArrived(1, ErrorRaised(eseq, 0, False, DeviceError.OVERDRAW, 0, 0))


async def test_the_first_connection_of_a_new_device_says_that_nobody_listened_before() -> None:
    """Cards may be in play already; whether they are, the table knows."""
    async with Rig() as rig:
        await rig.begin(None)
        rig.links[0].connect()
        assert rig.notices().count("unheard") == 1


@pytest.mark.parametrize("habits", [LISTENS, Habits(takes=frozenset(), keeps_events=False, notices_gaps=True)])
async def test_a_daemon_that_comes_back_says_that_it_did_not_listen(habits: Habits) -> None:
    async with Rig(habits) as rig:
        await rig.begin(40)
        assert rig.links[0].first_wanted == 41
        rig.links[0].connect()
        assert rig.notices() == ["unheard", "back"]


@pytest.mark.parametrize(("gaps", "told"), [(False, ["lost", "unheard", "back"]), (True, ["lost", "back"])])
async def test_a_line_that_comes_back_says_so_unless_the_devices_own_numbers_will(gaps: bool, told: list[str]) -> None:
    async with Rig(Habits(takes=frozenset(), keeps_events=False, notices_gaps=gaps)) as rig:
        await rig.begin(None)
        rig.links[0].connect()
        rig.told.clear()
        rig.links[0].say(LinkLost(1, LossCause.TRANSPORT_CLOSED, ""))
        rig.links[0].connect()
        assert rig.notices() == told


async def test_events_on_their_way_keep_their_numbers_when_the_link_is_made_anew() -> None:
    """They are counted here, and one that the table has not taken yet must not be taken for a repetition."""
    async with Rig() as rig:
        await rig.begin(None)
        rig.links[0].connect()
        for eseq in (1, 2, 3):
            rig.links[0].say(event(eseq))
        assert [item.event.eseq for item in rig.told if isinstance(item, Heard)] == [1, 2, 3]
        rig.links[0].fail.set()
        await rig.settle()
        assert rig.links[1].first_wanted == 4


@pytest.mark.requirement("EQ-58")
async def test_a_device_that_floods_fills_no_memory_and_is_told() -> None:
    async with Rig() as rig:
        await rig.begin(None)
        rig.links[0].connect()
        for eseq in range(1, 3 * UNTAKEN_MAX):
            rig.links[0].say(event(eseq))
        heard = [item for item in rig.told if isinstance(item, Heard)]
        assert [item.event.eseq for item in heard] == list(range(1, UNTAKEN_MAX + 1))
        assert rig.notices().count("unheard") == 2, "at its first connection, and for what is more than the table can take"
        for item in heard:
            rig.driver.taken(item)
        rig.links[0].say(event(3 * UNTAKEN_MAX))
        assert isinstance(rig.told[-1], Heard)


# ---- meaning


@pytest.mark.parametrize(
    ("error", "raised", "cleared"),
    [
        (DeviceError.JAM, "jam", "jam-cleared"),
        (DeviceError.LID, "lid-open", "lid-closed"),
        (DeviceError.EMPTY, "empty", "error-cleared"),
        (DeviceError.CANNOT_READ, "error", "error-cleared"),
        (DeviceError.OVERDRAW, "error", "error-cleared"),
        (DeviceError.MOTOR, "error", "error-cleared"),
    ],
)
def test_an_error_that_stands_alone_is_judged(error: DeviceError, raised: str, cleared: str) -> None:
    state = new_state(build_procedure(find_game("minibaccarat"), "manual-shoe", {}), "T1")
    begin = act_of_event(ErrorRaised(1, 0, False, error, 0, 0), "shoe", state, own_events=False)
    end = act_of_event(ErrorCleared(2, 0, False, error, 0, 0), "shoe", state, own_events=False)
    assert isinstance(begin, DeviceNotice)
    assert isinstance(end, DeviceNotice)
    assert (begin.event, end.event) == (raised, cleared)


def test_the_same_error_is_routine_where_its_own_event_comes_too() -> None:
    state = new_state(build_procedure(find_game("minibaccarat"), "manual-shoe", {}), "T1")
    assert isinstance(act_of_event(ErrorRaised(1, 0, False, DeviceError.JAM, 0, 0), "shoe", state), DeviceRoutine)
    jam = act_of_event(Jam(1, 0, False, JamPlace.FEED, 0), "shoe", state, own_events=False)
    assert isinstance(jam, DeviceNotice)


def test_nobody_listened_matters_only_while_shuffled_cards_are_in_play() -> None:
    procedure = build_procedure(find_game("minibaccarat"), "manual-shoe", {})
    state = decide(procedure, new_state(procedure, "T1"), Open(by=By("supervisor", "S1")), 0).state
    notice = DeviceNotice(event="unheard", name="shoe", by=By("device", "shoe"))
    assert decide(procedure, state, notice, 0).outcome.alarms == ()
    from controller.table.acts import Load, Shuffle

    for act in (Load(decks=8, cards=416), Shuffle(counted=416)):
        state = decide(procedure, state, act, 0).state
    assert state.phase == "ready"
    outcome = decide(procedure, state, notice, 0).outcome
    assert outcome.alarms == ("partial-knowledge",)


def test_the_defaults_are_sdp1() -> None:
    assert SDP1.may("Lock")
    assert not LISTENS.may("Lock")
