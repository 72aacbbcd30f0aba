"""`shoed device testdeal`: a deck of known order dealt again and again, and what its reader made of it."""

from __future__ import annotations

import asyncio
import hashlib
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Final

import click
import msgspec

from controller.cli.device_options import Place, diagnosable, reaching, run_on, wants_diagnosis
from controller.cli.numbers import FiniteRange
from controller.cli.output import EXIT_GOOD, EXIT_NOT_IN_ORDER, format_table, json_option, write_json, write_line
from controller.integrity.bounds import tries_for
from controller.technician.bench import Bench
from controller.technician.deal_tally import DealReport, Group
from controller.technician.deck_file import read_deck
from controller.technician.diagnosis import AFTERWARDS, Diagnosis, diagnosing
from controller.technician.errors import TechnicianError
from controller.technician.known_deck import KnownDeck
from controller.technician.reach import Reach
from controller.technician.recording import Recorder, open_capture, opened
from firmware_bridge.cards import Card
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.transport.base import TransportError

FAREWELL_S: Final = 5.0
"""So long before diagnostic mode is over the test ends: the gate is locked and the shoe closed within it."""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What is dealt, when it ends, what must be shown, and how it is told."""

    deck: tuple[Card, ...]
    deck_sha256: str
    capture: Path | None
    most_bytes: int
    deals: int | None
    seconds: float | None
    confidence: float
    rate: float | None
    as_json: bool


@click.command("testdeal")
@reaching
@diagnosable
@click.option(
    "--deck",
    "deck_file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The cards in the order in which they leave, such as `9h Td As`; `#` begins a comment.",
)
@click.option("--capture", type=click.Path(path_type=Path, dir_okay=False), help="Write everything to this new file too; SDP/1 wants it.")
@click.option("--most-mb", default=100, show_default=True, type=click.IntRange(1, 10_000), help="End when the capture has this size.")
@click.option("--deals", type=click.IntRange(1, 1_000_000), help="End after so many deals; without it, with Ctrl-C.")
@click.option("--seconds", type=FiniteRange(0.1, 86_400), help="End after so long.")
@click.option("--confidence", default=95.0, show_default=True, type=FiniteRange(50, 99.9999), help="Of the bounds, in per cent.")
@click.option("--rate", type=FiniteRange(1e-9, 0.5), help="Not in order unless wrong reads are shown to be rarer, such as 0.0001.")
@json_option
def testdeal_command(  # noqa: PLR0913, PLR0917  # one parameter for each option
    place: Place,
    diagnosis: Diagnosis | None,
    deck_file: Path,
    capture: Path | None,
    most_mb: int,
    deals: int | None,
    seconds: float | None,
    confidence: float,
    rate: float | None,
    as_json: bool,
) -> int:
    """Deal a deck of known order again and again, and tell what the reader made of it.

    Lay the deck in, draw its cards at the speed of the table, put them back in the same order (a cut does not matter, and tells a weak card
    from a weak place), and go on until the bound is good enough. Wants diagnostic mode.
    """
    if diagnosis is None:
        raise wants_diagnosis("testdeal names the cards of a test deck, which is done in diagnostic mode only")
    cards = read_deck(deck_file)
    trial = Trial(
        deck=cards,
        deck_sha256=hashlib.sha256(" ".join(card.name for card in cards).encode()).hexdigest(),
        capture=capture,
        most_bytes=most_mb << 20,
        deals=deals,
        seconds=seconds,
        confidence=confidence / 100,
        rate=rate,
        as_json=as_json,
    )
    report, broken = run_on(place, lambda reach: _deal(reach, diagnosis, trial), diagnosis)
    return _tell(report, trial, broken)


async def _deal(reach: Reach, diagnosis: Diagnosis, trial: Trial) -> tuple[DealReport, str]:
    """Deal until it is over; return what was found, and what broke meanwhile."""
    bench = Bench(msgspec.structs.replace(reach, takes_events=True))
    if trial.capture is None and not isinstance(bench.codec, PlainCodec):
        raise TechnicianError(
            "wants-capture",
            "Asking for events acknowledges them, and nothing stores them here.",
            "Add --capture FILE: they are acknowledged when they are in it.",
        )
    began_s = time.monotonic()
    async with AsyncExitStack() as stack:
        recorder = None
        if trial.capture is not None:
            recorder = Recorder(bench, open_capture(trial.capture), trial.most_bytes, wall_s=time.time(), clock_s=bench.clock())
            recorder.keep_events()
            stack.callback(recorder.close)
        await opened(stack.enter_async_context(bench), recorder, trial.capture)
        if recorder is not None:
            stack.callback(recorder.close)  # before the port is closed: the last events are acknowledged
        work = await stack.enter_async_context(diagnosing(bench, diagnosis, in_device=False))
        work.note("test-deck", cards=len(trial.deck), sha256=trial.deck_sha256)
        known = KnownDeck(bench, trial.deck, lambda words: _say(words, as_json=trial.as_json), trial.deals)
        _say(f"Lay in the deck of {len(trial.deck)} cards and draw them one by one; Ctrl-C ends it.", as_json=trial.as_json)
        left_s = diagnosis.grant.minutes * 60 - FAREWELL_S - (time.monotonic() - began_s)
        async with known.on_the_bench():
            broken = await _until_over(bench, known, recorder, trial, max(1.0, left_s))
        report = known.tally.report(trial.confidence)
        work.note("test-deck-dealt", **{name: getattr(report, name) for name in ("deals", "cards", "wrong", "unread", "missed", "extra")})
    return report, broken


async def _until_over(bench: Bench, known: KnownDeck, recorder: Recorder | None, trial: Trial, left_s: float) -> str:
    """Listen until somebody ends it, a limit is reached, the capture is full, or the port breaks, which is told."""
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def end() -> None:
        if not over.done():
            over.set_result(None)

    async def end_with_the_last_deal() -> None:
        await known.enough.wait()
        end()

    counting = asyncio.create_task(end_with_the_last_deal())
    if recorder is not None:
        recorder.full.add_done_callback(lambda _: end())
    try:
        with _interrupted(end):
            await bench.listen(min(left_s, trial.seconds or left_s), over)
    except TransportError as error:
        return f"{error.what} What was dealt until then is told."
    finally:
        counting.cancel()
    return ""


@contextmanager
def _interrupted(end: Callable[[], None]) -> Iterator[None]:
    """Take Ctrl-C as the wish to see the report."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _say(words: str, *, as_json: bool) -> None:
    if as_json:
        write_json({"note": words})
    else:
        write_line(words)


def _tell(report: DealReport, trial: Trial, broken: str) -> int:
    """Write the report; return the exit code."""
    shown = trial.rate is None or report.wrong_rate_at_most <= trial.rate
    good = bool(report.cards) and not report.weak and not report.set_aside and shown and not broken
    if trial.as_json:
        write_json({"report": report, "deck_sha256": trial.deck_sha256, "broken": broken or None, "good": good})
        return EXIT_GOOD if good else EXIT_NOT_IN_ORDER
    _tell_tables(report)
    for sentence in ([f"Not in order: {broken}"] if broken else []) + _sentences(report, trial):
        write_line(sentence)
    write_line(AFTERWARDS)
    return EXIT_GOOD if good else EXIT_NOT_IN_ORDER


def _tell_tables(report: DealReport) -> None:
    rows = [
        [name.replace("_", " "), str(getattr(report, name))]
        for name in ("deals", "cards", "right", "wrong", "unread", "missed", "extra", "set_aside")
    ]
    for line in format_table(["dealt", "count"], rows):
        write_line(line)
    for kind, groups in (("card", report.by_card), ("place", report.by_place), ("speed", report.by_speed)):
        listed = [group for group in groups if kind == "speed" or group.failed or group.missed]
        if listed:
            write_line("")
            for line in format_table([kind, "cards", "wrong", "unread", "missed", "told as"], [_row(g, report, kind) for g in listed]):
                write_line(line)
    write_line("")


def _row(group: Group, report: DealReport, kind: str) -> list[str]:
    told = [f"{c.told} x{c.times}" for c in report.confusions if c.card == group.name] if kind == "card" else []
    return [group.name, str(group.cards), str(group.wrong), str(group.unread), str(group.missed), ", ".join(told)]


def _sentences(report: DealReport, trial: Trial) -> list[str]:
    if not report.cards:
        return [*_set_aside(report), "No card of the deck came: nothing is known of the reader."]
    sure = f"at {trial.confidence * 100:g} %"
    told = _set_aside(report)
    told += [f"Not in order: the {weak.kind} {weak.name} is weak: {weak.sentence}." for weak in report.weak]
    if {weak.kind for weak in report.weak} >= {"card", "place"}:
        told.append("In one order a card always lies at the same place: cut the deck, and it shows which of both is weak.")
    told.append(f"Wrong reads: {report.wrong} of {report.cards}; the true rate is {_rate(report.wrong_rate_at_most)} {sure}.")
    failed = report.wrong + report.unread
    told.append(f"Wrong or unread: {failed} of {report.cards}; the true rate is {_rate(report.failed_rate_at_most)} {sure}.")
    if trial.rate is not None and report.wrong_rate_at_most > trial.rate:
        needed = tries_for(trial.rate, trial.confidence)
        told.append(f"Not in order: that is not yet {_rate(trial.rate)}, which takes {needed:,} cards without a wrong one.")
    return told


def _set_aside(report: DealReport) -> list[str]:
    if not report.set_aside:
        return []
    deals = "1 deal was" if report.set_aside == 1 else f"{report.set_aside} deals were"
    return [f"Not in order: {deals} not this deck in this order: lay it in as its file says, first card first."]


def _rate(rate: float) -> str:
    return f"at most 1 in {1 / rate:,.0f}" if rate < 0.1 else f"at most {rate * 100:.1f} %"
