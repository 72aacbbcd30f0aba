"""The device's side of a secured session: nonces, proofs, who may ask what (SDP/1 1.6, 1.10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, cast

from device_profiles.values import FieldValue
from firmware_bridge.codec import CommandSpec
from firmware_bridge.events import Status
from firmware_bridge.seal import NONCE_SIZE, DeviceKey, Sealer, SessionKeys, Side, proofs_match
from firmware_bridge.session.limits import (
    PROOF_FAILURES_MAX,
    PROOF_LOCK_S,
    ROLE_OPERATOR,
    SESSION_FRAMES_MAX,
    SESSION_IDLE_S,
)
from firmware_bridge.session.mechanism import Answer


class _Opening(NamedTuple):
    """SESSION_OPEN was answered; the host's proof is awaited."""

    role: int
    host_nonce: bytes
    device_nonce: bytes
    keys: SessionKeys


class SessionGuard:
    """Opens sessions and knows the role of the present one."""

    def __init__(self, keys: Mapping[int, DeviceKey], serial: str, entropy: Callable[[int], bytes], *, technician_switch: bool) -> None:
        self.device_keys = dict(keys)
        """Role to key; KEY_SET changes it."""
        self.keys: SessionKeys | None = None
        """The keys of the present session."""
        self._serial = serial
        self._entropy = entropy
        self._technician_switch = technician_switch
        self._opening: _Opening | None = None
        self._role = 0
        self._failures = 0
        self._locked_until = float("-inf")

    @property
    def is_open(self) -> bool:
        return self.keys is not None

    @property
    def needs_session(self) -> bool:
        """Security level 1 or 2: no events outside a session."""
        return bool(self.device_keys)

    def end(self) -> None:
        """The session is over."""
        self.keys = None
        self._opening = None
        self._role = 0

    def allows(self, spec: CommandSpec) -> bool:
        """Tell whether whoever asks now may ask this."""
        if spec.message.sealed and self.keys is None:
            return False
        if spec.role == 0:
            return True
        if self.needs_session:
            return self._role >= spec.role
        return spec.role <= ROLE_OPERATOR or self._technician_switch

    def open(self, fields: Mapping[str, FieldValue], now: float) -> Answer:
        """Answer SESSION_OPEN."""
        if not self.device_keys:
            return Answer(Status.NOT_SUPPORTED)
        if now < self._locked_until:
            return Answer(Status.BUSY)
        role, host_nonce = cast("int", fields["role"]), cast("bytes", fields["host_nonce"])
        key = self.device_keys.get(role)
        if key is None or key.is_default:
            return Answer(Status.KEY_ERROR)
        device_nonce = self._entropy(NONCE_SIZE)
        keys = key.derive(host_nonce, device_nonce)
        self._opening = _Opening(role, host_nonce, device_nonce, keys)
        proof = keys.device_proof(role, host_nonce, device_nonce, self._serial)
        return Answer(fields={"device_nonce": device_nonce, "device_proof": proof})

    def authenticate(self, fields: Mapping[str, FieldValue], now: float) -> tuple[Answer, Sealer | None]:
        """Answer SESSION_AUTH; with a good proof the seal to use from the next frame on."""
        if now < self._locked_until:
            return Answer(Status.BUSY), None
        opening, self._opening = self._opening, None
        if opening is None:
            return Answer(Status.WRONG_STATE), None
        wanted = opening.keys.host_proof(opening.role, opening.host_nonce, opening.device_nonce, self._serial)
        if not proofs_match(cast("bytes", fields["host_proof"]), wanted):
            self._failures += 1
            return Answer(Status.KEY_ERROR), None
        self._failures = 0
        self._role, self.keys = opening.role, opening.keys
        limits = {"idle_s": SESSION_IDLE_S, "frames_max": SESSION_FRAMES_MAX}
        return Answer(fields=limits), opening.keys.sealer(Side.DEVICE)

    def lock_if_attacked(self, now: float) -> bool:
        """After three failed proofs refuse for 10 s; True: this is the moment to say TAMPER."""
        if self._failures < PROOF_FAILURES_MAX:
            return False
        self._failures = 0
        self._locked_until = now + PROOF_LOCK_S
        return True
