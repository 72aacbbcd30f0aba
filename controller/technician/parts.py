"""The parts of a device: self test, sensors, motors and hard counters, as its protocol gives them.

Parts have the names of the profile's registries; other numbers are the maker's. A protocol without these commands has no such functions,
and the device's refusal says so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, cast

from controller.technician.bench import Bench
from controller.technician.diagnosis import Work
from controller.technician.errors import TechnicianError
from controller.technician.findings import Found, Problem

ALL_SENSORS: Final = 0xFFFF
MISREADS_PER_MILLE_MAX: Final = 5
"""One misread in 200 cards stops a fast table every two minutes; a clean reader misreads one in thousands."""
CARDS_MIN: Final = 200
"""Below this, one misread says nothing about a rate."""

Doing = Callable[[Work], Awaitable[Found]]
"""What is done in diagnostic mode."""
Rows = tuple[Mapping[str, object], ...]


def verify_has(bench: Bench, name: str) -> None:
    """Check that the protocol has a command.

    Raises:
        TechnicianError: it has none.
    """
    if name not in getattr(bench.codec.profile, "commands", {}):
        raise TechnicianError(
            "no-such-function",
            f"Devices of the profile {bench.codec.profile.name} have no such function as {name}.",
            "`shoed profile show NAME` lists what they have.",
        )


async def self_test(work: Work, test: int) -> Found:
    """Run a self test; 0 is all of it."""
    answer = await work.ask("self_test", test=test)
    steps = cast("Rows", answer.fields["steps"])
    rows = tuple(
        {
            "step": step["step"],
            "name": work.name_of("self_test", step["step"]),
            "result": "bad" if step["result"] else "good",
            "value": step["value"],
        }
        for step in steps
    )
    bad = [str(row["step"]) for row in rows if row["result"] == "bad"]
    problems = (Problem(f"The self test found step {', '.join(bad)} bad.", "Mend that part; the maker's manual names it."),) if bad else ()
    return Found(columns=("step", "name", "result", "value"), rows=rows, problems=problems, good=f"All {len(rows)} steps are good.")


async def read_sensors(work: Work, mask: int) -> Found:
    """Read the sensors whose bit is set."""
    answer = await work.ask("sensor_read", mask=mask)
    sensors = cast("Rows", answer.fields["sensors"])
    rows = tuple(
        {"sensor": one["id"], "name": work.name_of("sensor", one["id"]), "reading": one["reading"], "flag": one["flag"]} for one in sensors
    )
    doubted = [str(row["sensor"]) for row in rows if row["flag"]]
    problems = (Problem(f"The device doubts sensor {', '.join(doubted)}.", "Clean or change them, then read again."),) if doubted else ()
    return Found(columns=("sensor", "name", "reading", "flag"), rows=rows, problems=problems, good="No reading is doubted.")


async def actuate(work: Work, actuator: int, direction: int, duration_ms: int, *, times: int, most_ma: int | None) -> Found:
    """Drive a motor so often; a current above `most_ma` says that it moves heavily."""
    name = work.name_of("actuator", actuator)
    motor = f"{actuator} ({name})" if name else str(actuator)
    rows: list[dict[str, object]] = []
    for number in range(1, times + 1):
        answer = await work.ask("actuate", actuator=actuator, direction=direction, duration_ms=duration_ms)
        rows.append({"drive": number, "current_ma": answer.fields["current"]})
    currents = [cast("int", row["current_ma"]) for row in rows]
    problems: tuple[Problem, ...] = ()
    if most_ma is not None and max(currents) > most_ma:
        what = f"Motor {motor} drew {max(currents)} mA, more than {most_ma}: what it moves is sticky."
        problems = (Problem(what, "Clean the guide and the shaft, then drive it again."),)
    drew = f"{min(currents)} to {max(currents)}" if min(currents) < max(currents) else f"{max(currents)}"
    good = f"Motor {motor} drew {drew} mA."
    return Found(columns=("drive", "current_ma"), rows=tuple(rows), problems=problems, good=good)


async def read_counters(bench: Bench) -> Found:
    """Read the hard counters, and judge the reader by them."""
    verify_has(bench, "counters")
    answer = await bench.ask("counters")
    counters = cast("Rows", answer.fields["counters"])
    rows = tuple(
        {"counter": f"counter-{one['id_code']}" if one["id"] == "unknown" else one["id"], "value": one["value"]} for one in counters
    )
    values = {str(row["counter"]): cast("int", row["value"]) for row in rows}
    cards, misreads = values.get("cards", 0), values.get("misreads", 0)
    problems: tuple[Problem, ...] = ()
    if cards >= CARDS_MIN and misreads * 1000 > cards * MISREADS_PER_MILLE_MAX:
        what = f"The reader is weak: {misreads} of {cards} cards were not read ({misreads * 100 / cards:.1f} %)."
        problems = (Problem(what, "Clean the reader's window and lamp; if that does not help, change the reader."),)
    good = f"{misreads} of {cards} cards were not read."
    return Found(columns=("counter", "value"), rows=rows, problems=problems, good=good)
