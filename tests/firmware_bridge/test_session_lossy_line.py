"""Over a line that drops, doubles, spoils and delays: every event exactly once, in order, always back in step."""

from __future__ import annotations

import contextlib

import pytest

from firmware_bridge.cards import unseal
from firmware_bridge.commands import Burn, Lock, Unlock
from firmware_bridge.errors import NotReadyError
from firmware_bridge.events import CardRead
from firmware_bridge.seal import DeviceKey
from firmware_bridge.session.outputs import CommandAnswered, CommandFailed, EventArrived, HostState

KEY = DeviceKey(bytes(range(16)))
CODES = [suit << 4 | rank for suit in range(1, 5) for rank in range(1, 14)]


def play(pair, seconds, events):
    """Connect, let cards come and commands go at random moments, then let the line be good and everything settle."""
    pair.power_on()
    pair.take(pair.host.connection_made(pair.now))
    sent, asked = [], []
    for number in range(events):
        pair.run(pair.rng.expovariate(events / seconds))
        code = pair.rng.choice(CODES)
        pair.record(card=code, position=number)
        sent.append(code)
        if pair.host.state is HostState.RUNNING and pair.rng.random() < 0.3:
            command = pair.rng.choice([Lock(), Unlock(3), Burn(1)])
            with contextlib.suppress(NotReadyError):  # eight commands wait already, which has its own test
                asked.append(pair.request(command))
    for way in (pair.to_device, pair.to_host):
        way.faults.drop = way.faults.double = way.faults.flip = way.faults.cut = 0
        way.faults.insert = way.faults.delay = way.faults.split = 0
    pair.run(40.0)
    return sent, asked


def check(pair, sent, asked):
    arrived = [output.event for output in pair.outputs if isinstance(output, EventArrived)]
    assert [event.eseq for event in arrived] == list(range(1, len(sent) + pair.boots + 1)), f"seed {pair.seed}"
    cards = [unseal(event.card, "test compares cards").code for event in arrived if isinstance(event, CardRead)]
    assert cards == sent, f"seed {pair.seed}"
    assert pair.journal.acked == len(arrived), f"seed {pair.seed}"
    assert pair.host.state is HostState.RUNNING, f"seed {pair.seed}"
    settled = [output.tid for output in pair.outputs if isinstance(output, CommandAnswered | CommandFailed)]
    assert sorted(settled) == sorted(asked), f"seed {pair.seed}"
    tids = [received.tid for received in pair.mechanism.received]
    assert len(tids) == len(set(tids)), f"seed {pair.seed}: a command was carried out twice"


@pytest.mark.requirement("SDP/1 1.4", "SDP/1 1.7", "EQ-96")
@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
@pytest.mark.parametrize("seed", range(12))
def test_every_event_arrives_once_and_in_order_over_a_bad_line(make_pair, make_faults, key, seed):
    faults = make_faults(drop=0.06, double=0.05, flip=0.05, cut=0.04, insert=0.04, delay=0.1, split=0.2)
    pair = make_pair(key=key, seed=seed, faults=faults)
    check(pair, *play(pair, seconds=12, events=80))


@pytest.mark.requirement("SDP/1 1.4", "SDP/1 1.7")
@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
@pytest.mark.parametrize("seed", range(4))
def test_a_line_so_bad_that_the_link_falls_comes_back_in_step(make_pair, make_faults, key, seed):
    faults = make_faults(drop=0.35, double=0.1, flip=0.2, cut=0.1, insert=0.1, delay=0.3, split=0.3)
    pair = make_pair(key=key, seed=100 + seed, faults=faults)
    sent, asked = play(pair, seconds=60, events=80)
    assert pair.host.counters.resets > 1, "the line was meant to be worse than the link can bear"
    check(pair, sent, asked)


@pytest.mark.slow
@pytest.mark.requirement("SDP/1 1.4", "SDP/1 1.7")
@pytest.mark.parametrize("key", [None, KEY], ids=["open", "sealed"])
def test_two_thousand_rounds_over_bad_lines(make_pair, make_faults, key):
    for seed in range(1000):
        faults = make_faults(drop=0.06, double=0.05, flip=0.05, cut=0.04, insert=0.04, delay=0.1, split=0.2)
        if seed % 3 == 0:
            faults.drop, faults.flip = 0.3, 0.2
        pair = make_pair(key=key, seed=1000 + seed, faults=faults)
        check(pair, *play(pair, seconds=10, events=40))
