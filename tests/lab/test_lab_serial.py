"""A shoe and a shuffler of SDP/1 behind real adapters: the kernel's `ftdi_sio` and `cdc_acm`, udev's own links, a real hot-unplug.

The daemon runs in the guest; the devices are simulated on this machine, and their wires end at the adapters in the guest's sockets.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import msgspec
import pytest

from controller.dealing.procedure import build_procedure
from controller.games import find_game
from controller.journal.keys import load_keys
from controller.journal.verify import verify_journal
from controller.scenario.runner import run_scenario
from controller.scenario.script import parse_scenario
from hil.endtoend.bench import Bench, Pair, open_bench, scripted_settings
from hil.endtoend.daemon import ApiClient, DeviceEntry, Entry, TableEntry
from hil.endtoend.player import EndToEndPlayer
from hil.lab.daemon import run_guest_daemon
from hil.lab.machine import Machine
from hil.simulated.device import SimulatedDevice
from hil.simulated.usb_bus import UsbBus
from tests.lab.plugs import Acm, Ftdi, Plug, await_link, await_no_link, disconnected_at_s

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1800)]

GAME, METHOD, TABLE = "colorado-hold-em-poker", "manual-shoe", "T1"
PATIENCE = 20.0
"""So many times longer than usual everything may take: the guest may be emulated, and its host busy."""
BEFORE = """
scenario = 1
title = "The first half of a round"
game = "colorado-hold-em-poker"
method = "manual-shoe"
steps = [
  { wager = { seat = 5, ante = 10 } },
  { close_bets = true, expect = { gate = "open" } },
  { card = "9h", expect = { to = "seat 5", face = "down" } },
  { card = "Kd", expect = { to = "community 1", face = "down" } },
  { card = "7s", expect = { to = "seat 5", face = "down" } },
]
"""
AFTER = """
scenario = 1
title = "The second half of it"
game = "colorado-hold-em-poker"
method = "manual-shoe"
prepared = false
steps = [
  { card = "2c", expect = { to = "community 2", face = "down" } },
  { card = "Jd", expect = { to = "seat 5", face = "down" } },
  { card = "4s", expect = { to = "community 3", face = "down", gate = "locked", alarms = [] } },
  { decide = { seat = 5, choose = "bet", discard = ["7s"] } },
  { expose = { community = [1, 2, 3] } },
  { expose = { seat = 5 } },
  { collect = true, expect = { state = "complete", alarms = [] } },
]
"""


def wired(bench: Bench, kind: str, serial: str) -> tuple[SimulatedDevice, int]:
    """A simulated device, and the TCP port that is its wire."""
    device = bench.start(msgspec.structs.replace(scripted_settings(kind, serial, Path()), link_dir=None, tcp=("127.0.0.1", 0)))
    return device, int(device.url.rsplit(":", 1)[1])


def await_outcome(client: ApiClient, after: int, alarm: str, *, there: bool) -> Entry:
    deadline = time.monotonic() + 30 * PATIENCE
    last = after
    while time.monotonic() < deadline:
        for entry in client.entries(TABLE, last, wait_s=5.0).entries:
            last = entry.entry
            if (alarm in entry.outcome.alarms) is there:
                return entry
    raise AssertionError(f"the daemon told no such thing: {alarm}, {there}")


def play(player: EndToEndPlayer, text: str) -> None:
    report = run_scenario(parse_scenario(text, "lab"), player)
    assert report.passed, report


def seconds_to_report(machine: Machine, entry: Entry) -> float:
    """From the kernel's word of the disconnection to the journalled act, by the guest's one clock."""
    began = "import time; print(time.time() - time.clock_gettime(time.CLOCK_MONOTONIC))"
    return entry.wall_ms / 1000 - float(machine.guest.python(began)) - disconnected_at_s(machine)


@pytest.mark.requirement("T-01")
@pytest.mark.parametrize("driver", ["ftdi_sio", "cdc_acm"])
def test_a_round_goes_on_after_the_adapter_was_pulled_and_came_back_under_another_name(
    machine: Machine, tmp_path: Path, driver: str
) -> None:
    with open_bench() as bench:
        shoe, shoe_port = wired(bench, "shoe", "T1-SHOE")
        shuffler, shuffler_port = wired(bench, "shuffler", "T1-SHUFFLER")
        bus = UsbBus()
        bench.run(bus.open())

        def adapter(serial: str, port: int | None) -> Plug:
            return Ftdi(machine, serial, port) if driver == "ftdi_sio" else Acm(machine, bench, bus, serial, port)

        plug, other, stranger = adapter("SHOE", shoe_port), adapter("SHUF", shuffler_port), adapter("OTHER", None)
        plug.put_in()
        before = await_link(machine, plug)
        other.put_in()
        assert await_link(machine, other) != before
        devices = (DeviceEntry("shoe", "shoe", "T1-SHOE", plug.link), DeviceEntry("shuffler", "shuffler", "T1-SHUFFLER", other.link))
        with run_guest_daemon(machine, driver, [TableEntry(TABLE, GAME, METHOD, {}, devices)], tmp_path) as daemon:
            client = daemon.client()
            player = EndToEndPlayer(
                client, TABLE, build_procedure(find_game(GAME), METHOD, {}), bench, Pair(shoe, shuffler), patience=PATIENCE
            )
            first = parse_scenario(BEFORE, "lab")
            player.prepare(first)
            play(player, BEFORE)
            stands = client.view(TABLE).journal
            plug.pull()
            lost = await_outcome(client, stands, "device-lost", there=True)
            told_s = seconds_to_report(machine, lost)
            sys.stdout.write(f"\nlab: {driver}: the pulled plug was told after {told_s:.3f} s of the guest's time\n")
            assert -0.5 < told_s < 1.0  # the two clocks differ by some milliseconds
            await_no_link(machine, plug)
            stranger.put_in()
            await_link(machine, stranger)
            plug.put_in()
            assert await_link(machine, plug) != before
            await_outcome(client, lost.entry, "device-lost", there=False)
            bench.run(shoe.host_running(30 * PATIENCE), 40 * PATIENCE)
            play(player, AFTER)
            assert client.view(TABLE).outcome.state == "complete"
            client.close()
        daemon.fetch_journal(tmp_path)
        for each in (plug, other, stranger):
            each.pull()
        bench.run(bus.close())
    keys = load_keys(tmp_path / "journal.keys")
    report = verify_journal(tmp_path / "journal.db", seal_key=keys.seal_key, public_key_hex=keys.public_key_hex)
    assert report.ok, report.sentence
