"""No bytes from a wire raise, hang or fill memory, at either side, before, in and after a connection (T-27)."""

from __future__ import annotations

import gc
import random
import sys

import pytest

from firmware_bridge.framing import encode_frame
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.outputs import HostState

KEY = DeviceKey(bytes(range(16)))
OUT_BYTES_MAX = 40_000  # what one read of 4 KiB may make a session say
OUTPUTS_MAX = 5_000


def material(pair):
    """Real traffic of both directions, to mutate."""
    pair.connect()
    for position in range(6):
        pair.record(position=position)
    pair.run(3.0)
    return [run for way in (pair.to_device, pair.to_host) for content in way.tap for run in content.split(b"\0") if run]


def mutate(rng, runs, checksum):
    """A piece of stream: random, mutated traffic, or frames with good checksums and bad content."""
    match rng.randrange(6):
        case 0:
            return rng.randbytes(rng.randint(0, 60))
        case 1:
            return bytes(rng.choice((0, 1, 2, 255)) for _ in range(rng.randint(0, 40)))
        case 2:
            run = bytearray(rng.choice(runs))
            for _ in range(rng.randint(0, 3)):
                run[rng.randrange(len(run))] = rng.randrange(256)
            return b"\0" + bytes(run) + b"\0"
        case 3:
            body = bytes((rng.choice((0, 8, 16, 32, 64, 96, 128, 160, 192, rng.randrange(256))), 0, rng.randrange(256)))
            return encode_frame(body + rng.randbytes(rng.randint(0, 60)), checksum)
        case 4:
            message = bytes((rng.randint(0, 5), rng.randrange(256), 0, rng.randrange(4))) + rng.randbytes(rng.randint(0, 30))
            return encode_frame(bytes((0, 0, rng.randrange(256))) + message, checksum)
        case _:
            return rng.choice(runs) + b"\0" * rng.randint(0, 2)


def attack(make_pair, seed, inputs, key):
    rng = random.Random(seed)
    # Another seed: with the same nonces, recorded traffic would be genuine.
    runs = material(make_pair(key=key, seed=seed + 1_000_000))
    pair = make_pair(key=key, seed=seed)
    connected = rng.random() < 0.7
    if connected:
        pair.connect()
    else:
        pair.power_on()
        pair.host.connection_made(pair.now)
    for number in range(inputs):
        piece = mutate(rng, runs, pair.codec.checksum)
        pair.now += rng.choice((0.0, 0.0, 0.001, 0.05, 0.2, 1.0))
        side = (pair.host, pair.device)[number % 2]
        told = side.receive(piece, pair.now)
        assert len(told or ()) < OUTPUTS_MAX
        pair.acknowledges = False
        for session in (pair.host, pair.device):
            deadline = session.next_deadline()
            if deadline is not None and deadline <= pair.now:
                session.tick(pair.now)
                after = session.next_deadline()
                assert after is None or after > deadline or after > pair.now, f"seed {seed}: a deadline that stays"
            assert len(session.bytes_to_send()) < OUT_BYTES_MAX
        if pair.host.state is HostState.REFUSED:
            pair.host.connection_made(pair.now)
    return pair


@pytest.mark.requirement("EQ-58", "T-27")
@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
@pytest.mark.parametrize("seed", range(6))
def test_random_and_mutated_bytes_at_both_sides(make_pair, seed, key):
    pair = attack(make_pair, seed, 1200, key)
    recover(pair, seed)


def recover(pair, seed):
    """After the attack the honest two find each other again."""
    pair.acknowledges = True
    pair.take(pair.host.connection_made(pair.now))
    pair.run(40.0)
    # On the open link a made-up event may have been taken, which then shows as a history that does not fit.
    allowed = {HostState.RUNNING} if pair.host_settings.device_key else {HostState.RUNNING, HostState.REFUSED}
    assert pair.host.state in allowed, f"seed {seed}"


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.requirement("EQ-58", "T-27")
def test_a_million_random_and_mutated_inputs(make_pair):
    early = 0
    for seed in range(500):
        recover(attack(make_pair, 10_000 + seed, 2000, KEY if seed % 2 else None), seed)
        if seed == 20:
            gc.collect()
            early = sys.getallocatedblocks()
    gc.collect()
    late = sys.getallocatedblocks()
    assert late < early + 20_000, f"memory grew from {early} to {late} blocks"
