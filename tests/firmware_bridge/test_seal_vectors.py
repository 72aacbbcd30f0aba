"""Keys, proofs, sealing and attestation against the protocol's own numbers, and against tampering."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import MisuseError
from firmware_bridge.seal import FRAMES_MAX, DeviceKey, Side, proofs_match

KEY = DeviceKey(bytes(range(16)))
HOST_NONCE = bytes(range(0x10, 0x20))
DEVICE_NONCE = bytes(range(0xA0, 0xB0))
SERIAL = "SN000123"
PLAIN_F15 = bytes.fromhex("0131010201")
SEALED_F15 = bytes.fromhex("00 00 00 01 DA 42 84 DA CD E6 7C B0 7F 2B E6 6E DF")
PLAIN_F16 = bytes.fromhex("03 20 00 00 00 00 00 07 00 01 E2 40 41 00 62 00 69 01 37")
SEALED_F16 = bytes.fromhex("00 00 00 01 E6 7B A8 44 89 4C 87 96 2F 2F 97 D4 9D 8E 56 00 9B 7B 9A 83 C1 B7 B1 6B EF 50 0F")


def keys():
    return KEY.derive(HOST_NONCE, DEVICE_NONCE)


@pytest.mark.requirement("SDP/1 1.10", "SDP/1 1.11")
def test_derived_keys_are_those_of_the_protocol():
    derived = keys()
    assert derived._host_to_device.hex().upper() == "4DE2F481CB716B799DBD12E7C14DDE6F"
    assert derived._device_to_host.hex().upper() == "90C0300C309B92A340715FCA75159DEF"
    assert derived._auth.hex().upper() == "9C4A105C27600A3C92D709C7921697BE"
    assert derived._attest.hex().upper() == "54F5AA5334878140126551F9355E3481"


@pytest.mark.requirement("SDP/1 1.10", "SDP/1 1.11", "T-04")
def test_proofs_are_those_of_the_protocol():
    device = keys().device_proof(1, HOST_NONCE, DEVICE_NONCE, SERIAL)
    host = keys().host_proof(1, HOST_NONCE, DEVICE_NONCE, SERIAL)
    assert device.hex().upper() == "5BC1B673BCFFBF1CFB15975FF442906B"
    assert host.hex().upper() == "218E04F735C9522563DC7DE82ACAB2FE"
    assert proofs_match(device, bytes(device))
    assert not proofs_match(device, host)
    assert keys().device_proof(2, HOST_NONCE, DEVICE_NONCE, SERIAL) != device
    assert keys().device_proof(1, HOST_NONCE, DEVICE_NONCE, "SN000124") != device


@pytest.mark.requirement("SDP/1 1.10", "SDP/1 1.11")
def test_sealed_example_bodies_both_ways():
    host, device = keys().sealer(Side.HOST), keys().sealer(Side.DEVICE)
    assert host.seal(0x08, 0, PLAIN_F15) == SEALED_F15
    assert device.seal(0x08, 0, PLAIN_F16) == SEALED_F16
    assert device.maybe_open(0x08, 0, SEALED_F15) == PLAIN_F15
    assert host.maybe_open(0x18, 0, SEALED_F16) == PLAIN_F16, "RTX is not part of what is sealed"


@pytest.mark.requirement("SDP/1 1.11", "EQ-62")
def test_attestation_is_that_of_the_protocol():
    digest = keys().attestation(HOST_NONCE, 0, b"\x5a" * 1024)
    assert digest.hex().upper() == "4832E2A21F5EFED13CB454F5334EE6018C90CF1AA7044A819AD66771C054E0FE"
    assert keys().attestation(HOST_NONCE, 0, b"\x5a" * 1023 + b"\x5b") != digest
    assert keys().attestation(HOST_NONCE, 1, b"\x5a" * 1024) != digest


@pytest.mark.requirement("SDP/1 1.10", "EQ-50", "T-05")
@given(st.integers(0, len(SEALED_F15) * 8 - 1))
def test_no_bit_of_a_sealed_body_can_be_changed(bit):
    spoiled = bytearray(SEALED_F15)
    spoiled[bit // 8] ^= 1 << bit % 8
    device = keys().sealer(Side.DEVICE)
    assert device.maybe_open(0x08, 0, bytes(spoiled)) is None
    assert device.maybe_open(0x08, 0, SEALED_F15) == PLAIN_F15, "a bad seal moves no counter"


@pytest.mark.requirement("SDP/1 1.10", "T-05")
def test_a_sealed_frame_opens_once_in_its_turn_and_only_in_its_direction():
    host, device = keys().sealer(Side.HOST), keys().sealer(Side.DEVICE)
    first, second, third = (host.seal(0x08, 0, bytes((n,))) for n in range(3))
    assert device.maybe_open(0x08, 0, second) is None
    assert device.maybe_open(0x08, 0, first) == b"\0"
    assert device.maybe_open(0x08, 0, first) is None
    assert device.maybe_open(0x08, 0, third) is None
    assert device.maybe_open(0x08, 0, second) == b"\1"
    assert keys().sealer(Side.HOST).maybe_open(0x08, 0, first) is None, "reflected back to its sender"
    assert device.maybe_open(0x08, 1, third) is None, "another address"
    assert device.maybe_open(0x08, 0, third) == b"\2"


@given(st.binary(max_size=60))
def test_no_body_raises(body):
    assert keys().sealer(Side.DEVICE).maybe_open(0x08, 0, body) is None


def test_another_session_opens_nothing():
    host = keys().sealer(Side.HOST)
    other = KEY.derive(HOST_NONCE, bytes(16)).sealer(Side.DEVICE)
    assert other.maybe_open(0x08, 0, host.seal(0x08, 0, b"lock")) is None


def test_a_used_up_session_seals_no_more():
    host = keys().sealer(Side.HOST)
    host._sealed = FRAMES_MAX
    with pytest.raises(MisuseError):
        host.seal(0x08, 0, b"lock")


@pytest.mark.requirement("SDP/1 1.10")
def test_a_reckoned_device_nonce_never_repeats():
    nonces = {KEY.device_nonce(boot, number) for boot in range(1, 20) for number in range(20)}
    assert len(nonces) == 19 * 20
    assert all(len(nonce) == 16 for nonce in nonces)


@pytest.mark.requirement("EQ-68")
def test_keys_have_no_text_form_and_cannot_be_pickled_or_hashed():
    secret = "000102030405060708090a0b0c0d0e0f"
    for text in (repr(KEY), str(KEY), repr(keys()), repr(keys().sealer(Side.HOST))):
        assert secret not in text.lower()
        assert "4de2f481" not in text.lower()
    with pytest.raises(TypeError):
        pickle.dumps(KEY)
    with pytest.raises(TypeError):
        hash(KEY)


@pytest.mark.parametrize("size", [0, 15, 17, 32])
def test_a_key_has_sixteen_bytes(size):
    with pytest.raises(MisuseError):
        DeviceKey(bytes(size))


def test_the_default_key_is_known_as_such():
    assert DeviceKey(bytes(16)).is_default
    assert not KEY.is_default
