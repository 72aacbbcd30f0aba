"""Whatever is done to a mechanism, no card is lost or doubled, and each accepted act ends exactly once."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.events import ShuffleMode, StartReason, Status
from hil.mechanism.bench import SHOE_ID, Bench
from hil.mechanism.cards import fresh_shoe
from hil.mechanism.options import (
    MechanismOptions,
    Timing,
)


def on_bench(*faults: str, timing: Timing | None = None, seed: int = 1, **options: object) -> Bench:
    settings = MechanismOptions(timing=timing or Timing.instant(), **options)  # type: ignore[arg-type]
    return Bench(settings, faults, seed)


COUNTED = ("card_read", "burn_ejected", "card_out_of_flow")
FAULTS = ("misread:0.1", "double-feed:0.1", "jam:0.05", "lid:0.05", "short-stack:0.2", "long-stack:0.2")


class RandomPlay:
    """Somebody who does anything at any time."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        timing = Timing(card_s=0.1, gate_s=0.05, shuffle_s=1.0, stub_card_s=0.01)
        self.bench = on_bench(*FAULTS, timing=timing, seed=seed)
        self.machine, self.orders = self.bench.machine, self.bench.orders
        cards = fresh_shoe(2)
        self.everything = {id(one) for one in cards}
        self.machine.load(cards, 0.0)
        self.now_s = 0.0
        self.accepted: set[int] = set()
        self.broken_by_power: set[int] = set()

    def step(self, tid: int) -> None:
        self.now_s += self.rng.random() * 0.3
        self.machine.advance(self.now_s)
        if self._order(self.rng.randrange(15), tid) is Status.OK:
            self.accepted.add(tid)

    def _order(self, choice: int, tid: int) -> Status:
        """Do one thing; return the status of an act, WRONG_STATE for what is no act."""
        orders, rng, now_s = self.orders, self.rng, self.now_s
        match choice:
            case 0:
                orders.open_shoe(SHOE_ID, 2, 0)
            case 1 | 2:
                return orders.unlock(rng.choice([None, 1, 3]), tid, now_s)
            case 3:
                return orders.lock(tid, now_s)
            case 4:
                return orders.dispense(rng.randint(1, 5), 1, tid, now_s)
            case 5:
                return orders.burn(1, tid, now_s, by_value=rng.random() < 0.5)
            case 6:
                return orders.count_stub(tid, now_s)
            case 7 if rng.random() < 0.1:
                return orders.eject_all(tid, now_s)
            case 8:
                orders.close_shoe(now_s)
            case 9:
                self._repair()
            case 10 if rng.random() < 0.3:
                self.broken_by_power |= self.accepted
                self.machine.power_off()
                self.machine.power_on(StartReason.POWER_ON, now_s)
            case 11:
                return orders.start_shuffle(2, ShuffleMode.RANDOM, tid, now_s)
            case _:
                self.machine.draw(now_s)
        return Status.WRONG_STATE

    def _repair(self) -> None:
        self.machine.remove_jam()
        self.machine.close_lid(self.now_s)
        for error in list(self.machine.errors):
            self.orders.clear_error(error, self.now_s)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.requirement("EQ-96")
def test_cards_are_conserved_and_every_act_ends_once_whatever_happens(seed: int) -> None:
    """Random orders, draws and mishaps; the seed is in the test's name."""
    player = RandomPlay(seed)
    for tid in range(1, 400):
        player.step(tid)
        lying = [*player.machine.feed.cards(), *player.machine.tray, *player.machine.stuck]
        assert len(lying) == len(player.everything), f"seed {seed}"
        assert {id(one) for one in lying} == player.everything, f"seed {seed}"
    player.machine.advance(player.now_s + 1000.0)
    done = [fields["tid"] for fields in player.bench.all_of("command_done")]
    assert len(done) == len(set(done)), f"seed {seed}: an act ended twice"
    assert player.accepted - player.broken_by_power <= set(done) <= player.accepted, f"seed {seed}"
    positions = [fields["position"] for name, fields, _ in player.bench.told if name in COUNTED]
    assert positions, f"seed {seed}: nothing was dealt"
