"""Plays a script on a real daemon: device acts happen at simulated devices, people's acts go through the API.

The outcome of a device act is the one that the daemon journalled and shows to everyone who follows the table. Before a
card is drawn, the device's gate must have followed the last outcome, and after a device act everything that the devices
said must have been taken: so each step begins where the one before ended, as at a table where nobody hurries.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from typing import Final

from controller.dealing.procedure import Procedure
from controller.dealing.steps import Stack
from controller.scenario.runner import PlayError
from controller.scenario.script import Scenario, Step
from controller.table import acts
from controller.table.outcome import Outcome
from hil.endtoend.bench import CALL_S, Bench, Pair
from hil.endtoend.daemon import ApiClient, ApiError, DaemonError, Entry
from hil.endtoend.physics import device_of, is_carried, play_act
from hil.simulated.device import SimulatedDevice

FOLLOW_S: Final = 5.0
"""A gate is done within 0.3 s (SDP/1 1.8); five on a machine busy with tests."""
ANSWER_S: Final = 10.0
"""A lost line is told after 3 s (SDP/1 1.8), and RST may be tried again only after 4 s more."""
UNFOLDING: Final = ("restarted", "back")
"""Happenings that a table hears of in several notices; the last one has the whole of it."""
SUPERVISOR: Final = "supervisor:S1"
TELLER: Final = "dealer"
"""Who tells what SDP/1 cannot carry."""


class EndToEndPlayer:
    """One table of a daemon, its devices, and the script's view of them."""

    def __init__(self, client: ApiClient, table: str, procedure: Procedure, bench: Bench, pair: Pair, *, patience: float = 1.0) -> None:
        """`patience`: so many times longer than usual everything may take, where the daemon's machine is slow."""
        self._follow_s, self._answer_s = FOLLOW_S * patience, ANSWER_S * patience
        self._client = client
        self._table = table
        self._procedure = procedure
        self._bench = bench
        self._pair = pair
        self._last_entry = 0
        self._outcome: Outcome | None = None

    def prepare(self, scenario: Scenario) -> None:
        """Wait for both devices; unless the script begins before that, open, load and shuffle.

        Raises:
            PlayError: when the table does not come to be ready.
        """
        for device in (self._pair.shoe, self._pair.shuffler):
            self._wait(device.host_running(self._follow_s), "the daemon has not connected to its devices")
            self._wait(device.all_acknowledged(self._follow_s), "the daemon has not taken what its devices say at their start")
        self._last_entry = self._client.view(self._table).journal
        if not scenario.prepared:
            return
        deck = self._procedure.deck
        self._tell("open", True, SUPERVISOR)
        shoe, shuffler = self._pair.shoe, self._pair.shuffler
        self._happen(shoe, "load", lambda: shoe.load_blank(deck.cards, deck.back or "red"))
        outcome = self._happen(shuffler, "shuffle", lambda: shuffler.shuffle_result(counted=deck.cards))
        if outcome.state != "ready":
            raise PlayError("not-prepared", f"The table is {outcome.state} and not ready: {outcome.message}", "Look at the devices.")

    def perform(self, step: Step) -> Outcome:
        """Play one step where it happens."""
        try:
            if is_carried(step) and not self._is_found_in_a_stack(step):
                return self._perform_at_device(step)
            by = TELLER if step.by_device else str(step.by)
            return self._tell(step.key, step.value, by)
        except (DaemonError, ApiError) as error:
            raise PlayError(error.code, error.what, error.do) from error

    def _is_found_in_a_stack(self, step: Step) -> bool:
        """A card seen face up where stacks are dispensed is found by the dealer, who takes it out and tells of it."""
        due = self._procedure.step(self._outcome.phase) if self._outcome is not None and self._outcome.gate == "open" else None
        return isinstance(step.act, acts.CardOut) and step.act.face_up and isinstance(due, Stack)

    def _tell(self, key: str, value: object, by: str) -> Outcome:
        answer = self._client.act(self._table, key, value, by)
        if answer.entry is not None:
            self._last_entry = answer.entry
        self._outcome = answer.outcome
        return answer.outcome

    def _perform_at_device(self, step: Step) -> Outcome:
        device = device_of(step, self._pair)
        is_open = self._outcome is not None and self._outcome.gate == "open"
        if step.key == "card":
            gate = "open" if is_open else "locked"
            self._wait(device.gate(gate, self._follow_s), f"the gate of the {step.by.name} did not follow: it is to be {gate}")
        deck = self._procedure.deck
        event = step.act.event if isinstance(step.act, acts.DeviceNotice) else ""
        return self._happen(device, step.key, lambda: play_act(step, device, deck, gate_open=is_open), event)

    def _happen(self, device: SimulatedDevice, key: str, work: Callable[[], object], event: str = "") -> Outcome:
        """Let something happen at a device and return the outcome that the daemon journalled for it."""
        self._bench.call(work)
        entry = self._await_entry(key)
        if event != "lost":
            self._wait(device.host_running(self._answer_s), "the daemon has not connected again")
            self._wait(device.all_acknowledged(self._follow_s), "the daemon has not taken everything that a device said")
        found = [entry, *self._new_entries(entry.entry)]
        self._outcome = found[-1].outcome
        if event in UNFOLDING:
            entry = [item for item in found if item.act == key][-1]
        return entry.outcome

    def _await_entry(self, key: str) -> Entry:
        """Return the next act of this name that a device did."""
        deadline = time.monotonic() + self._answer_s
        seen: list[str] = []
        while (left := deadline - time.monotonic()) > 0:
            for entry in self._client.entries(self._table, self._last_entry, wait_s=min(left, 1.0)).entries:
                self._last_entry = entry.entry
                if entry.act == key and entry.by.startswith("device"):
                    return entry
                seen.append(entry.act)
        came = f"; it journalled {', '.join(seen)}" if seen else ""
        raise PlayError("no-entry", f"The daemon journalled no `{key}` within {self._answer_s:g} s{came}.", "Look at the device's line.")

    def _new_entries(self, after: int) -> tuple[Entry, ...]:
        page = self._client.entries(self._table, after).entries
        if page:
            self._last_entry = page[-1].entry
        return page

    def _wait(self, condition: Coroutine[object, object, object], otherwise: str) -> None:
        try:
            self._bench.run(condition, CALL_S + self._answer_s)
        except TimeoutError as error:
            raise PlayError("device-behind", f"{otherwise}: {error}.", "Look at the daemon's log.") from error
