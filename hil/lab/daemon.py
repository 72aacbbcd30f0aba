"""A daemon in the guest, its API led out to this host, and its journal brought home for a look."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from controller.journal.keys import create_keys
from hil.endtoend.daemon import ApiClient, DaemonError, TableEntry, config_text
from hil.lab.machine import RELAYED, Machine
from hil.lab.packages import LabError

FOLDER: Final = "/run/shoed"
"""In the guest's memory; each daemon has a folder below."""
BY_ID: Final = "/dev/serial/by-id"
READY_S: Final = 120
"""Imports take half a second on bare metal, ten on an emulated machine, and more on a busy host."""


class GuestDaemon:
    """A running daemon of the guest; made by `run_guest_daemon`."""

    def __init__(self, machine: Machine, folder: str, pid: int) -> None:
        self._machine, self._folder, self._pid = machine, folder, pid

    def client(self) -> ApiClient:
        """Return a new caller of the API."""
        return ApiClient(self._machine.relayed, self._machine.guest.read(f"{self._folder}/api.token").decode().strip())

    def log(self) -> str:
        """Return what it has logged."""
        return self._machine.guest.read(f"{self._folder}/daemon.log").decode(errors="replace")

    def fetch_journal(self, site: Path) -> None:
        """Copy the journal of a daemon that has ended, beside the keys."""
        (site / "journal.db").write_bytes(self._machine.guest.read(f"{self._folder}/journal.db"))

    def stop(self) -> None:
        """End it as an operator would.

        Raises:
            DaemonError: it did not end by itself or ended with an error.
        """
        code = self._machine.guest.stop(self._pid)
        if code != 0:
            raise DaemonError("daemon-failed", f"The guest's daemon ended with {code}:\n{self.log()[-2000:]}", "Mend what it names.")


@contextlib.contextmanager
def run_guest_daemon(machine: Machine, name: str, tables: Sequence[TableEntry], site: Path) -> Iterator[GuestDaemon]:
    """Run a daemon with these tables; `site` is a folder of this host for its keys. Ports are links by id of the guest's udev.

    Raises:
        LabError: it does not come up.
        DaemonError: it does not end as it must.
    """
    guest, folder = machine.guest, f"{FOLDER}/{name}"
    create_keys(site / "journal.keys")
    guest.write(f"{folder}/journal.keys", (site / "journal.keys").read_bytes())
    guest.write(f"{folder}/shoed.toml", config_text(tables, links=BY_ID).encode())
    guest.run(["chmod", "600", f"{folder}/journal.keys"])
    run_daemon = "from controller.cli.main import main; main()"
    pid = guest.start([sys.executable, "-c", run_daemon, "run", "--config", f"{folder}/shoed.toml"], f"{folder}/daemon.log")
    daemon = GuestDaemon(machine, folder, pid)
    steps = f"for step in $(seq {READY_S * 5}); do"
    until_ready = f"{steps} [ -s {folder}/api.port ] && exit 0; [ -d /proc/{pid} ] || exit 1; sleep 0.2; done; exit 2"
    if guest.run(["sh", "-c", until_ready], timeout_s=READY_S * 2).code != 0:
        raise LabError("lab-no-daemon", f"The daemon does not start in the guest:\n{daemon.log()[-2000:]}", "Mend what it names.")
    machine.guest.relay(RELAYED, int(guest.read(f"{folder}/api.port")))
    try:
        yield daemon
    except BaseException:
        guest.stop(pid)
        raise
    daemon.stop()
