"""A shoe and a shuffler of SDP/1 behind FTDI adapters: the kernel's own `ftdi_sio`, udev's own links, a real hot-unplug.

The daemon runs in the guest; the devices are simulated on this machine, and their wires end at the adapters that QEMU has.
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
from controller.table.outcome import Outcome
from hil.endtoend.bench import Bench, Pair, open_bench, scripted_settings
from hil.endtoend.daemon import ApiClient, DeviceEntry, Entry, TableEntry
from hil.endtoend.player import EndToEndPlayer
from hil.lab.daemon import BY_ID, run_guest_daemon
from hil.lab.machine import Machine
from hil.simulated.device import SimulatedDevice

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


def adapter(serial: str) -> str:
    """The name of the link that udev makes for an adapter of QEMU's with this serial number."""
    return f"usb-QEMU_QEMU_USB_SERIAL_{serial}-if00-port0"


def wired(bench: Bench, machine: Machine, kind: str, serial: str, plug: str) -> tuple[SimulatedDevice, int]:
    """A simulated device behind an adapter whose own serial number is `plug`."""
    device = bench.start(msgspec.structs.replace(scripted_settings(kind, serial, Path()), link_dir=None, tcp=("127.0.0.1", 0)))
    port = int(device.url.rsplit(":", 1)[1])
    machine.plug_serial(plug.lower(), plug, port)
    return device, port


def await_link(machine: Machine, name: str) -> str:
    """Where udev's link leads, once it is there."""
    script = f"for step in $(seq 600); do [ -e {BY_ID}/{name} ] && exec readlink -f {BY_ID}/{name}; sleep 0.1; done; exit 1"
    done = machine.guest.run(["sh", "-c", script])
    assert done.code == 0, machine.guest.run(["dmesg"]).out[-2000:]
    return done.out.strip()


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
    script = (
        "import re, subprocess, sys, time\n"
        "lines = [l for l in subprocess.run(['dmesg'], capture_output=True, text=True).stdout.splitlines() if 'USB disconnect' in l]\n"
        "boot = time.time() - time.clock_gettime(time.CLOCK_MONOTONIC)\n"
        "print(int(sys.argv[1]) / 1000 - boot - float(re.match(r'\\[ *([0-9.]+)\\]', lines[-1])[1]))"
    )
    return float(machine.guest.python(script, str(entry.wall_ms)))


@pytest.mark.requirement("T-01")
def test_a_round_goes_on_after_the_adapter_was_pulled_and_came_back_under_another_name(machine: Machine, tmp_path: Path) -> None:
    procedure = build_procedure(find_game(GAME), METHOD, {})
    with open_bench() as bench:
        shoe, port = wired(bench, machine, "shoe", "T1-SHOE", "FTSHOE")
        shuffler, _ = wired(bench, machine, "shuffler", "T1-SHUFFLER", "FTSHUF")
        before = await_link(machine, adapter("FTSHOE"))
        assert await_link(machine, adapter("FTSHUF")) != before
        devices = (
            DeviceEntry("shoe", "shoe", "T1-SHOE", adapter("FTSHOE")),
            DeviceEntry("shuffler", "shuffler", "T1-SHUFFLER", adapter("FTSHUF")),
        )
        with run_guest_daemon(machine, "ftdi", [TableEntry(TABLE, GAME, METHOD, {}, devices)], tmp_path) as daemon:
            client = daemon.client()
            player = EndToEndPlayer(client, TABLE, procedure, bench, Pair(shoe, shuffler), patience=PATIENCE)
            first = parse_scenario(BEFORE, "lab")
            player.prepare(first)
            assert run_scenario(first, player).passed
            stands = client.view(TABLE).journal
            machine.pull("ftshoe")
            lost = await_outcome(client, stands, "device-lost", there=True)
            told_s = seconds_to_report(machine, lost)
            sys.stdout.write(f"\nlab: the pulled plug was told after {told_s:.3f} s of the guest's time\n")
            assert told_s < 1.0
            machine.plug_stranger("ftother", "FTOTHER")
            await_link(machine, adapter("FTOTHER"))
            machine.plug_serial("ftshoe", "FTSHOE", port)
            assert await_link(machine, adapter("FTSHOE")) != before
            await_outcome(client, lost.entry, "device-lost", there=False)
            bench.run(shoe.host_running(30 * PATIENCE), 40 * PATIENCE)
            play(player, AFTER)
            outcome: Outcome = client.view(TABLE).outcome
            assert outcome.state == "complete"
            client.close()
        daemon.fetch_journal(tmp_path)
    keys = load_keys(tmp_path / "journal.keys")
    report = verify_journal(tmp_path / "journal.db", seal_key=keys.seal_key, public_key_hex=keys.public_key_hex)
    assert report.ok, report.sentence
    for name in ("ftshoe", "ftshuf", "ftother"):
        machine.pull(name)
