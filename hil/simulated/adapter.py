"""Between the device's session and its mechanism: each command of the profile becomes an order or an answer.

The session has checked format, range and role and has answered what is its own (identity, status, sessions, resume).
Here every other command of SDP/1 1.6 is answered; what this device has no part for gets `not-supported`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Protocol

from device_profiles.values import FieldValue, Hidden
from firmware_bridge.events import DeviceError, DeviceState, ShuffleMode, StartReason, Status
from firmware_bridge.link.faults import LossCause
from firmware_bridge.seal import DeviceKey, SessionKeys
from firmware_bridge.session.device import Answer, CommandReceived
from hil.mechanism.machine import Mechanism
from hil.mechanism.orders import Orders
from hil.mechanism.script import Script
from hil.simulated.firmware import FirmwareStore
from hil.simulated.workshop import DeviceLog, Workshop

BURN_BY_VALUE = 0xFF
"""SDP/1 1.6, BURN: one card, then its value."""

NO_SHOE = bytes(16)

_NOT_DURING_UPDATE = frozenset({"shoe_open", "gate", "dispense", "burn", "stub_count", "shuffle_start", "diag_enter", "reboot"})

ATTESTED_BYTES_MIN = 1024
"""A digest over less would let somebody read the program out piece by piece (EQ-63)."""


class Firmware(Protocol):
    """What the adapter needs of the device around it."""

    image: bytes | None
    """The program, where the device can attest it; it has the one region 0."""
    store: FirmwareStore

    def load_key(self, role: int, key: DeviceKey) -> None: ...

    def session_keys(self) -> SessionKeys | None: ...


class Adapter:
    """The mechanism as its session sees it (`firmware_bridge.session.device.Mechanism`)."""

    def __init__(
        self, machine: Mechanism, error_codes: Mapping[int, DeviceError], firmware: Firmware, sticky: tuple[int, ...] = ()
    ) -> None:
        self.machine = machine
        self.orders = Orders(machine)
        self.script = Script(machine)
        self.workshop = Workshop(machine, sticky)
        self.log = DeviceLog()
        self._firmware = firmware
        self._update = firmware.store
        self.restart_is_due: StartReason | None = None
        """Why the device starts again as soon as its answer is out."""
        self.started_s = 0.0
        self.unix_offset_ms: int | None = None
        """What TIME_SET told: unix milliseconds at device time zero."""
        self._error_codes = error_codes
        self._orders: dict[str, Callable[[Mapping[str, FieldValue], int, float], Status]] = {
            "shoe_open": lambda f, _tid, _now: self.orders.open_shoe(_octets(f, "shoe_id"), _number(f, "decks"), _number(f, "back")),
            "shoe_close": lambda _f, _tid, now: self.orders.close_shoe(now),
            "gate": self._gate,
            "dispense": self._dispense,
            "burn": self._burn,
            "eject_all": lambda _f, tid, now: self.orders.eject_all(tid, now),
            "stub_count": lambda _f, tid, now: self.orders.count_stub(tid, now),
            "shuffle_start": lambda f, tid, now: self.orders.start_shuffle(_number(f, "decks"), ShuffleMode(_word(f, "mode")), tid, now),
            "shuffle_abort": lambda _f, _tid, now: self.orders.abort_shuffle(now),
            "error_clear": self._clear_error,
            "diag_enter": lambda _f, _tid, _now: self.orders.enter_diagnosis(),
            "diag_exit": lambda _f, _tid, _now: self.orders.leave_diagnosis(),
        }
        self._answers: dict[str, Callable[[Mapping[str, FieldValue], float], Answer]] = {
            "time_set": self._time_set,
            "config_get": self._config_get,
            "config_set": self._config_set,
            "reboot": self._reboot,
            "key_set": self._key_set,
            "attest": self._attest,
            "counters": self._counters,
            "signal": self._signal,
            "sensor_read": lambda f, _now: Answer(fields={"sensors": self.workshop.sensors(_number(f, "mask"))}),
            "actuate": self._actuate,
            "self_test": self._self_test,
            "read_raw": self._read_raw,
            "log_info": self._log_info,
            "log_read": self._log_read,
            "fw_begin": lambda f, _now: Answer(self._update.begin(_number(f, "size"), _octets(f, "sha256"), _octets(f, "signature"))),
            "fw_block": lambda f, _now: Answer(self._update.take_block(_number(f, "offset"), _octets(f, "content"))),
            "fw_commit": self._fw_commit,
            "fw_abort": lambda _f, _now: Answer(self._update.abort()),
        }

    def status(self, now: float) -> Mapping[str, FieldValue]:
        machine = self.machine
        return {
            "state": DeviceState.UPDATE if self._update.is_open else machine.state(),
            "error": next(iter(machine.errors), DeviceError.NONE),
            "gate": machine.gate.state,
            "lid_open": machine.lid_open,
            "drawn": machine.position(),
            "remaining": machine.remaining(),
            "shoe_id": machine.shoe.shoe_id if machine.shoe is not None else NO_SHOE,
        }

    def command(self, received: CommandReceived, now: float) -> Answer | None:
        """Answer one command; acts go on by themselves afterwards."""
        name, fields = received.name, received.fields
        self.machine.advance(now)
        if received.needs_idle and self.machine.shoe is not None:
            return Answer(Status.NOT_IDLE)
        if received.needs_diagnostic and not self.machine.in_diagnosis:
            return Answer(Status.WRONG_STATE)
        if self._update.is_open and name in _NOT_DURING_UPDATE:
            return Answer(Status.WRONG_STATE)
        if (order := self._orders.get(name)) is not None:
            return Answer(order(fields, received.tid, now))
        if (answer := self._answers.get(name)) is not None:
            return answer(fields, now)
        return Answer(Status.NOT_SUPPORTED)

    def link_lost(self, cause: LossCause, now: float) -> None:
        """Finish the card in motion, lock the gate, end a diagnosis; acts and the journal go on (SDP/1 1.8)."""
        self.machine.in_diagnosis = False
        if self.workshop.locks_when_lost:
            self.machine.fail_safe(now)
        self.note(f"link lost: {cause.value}", now)

    def note(self, happening: str, now_s: float) -> None:
        """Write a line into the device's log."""
        self.log.write((self.unix_offset_ms or 0) + self._uptime_ms(now_s), happening)

    def _uptime_ms(self, now_s: float) -> int:
        return max(0, round((now_s - self.started_s) * 1000))

    def _gate(self, fields: Mapping[str, FieldValue], tid: int, now_s: float) -> Status:
        if _word(fields, "order") == "lock":
            return self.orders.lock(tid, now_s)
        cards = fields.get("cards")
        return self.orders.unlock(cards if isinstance(cards, int) else None, tid, now_s)

    def _dispense(self, fields: Mapping[str, FieldValue], tid: int, now_s: float) -> Status:
        status = self.orders.dispense(_number(fields, "count"), _number(fields, "destination"), tid, now_s)
        self.script.feed_waiting_act(now_s)
        return status

    def _burn(self, fields: Mapping[str, FieldValue], tid: int, now_s: float) -> Status:
        count = _number(fields, "count")
        return self.orders.burn(count, tid, now_s, by_value=count == BURN_BY_VALUE)

    def _clear_error(self, fields: Mapping[str, FieldValue], _tid: int, now_s: float) -> Status:
        error = self._error_codes.get(_number(fields, "error"))
        return Status.OUT_OF_RANGE if error is None else self.orders.clear_error(error, now_s)

    def _time_set(self, fields: Mapping[str, FieldValue], now_s: float) -> Answer:
        uptime_ms = self._uptime_ms(now_s)
        self.unix_offset_ms = _number(fields, "unix_ms") - uptime_ms
        return Answer(fields={"uptime_ms": uptime_ms & 0xFFFFFFFF})

    def _config_get(self, fields: Mapping[str, FieldValue], _now_s: float) -> Answer:
        key = _number(fields, "key")
        value = self.workshop.config_get(key)
        return Answer(Status.OUT_OF_RANGE) if value is None else Answer(fields={"key": key, "value": value})

    def _config_set(self, fields: Mapping[str, FieldValue], now_s: float) -> Answer:
        key, value = _number(fields, "key"), _octets(fields, "value")
        status = self.workshop.config_set(key, value)
        self.note(f"setting {key}: {status.value}", now_s)
        return Answer(status, {"key": key, "value": value}) if status is Status.OK else Answer(status)

    def _reboot(self, _fields: Mapping[str, FieldValue], _now_s: float) -> Answer:
        self.restart_is_due = StartReason.POWER_ON
        return Answer()

    def _key_set(self, fields: Mapping[str, FieldValue], now_s: float) -> Answer:
        role, secret = _number(fields, "role"), fields.get("new_key")
        if not self.workshop.key_load_mode:
            return Answer(Status.DENIED)
        if role not in (1, 2, 3):
            return Answer(Status.OUT_OF_RANGE)
        content = secret.reveal("loading a key") if isinstance(secret, Hidden) else _octets(fields, "new_key")
        key = DeviceKey(content)
        if key.is_default:
            return Answer(Status.KEY_ERROR)
        self._firmware.load_key(role, key)
        self.note(f"key of role {role} loaded", now_s)
        return Answer(fields={"key_id": role})

    def _attest(self, fields: Mapping[str, FieldValue], _now_s: float) -> Answer:
        image, keys = self._firmware.image, self._firmware.session_keys()
        if image is None or keys is None:
            return Answer(Status.NOT_SUPPORTED)
        offset, length = _number(fields, "offset"), _number(fields, "length")
        if length < ATTESTED_BYTES_MIN or offset + length > len(image) or _number(fields, "region"):
            return Answer(Status.OUT_OF_RANGE)
        digest = keys.attestation(_octets(fields, "salt"), offset, image[offset : offset + length])
        return Answer(fields={"digest": digest, "used_ms": length // 1024})

    def _counters(self, _fields: Mapping[str, FieldValue], _now_s: float) -> Answer:
        counters = self.machine.counters
        named = {
            "cards": counters.cards,
            "jams": counters.jams,
            "misreads": counters.misreads,
            "shuffles": counters.shuffles,
            "lid-openings": counters.lid_openings,
            "power-ups": counters.power_ups,
        }
        return Answer(fields={"counters": tuple({"id": name, "value": value} for name, value in named.items())})

    def _signal(self, fields: Mapping[str, FieldValue], _now_s: float) -> Answer:
        self.workshop.lamps[_number(fields, "lamp")] = _number(fields, "pattern")
        return Answer()

    def _actuate(self, fields: Mapping[str, FieldValue], _now_s: float) -> Answer:
        status, current = self.workshop.drive(_number(fields, "actuator"), _number(fields, "duration_ms"))
        return Answer(status, {"current": current}) if status is Status.OK else Answer(status)

    def _self_test(self, fields: Mapping[str, FieldValue], _now_s: float) -> Answer:
        steps = self.workshop.self_test(_number(fields, "test"))
        return Answer(Status.OUT_OF_RANGE) if steps is None else Answer(fields={"steps": steps})

    def _read_raw(self, fields: Mapping[str, FieldValue], _now_s: float) -> Answer:
        raw = self.workshop.read_raw(_number(fields, "position"))
        return Answer(Status.EMPTY) if raw is None else Answer(fields=raw)

    def _fw_commit(self, _fields: Mapping[str, FieldValue], now_s: float) -> Answer:
        status = self._update.commit()
        self.note(f"update: {status.value}, version {self._update.version}", now_s)
        if status is Status.OK:
            self.restart_is_due = StartReason.FIRMWARE_UPDATE
        return Answer(status)

    def _log_info(self, _fields: Mapping[str, FieldValue], _now_s: float) -> Answer:
        first, last = self.log.span()
        return Answer(fields={"size": len(self.log.content()), "first_unix_ms": first, "last_unix_ms": last})

    def _log_read(self, fields: Mapping[str, FieldValue], _now_s: float) -> Answer:
        piece = self.log.read(_number(fields, "offset"), _number(fields, "length"))
        return Answer(Status.OUT_OF_RANGE) if piece is None else Answer(fields=piece)


def _number(fields: Mapping[str, FieldValue], name: str) -> int:
    value = fields[name]
    if not isinstance(value, int):
        raise TypeError(f"{name} is {type(value).__name__}, not a number: the profile has changed")
    return value


def _octets(fields: Mapping[str, FieldValue], name: str) -> bytes:
    value = fields[name]
    if not isinstance(value, bytes):
        raise TypeError(f"{name} is {type(value).__name__}, not bytes: the profile has changed")
    return value


def _word(fields: Mapping[str, FieldValue], name: str) -> str:
    value = fields[name]
    return str(value.value) if isinstance(value, Enum) else str(value)
