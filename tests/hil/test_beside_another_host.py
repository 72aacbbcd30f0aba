"""The real daemon in shadow mode beside a simulated host of an ANGEL EYE II-EX, on a serial server that both read and on its tap."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from click.testing import CliRunner

from controller.cli.journal import command
from controller.dealing.procedure import build_procedure
from controller.games import find_game
from controller.hands.baccarat import burn_value
from controller.journal.keys import load_keys
from controller.journal.reader import open_reader
from controller.service.engine import Engine
from controller.table import acts as a
from controller.table import facts as f
from device_profiles.plain.frames import Way
from device_profiles.plain.loader import load_plain
from firmware_bridge.capture.pcapng_file import read_capture
from firmware_bridge.cards import parse_card
from firmware_bridge.commands import OpenShoe, Unlock
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.framers import PlainFrame
from hil.endtoend.bench import Bench, open_bench
from hil.endtoend.daemon import ApiClient, Daemon, DeviceEntry, Entry, TableEntry, run_daemon, working_folder
from hil.mechanism.cards import PhysicalCard
from hil.mechanism.options import Timing
from hil.simulated.baccarat_host import BaccaratHost, Error
from hil.simulated.host_bench import HostBench
from hil.simulated.plain import PlainDevice, PlainSettings
from hil.simulated.serial_server import SerialServer
from hil.simulated.settings import SimulatedSettings

GAME, TABLE, PROFILE = "minibaccarat", "T1", "angel-eye-ii-ex"
BANKER_WINS = "2c 9h Kd Ts"
PLAYER_WINS = "8c 2h Qd 5s"
BANKER_STAYS_ON_SIX = "5h 6d Kc Js 5d"
"""The Player draws a five, on which the Banker stays; a host that lets him draw takes one card more."""
ENTRIES_S = 20.0


class Site:
    """A shoe, its line, the host that owns it, and a daemon that listens."""

    def __init__(self, bench: Bench, shoe: PlainDevice, server: SerialServer, host: BaccaratHost, daemon: Daemon) -> None:
        self.bench, self.shoe, self.server, self.host, self.daemon = bench, shoe, server, host, daemon
        self.client = daemon.client()
        self._drawn = self._last_entry = 0

    def open(self) -> None:
        sheet = self.client.view(TABLE).enforcement["sheet"]
        assert self.client.act(TABLE, "open", {"confirms": sheet}, "supervisor:S1").entry is not None

    def draw(self, place: str, index: int) -> None:
        """The host unlocks, the dealer draws, the host hears the card and locks."""
        self.bench.call(lambda: self.host.order("unlock-order"))
        self.bench.run(self.shoe.unlocked())
        assert self.bench.call(lambda: self.shoe.draw({"target": place, "index": index}))
        self._drawn += 1
        self.bench.run(self.host.heard(self._drawn))
        self.bench.run(self.shoe.said_everything())

    def open_shoe(self, first: str) -> None:
        self.draw("first-card", 1)
        for number in range(burn_value(parse_card(first))):
            self.draw("burn", number + 1)

    def play(self, errs: Error = "") -> str:
        """One round by the host's own program; returns what it told."""
        self.host.errs = errs
        self.bench.call(self.host.begin)
        while (due := self.bench.call(self.host.due)) is not None:
            self.draw(*due)
        told = self.bench.call(self.host.result)
        self.say("result", {"outcome": told, "pairs": "none"})
        self.say("stand-by", {})
        return told

    def say(self, name: str, values: dict[str, str]) -> None:
        self.bench.call(lambda: self.shoe.say(name, values))
        self.bench.run(self.shoe.said_everything())

    def entries(self) -> list[Entry]:
        """Wait for the stand-by that ended the last round; return all entries since the last call."""
        found: list[Entry] = []
        while not any(entry.act == "routine" and entry.by == "device:shoe" for entry in found):
            page = self.client.entries(TABLE, self._last_entry, wait_s=ENTRIES_S).entries
            assert page, "the daemon has heard nothing"
            self._last_entry = page[-1].entry
            found += page
        return found

    def alarms(self) -> set[str | None]:
        return {entry.outcome.alarm for entry in self.entries()}


@contextmanager
def beside(folder: Path, cards: str) -> Iterator[Site]:
    profile = load_plain(PROFILE)
    with open_bench() as bench, working_folder(folder) as site:
        shoe = PlainDevice(PlainSettings(profile=profile, name="SHOE", factor=20.0, tcp=("127.0.0.1", 0)))
        bench.run(shoe.start())
        address = shoe.url.removeprefix("tcp://").split(":")
        server, host = SerialServer(address[0], int(address[1])), BaccaratHost(PlainCodec(profile))
        bench.run(server.start())
        bench.run(host.connect("127.0.0.1", server.line_port))
        bench.call(lambda: shoe.load([PhysicalCard(parse_card(name)) for name in cards.split()]))
        ears = (
            DeviceEntry("shoe", "shoe", None, f"tcp://127.0.0.1:{server.line_port}", profile=PROFILE),
            DeviceEntry("other-host", "host", None, f"tcp://127.0.0.1:{server.tap_port}", profile=PROFILE),
        )
        with run_daemon(site, [TableEntry(TABLE, GAME, "manual-shoe", {}, ears, mode="shadow")]) as daemon:
            yield Site(bench, shoe, server, host, daemon)
        bench.run(host.close())
        bench.run(server.stop())
        bench.run(shoe.stop())


def recorded(folder: Path) -> list[tuple[a.AnyAct, tuple[f.AnyFact, ...]]]:
    keys = load_keys(folder / "journal.keys")
    engine = Engine(TABLE, build_procedure(find_game(GAME), "manual-shoe", {}))
    with open_reader(folder / "journal.db", seal_key=keys.seal_key) as reader:
        opened = [reader.open_entry(entry) for entry in reader.read_entries(TABLE)]
    started = msgspec.json.decode(opened[0].entry.body)
    assert (started["act"], started["mode"]) == ("started", "shadow")
    return [engine.decode(entry.entry.body, entry.cards) for entry in opened if entry.entry.kind not in ("started", "stopped")]


def test_a_host_that_errs_is_told_with_the_line_as_evidence_and_nothing_is_written(tmp_path: Path) -> None:
    rounds = (BANKER_WINS, PLAYER_WINS, f"{BANKER_STAYS_ON_SIX} 4s", BANKER_WINS)
    with beside(tmp_path, f"As 7d {' '.join(rounds)}") as site:
        view = site.client.view(TABLE)
        assert view.mode == "shadow"
        assert view.enforcement["mode"] == "shadow"
        assert "prevented" not in str(view.enforcement["lines"])
        site.open()
        site.open_shoe("As")
        assert site.play() == "banker"
        assert site.alarms() == {None}
        assert site.play("result") == "banker", "the Player has won"
        differs = [entry.entry for entry in site.entries() if entry.outcome.alarm == "told-differs"]
        assert len(differs) == 1
        site.play("draw")
        assert "told-differs" in site.alarms(), "a card went to the Banker that was not due"
        site.play()
        site.alarms()
        shadow = site.client.view(TABLE).shadow
        assert (shadow["rounds"], shadow["knowledge"], shadow["agreed"]) == ("line", "partial", 2), shadow
        host_wrote, shoed_wrote = (bytes(said) for said in site.server.written[:2])
        assert host_wrote
        assert all(bytes(said) == b"" for said in site.server.written[1:])
        assert shoed_wrote == bytes(site.server.tap_written) == b""
        site.client.close()
    acts = recorded(tmp_path)
    (opening,) = [act for act, _ in acts if isinstance(act, a.Open)]
    assert opening.beside
    assert opening.sheet is not None
    assert opening.sheet.mode == "shadow"
    compared = [fact for _, facts in acts for fact in facts if isinstance(fact, f.HostCompared)]
    assert [(fact.what, fact.told, fact.found) for fact in compared][:2] == [("result", "banker", "banker"), ("result", "banker", "player")]
    orders = [act.event for act, _ in acts if isinstance(act, a.DeviceRoutine) and act.event.startswith("host: ")]
    assert set(orders) == {"host: unlock-order"}
    assert len(orders) == 2 + 4 + 4 + 6 + 4
    capture = tmp_path / "captures" / TABLE / "differences" / f"{TABLE}-{differs[0]}-shoe.pcapng"
    assert capture.stat().st_mode & 0o077 == 0
    assert "result" in heard_in(capture)
    assert (tmp_path / "captures" / TABLE / "differences" / f"{TABLE}-{differs[0]}-other-host.pcapng").exists()
    code, words = compared_with(tmp_path)
    assert code == 1
    assert f"entry {differs[0]}: result: told banker, here player." in words
    assert "2 agree, " in words
    assert compared_with(tmp_path, "--json", "--table", TABLE)[1].count('"what"') == len(compared)


def heard_in(capture: Path) -> list[str]:
    """The messages in a capture, by name."""
    codec = PlainCodec(load_plain(PROFILE))
    framer = codec.framer(Way.IN, pauses=True)
    frames = [
        frame for record in read_capture(capture) for frame in framer.feed(record.content, record.at_s) if isinstance(frame, PlainFrame)
    ]
    return [heard.name for frame in frames if (heard := codec.read(frame)) is not None]


def compared_with(folder: Path, *options: str) -> tuple[int, str]:
    done = CliRunner().invoke(command, ["compared", str(folder / "journal.db"), *options], standalone_mode=False)
    return done.return_value, done.output


def test_a_shoe_of_sdp1_is_followed_by_the_gate_that_its_host_opens(tmp_path: Path) -> None:
    serial = "SIM-SHOE-1"
    with open_bench() as bench, working_folder(tmp_path) as site:
        shoe = bench.start(SimulatedSettings(serial=serial, tcp=("127.0.0.1", 0), scripted=True, timing=Timing.instant()))
        address = shoe.url.removeprefix("tcp://").split(":")
        server = SerialServer(address[0], int(address[1]))
        bench.run(server.start())
        host = bench.call(lambda: HostBench(f"tcp://127.0.0.1:{server.line_port}", serial=serial))
        ears = (
            DeviceEntry("shoe", "shoe", serial, f"tcp://127.0.0.1:{server.line_port}"),
            DeviceEntry("other-host", "host", None, f"tcp://127.0.0.1:{server.tap_port}"),
        )
        entry = TableEntry(TABLE, GAME, "manual-shoe", {"shoe_start_burn": False}, ears, mode="shadow")
        with run_daemon(site, [entry]) as daemon:
            client = daemon.client()
            assert client.act(TABLE, "open", True, "supervisor:S1").entry is not None
            bench.call(host.start)
            bench.run(host.running())
            bench.call(lambda: shoe.load_blank(416))
            seen = follow(client, 0, "load")
            assert client.act(TABLE, "shuffle", {"mode": "random", "counted": 416}, "dealer:D7").outcome.state == "ready"
            bench.run(host.device.command(OpenShoe(b"another-hosts-id", 8, 0)))
            for cards in (BANKER_WINS, PLAYER_WINS):
                bench.run(host.device.command(Unlock(4)))
                for name in cards.split():
                    bench.call(lambda name=name: shoe.draw_card(parse_card(name)))  # type: ignore[misc]
                    seen = follow(client, seen, "card")
            outcome = client.view(TABLE).outcome
            assert (outcome.round, outcome.state, outcome.partial, outcome.alarms) == (2, "collecting", False, ())
            client.close()
        assert bytes(server.written[0]) == b"" or bytes(server.written[1]) == b""
        assert sum(bool(said) for said in server.written) == 1, "the host's own words, and nobody else's"
        assert bytes(server.tap_written) == b""
        bench.run(host.stop())
        bench.run(server.stop())
    orders = [act.event for act, _ in recorded(tmp_path) if isinstance(act, a.DeviceRoutine) and act.event.startswith("host: ")]
    assert orders.count("host: gate unlock") == 2


def follow(client: ApiClient, after: int, act: str) -> int:
    """Wait for the next entry of an act, and return its number."""
    while True:
        page = client.entries(TABLE, after, wait_s=ENTRIES_S).entries
        assert page, f"no {act} was heard"
        for entry in page:
            after = entry.entry
            if entry.act == act:
                return after
