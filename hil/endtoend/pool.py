"""Tables for scripts on real daemons: many scripts share one daemon, each has a table and devices of its own.

Tables of one daemon share a process and a journal file and nothing else, as the tables of a pit do; so a script cannot
touch another one's table. A daemon serves `TABLES_A_DAEMON` scripts, is started when the first of them is played, and
must end cleanly after the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from controller.dealing.procedure import Procedure, build_procedure
from controller.errors import ShoedError
from controller.games import find_game
from controller.scenario.runner import PlayError
from controller.scenario.script import Scenario
from hil.endtoend.bench import Bench, Pair, open_bench, start_pair, start_pair_on_bus
from hil.endtoend.daemon import ApiClient, Daemon, DeviceEntry, TableEntry, links_of, run_daemon, working_folder
from hil.endtoend.player import EndToEndPlayer

TABLES_A_DAEMON: Final = 16
"""Two devices each, all connecting at once: still within the start-up of the daemon itself."""


class DaemonPool:
    """Plays scripts in the order in which they were announced."""

    def __init__(self, bench: Bench, scenarios: Sequence[Scenario], *, on_bus: bool = False) -> None:
        """`on_bus`: the devices of each table share one line."""
        self._bench = bench
        self._on_bus = on_bus
        self._waiting = list(scenarios)
        self._running = ExitStack()
        self._tables: dict[int, tuple[str, Procedure, Pair]] = {}
        self._pairs: list[Pair] = []
        self._daemon: Daemon | None = None
        self._client: ApiClient | None = None

    @contextmanager
    def table_for(self, scenario: Scenario) -> Iterator[EndToEndPlayer]:
        """Return a table of a running daemon, prepared as the script wants it.

        Raises:
            ShoedError: the game, the method or a setting does not exist.
        """
        build_procedure(find_game(scenario.game), scenario.method, scenario.house)
        if id(scenario) not in self._tables:
            self._next_daemon(scenario)
        table, procedure, pair = self._tables.pop(id(scenario))
        assert self._client is not None
        player = EndToEndPlayer(self._client, table, procedure, self._bench, pair)
        try:
            player.prepare(scenario)
        except PlayError as error:
            assert self._daemon is not None
            raise self._daemon.failed(f"has a table that cannot be prepared: {error.what}") from error
        yield player

    def close(self) -> None:
        """End the daemon that runs; its devices live until it has let go of them."""
        if self._client is not None:
            self._client.close()
            self._client = None
        try:
            self._running.close()
        finally:
            for pair in self._pairs:
                self._bench.stop([pair.shoe, pair.shuffler])
            self._pairs.clear()
            self._tables.clear()

    def _next_daemon(self, first: Scenario) -> None:
        self.close()
        batch = self._take_batch(first)
        folder = self._running.enter_context(working_folder())
        entries = []
        for number, (scenario, procedure) in enumerate(batch, start=1):
            name = f"T{number}"
            start = start_pair_on_bus if self._on_bus else start_pair
            pair = start(self._bench, links_of(folder), name, procedure.deck.per_deck)
            self._pairs.append(pair)
            entries.append(table_entry(name, scenario, on_bus=self._on_bus))
            self._tables[id(scenario)] = (name, procedure, pair)
        daemon = self._running.enter_context(run_daemon(folder, entries))
        self._daemon, self._client = daemon, daemon.client()

    def _take_batch(self, first: Scenario) -> list[tuple[Scenario, Procedure]]:
        """Return the next scripts that have a procedure, beginning with the one wanted now."""
        at = next((index for index, item in enumerate(self._waiting) if item is first), None)
        ahead = [first] if at is None else self._waiting[at : at + TABLES_A_DAEMON]
        if at is not None:
            del self._waiting[: at + TABLES_A_DAEMON]
        batch = []
        for scenario in ahead:
            try:
                procedure = build_procedure(find_game(scenario.game), scenario.method, scenario.house)
            except ShoedError:
                continue  # told when it is this script's turn
            batch.append((scenario, procedure))
        return batch


def table_entry(name: str, scenario: Scenario, *, on_bus: bool = False) -> TableEntry:
    """Return the configuration of a script's table."""
    devices = tuple(
        DeviceEntry(name=kind, kind=kind, serial=serial, port=f"bus://{name}/{address}" if on_bus else serial)
        for address, (kind, serial) in enumerate((("shoe", f"{name}-SHOE"), ("shuffler", f"{name}-SHUFFLER")), start=1)
    )
    return TableEntry(name, scenario.game, scenario.method, scenario.house, devices, bus=name if on_bus else "")


@contextmanager
def open_pool(scenarios: Sequence[Scenario], *, on_bus: bool = False) -> Iterator[DaemonPool]:
    """Return the pool of real daemons for these scripts. `on_bus`: the devices of each table share one line."""
    with open_bench() as bench:
        pool = DaemonPool(bench, scenarios, on_bus=on_bus)
        try:
            yield pool
        finally:
            pool.close()
