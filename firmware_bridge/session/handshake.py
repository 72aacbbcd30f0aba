"""The host's connect sequence after RST: who are you, what can you do, prove it, where do you stand, what did I miss.

    identify, capabilities                          the device's word on the open link
    session_open, session_auth                      only with a registered key: mutual proof, then everything is sealed
    identify, capabilities                          asked again inside the session (SDP/1 1.9)
    status, event_resume                            then events flow

Whether a session is opened is decided by the host's own register, never by what the device says. A device whose serial
number or proof does not fit is refused, not tried again. This file sends nothing: it says what to ask next and judges
each answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, NamedTuple, cast

import msgspec

from device_profiles.values import FieldValue
from firmware_bridge.codec import Codec
from firmware_bridge.errors import MisuseError
from firmware_bridge.events import Status
from firmware_bridge.link.frames import BUS_ADDRESS_MAX, POINT_TO_POINT
from firmware_bridge.link.line import Line
from firmware_bridge.reports import Capability, DeviceIdentity, StatusReport
from firmware_bridge.seal import NONCE_SIZE, DeviceKey, Sealer, SessionKeys, Side, proofs_match
from firmware_bridge.session.limits import ROLE_OPERATOR
from firmware_bridge.session.outputs import RefusalKind
from firmware_bridge.session.stream import Refusal


class HostSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the host knows of a device before it speaks to it."""

    line: Line
    expected_serial: str | None = None
    """From the register; None takes any device, which only a tool without a table may do."""
    device_key: DeviceKey | None = None
    """The operator's key of this device; with it every connection is sealed."""
    first_wanted: int = 1
    """The last durable event number + 1."""
    last_boot_count: int | None = None
    first_tid: int = 1
    address: int = POINT_TO_POINT
    """Of the device on a bus, 1 to 7E; 0 where it is alone on its line."""
    role: int = ROLE_OPERATOR
    """Whose key `device_key` is, by SDP/1 1.6; the daemon holds the operator's only."""
    takes_events: bool = True
    """False for a tool that stores nothing: asking for events acknowledges those before, which only their owner may do."""

    def __post_init__(self) -> None:
        if self.device_key is not None and self.expected_serial is None:
            raise MisuseError("a device key belongs to a serial number: give both")
        if self.device_key is not None and self.device_key.is_default:
            raise MisuseError("the default key opens no session")
        if not POINT_TO_POINT <= self.address <= BUS_ADDRESS_MAX:
            raise MisuseError(f"an address on a bus is a number from 1 to {BUS_ADDRESS_MAX}")
        if self.first_wanted < 1:
            raise MisuseError("event numbers start at 1")


class Step(Enum):
    """The steps; each is a command of the profile."""

    IDENTIFY = "identify"
    CAPABILITIES = "capabilities"
    SESSION_OPEN = "session_open"
    SESSION_AUTH = "session_auth"
    STATUS = "status"
    EVENT_RESUME = "event_resume"


_OPEN: Final = (Step.IDENTIFY, Step.CAPABILITIES)
_PROVE: Final = (Step.SESSION_OPEN, Step.SESSION_AUTH)
_LOOK: Final = (Step.STATUS,)
_CATCH_UP: Final = (*_LOOK, Step.EVENT_RESUME)
_KEY_STATUSES: Final = frozenset({Status.DENIED, Status.INTEGRITY, Status.KEY_ERROR, Status.NOT_SUPPORTED})


class Setback(NamedTuple):
    """The step was not answered as it should be: the link is given up and begun again."""

    detail: str


class Handshake:
    """One run through the steps; `begin` starts another."""

    def __init__(self, codec: Codec, settings: HostSettings, entropy: Callable[[int], bytes]) -> None:
        self._codec = codec
        self._settings = settings
        self._entropy = entropy
        self._steps: list[Step] = []
        self._host_nonce = self._device_nonce = b""
        self._keys: SessionKeys | None = None
        self.identity: DeviceIdentity | None = None
        self.capabilities: tuple[Capability, ...] = ()
        self.status: StatusReport | None = None
        self.oldest = self.newest = 0

    @property
    def keys(self) -> SessionKeys | None:
        """The keys of the present session."""
        return self._keys

    def begin(self, *, renewal: bool = False) -> None:
        """Start over; a `renewal` keeps the link and only makes a new session."""
        catch_up = _CATCH_UP if self._settings.takes_events else _LOOK
        self._steps = [*_OPEN, *catch_up]
        if self._settings.device_key is not None:
            self._steps = [*(() if renewal else _OPEN), *_PROVE, *_OPEN, *catch_up]
        if not renewal:
            self._keys = None

    @property
    def step(self) -> Step | None:
        """The step under way, None when all are done."""
        return self._steps[0] if self._steps else None

    def fields(self, first_wanted: int) -> dict[str, FieldValue]:
        """Return the fields of the command of the present step."""
        match self.step:
            case Step.SESSION_OPEN:
                self._host_nonce = self._entropy(NONCE_SIZE)
                return {"role": self._settings.role, "host_nonce": self._host_nonce}
            case Step.SESSION_AUTH:
                assert self._keys is not None
                proof = self._keys.host_proof(self._settings.role, self._host_nonce, self._device_nonce, self._serial)
                return {"host_proof": proof}
            case Step.EVENT_RESUME:
                return {"first_wanted": first_wanted}
            case _:
                return {}

    def take(self, status: Status, fields: Mapping[str, FieldValue]) -> Refusal | Setback | None:
        """Judge the final response of the present step; None means that the next step follows."""
        step = self._steps[0]
        if status is not Status.OK:
            return self._judge_refusal(step, status)
        refusal: Refusal | None = None
        match step:
            case Step.IDENTIFY:
                self.identity = self._codec.identity_of(fields)
                refusal = self._judge_serial(self.identity)
            case Step.CAPABILITIES:
                self.capabilities = self._codec.capabilities_of(fields)
            case Step.SESSION_OPEN:
                refusal = self._judge_proof(fields)
            case Step.STATUS:
                self.status = self._codec.status_of(fields)
                self.oldest, self.newest = self.status.oldest_eseq, self.status.last_eseq
            case Step.EVENT_RESUME:
                self.oldest, self.newest = cast("int", fields["oldest"]), cast("int", fields["newest"])
            case Step.SESSION_AUTH:
                pass  # both sides seal from the next frame on: `sealer`
        if refusal is None:
            self._steps.pop(0)
        return refusal

    def sealer(self) -> Sealer:
        """Return the seal of the session that was just agreed."""
        assert self._keys is not None
        return self._keys.sealer(Side.HOST)

    @property
    def _serial(self) -> str:
        assert self._settings.expected_serial is not None
        return self._settings.expected_serial

    def _judge_serial(self, identity: DeviceIdentity) -> Refusal | None:
        expected = self._settings.expected_serial
        if expected is None or identity.serial == expected:
            return None
        return Refusal(RefusalKind.IDENTITY, expected, identity.serial or "no serial number")

    def _judge_proof(self, fields: Mapping[str, FieldValue]) -> Refusal | None:
        key = self._settings.device_key
        assert key is not None
        self._device_nonce = cast("bytes", fields["device_nonce"])
        keys = key.derive(self._host_nonce, self._device_nonce)
        wanted = keys.device_proof(self._settings.role, self._host_nonce, self._device_nonce, self._serial)
        if not proofs_match(cast("bytes", fields["device_proof"]), wanted):
            return Refusal(RefusalKind.KEY, "the proof of the registered key", "another proof")
        self._keys = keys
        return None

    def _judge_refusal(self, step: Step, status: Status) -> Refusal | Setback:
        if step in _PROVE and status in _KEY_STATUSES:
            return Refusal(RefusalKind.KEY, "a session with the registered key", f"status {status.value}")
        if step is Step.EVENT_RESUME and status is Status.OUT_OF_RANGE:
            return Refusal(RefusalKind.HISTORY, "every event stored so far", "fewer events than that")
        return Setback(f"{step.value} was answered with status {status.value}")
