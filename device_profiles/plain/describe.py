"""A plain device's profile in words: what an operator, a technician and a vendor read, made from the very values that are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from device_profiles.plain.connecting import states_of
from device_profiles.plain.frames import (
    Cobs,
    Delimited,
    Fixed,
    Grammar,
    Integrity,
    LengthPrefixed,
    Line,
    Reports,
    Stuffed,
    SumKind,
    Tokens,
)
from device_profiles.plain.messages import Plain, PlainField, PlainMessage, RingEntry
from device_profiles.plain.profile import LineSettings, PlainProfile, UsbMatch
from device_profiles.schema import About

KINDS: Final = {
    Delimited: "from a start to an end",
    LengthPrefixed: "with its length",
    Fixed: "of a fixed size",
    Line: "lines of text",
    Stuffed: "with stuffed bytes",
    Cobs: "with COBS",
    Tokens: "tokens in a stream",
    Reports: "reports of the transport",
}


def summary_lines(profile: PlainProfile) -> Iterator[str]:
    """What it is, how well it is known, what it can and cannot do."""
    about = profile.about
    yield f"{about.title} ({about.vendor}), revision {about.revision}, {about.trust.value}"
    yield f"Known from: {about.source}."
    yield f"Found on: {', '.join(line_words(profile))}{'; only listened to' if profile.line.read_only else ''}."
    yield f"It can tell: {', '.join(profile.can) or 'nothing beyond what follows'}."
    yield from (f"Not noticed or not possible: {text}" for text in profile.cannot)
    yield from about_lines(about)


def about_lines(about: About) -> Iterator[str]:
    """What is to be said of every profile: whether it should still be used, for which firmware, and what is in doubt."""
    if about.deprecated:
        yield f"Deprecated: {about.deprecated}" + (f" Use {about.replaced_by} instead." if about.replaced_by else "")
    if about.firmware is not None:
        yield f"For firmware {about.firmware.words()}."
    yield from (f"Doubt: {text}" for text in about.doubts)


def firmware_problem(about: About, version: str | None) -> str | None:
    """Return what is wrong with a device's firmware, as its profile has it; None when nothing is, or the device does not tell."""
    if about.firmware is None or version is None or about.firmware.holds(version):
        return None
    return f"Its firmware is {version}, and its profile was made for firmware {about.firmware.words()}."


def line_words(profile: PlainProfile) -> list[str]:
    """The lines it is found on."""
    words = []
    for kind in profile.line.kinds:
        match kind.value:
            case "serial":
                words.append(serial_words(profile.line.serial) if profile.line.serial is not None else "serial")
            case "usb-hid" | "usb-bulk":
                words.append(f"{kind.value} {usb_words(profile.line.usb) if profile.line.usb is not None else ''}".strip())
            case _:
                words.append("tcp://HOST:PORT")
    return words


def serial_words(line: LineSettings) -> str:
    """As a technician writes it: 9600 8N1."""
    return f"serial {line.baud} {line.data_bits}{line.parity.value}{line.stop_bits}{' RS-485' if line.rs485 else ''}"


def usb_words(usb: UsbMatch) -> str:
    """Vendor and product as tools show them."""
    page = f", usage page {usb.usage_page:#04x}" if usb.usage_page is not None else ""
    return f"{usb.vendor:04x}:{usb.product:04x}{page}"


def page_lines(profile: PlainProfile) -> Iterator[str]:
    """The protocol as a page in Markdown: frames with their pictures, messages with their fields, names of values, vectors."""
    yield from (f"# {profile.about.title}", "")
    yield from (f"- {line}" for line in summary_lines(profile))
    yield from ("", "## Frames")
    for grammar in profile.framing.grammars:
        yield from (
            "",
            f"### `{grammar.name}` ({KINDS[type(grammar)]}, {grammar.way.value})",
            "",
            "```text",
            *frame_picture(grammar),
            "```",
        )
        if grammar.integrity is not None:
            yield from ("", f"Checksum: {integrity_words(grammar.integrity)}.")
    yield from ("", "## Messages", "", "| message | way | frame | fields | means |", "|---|---|---|---|---|")
    for message in profile.messages:
        yield _message_row(message)
    if (turns := profile.turns) is not None:
        many = f"Up to {turns.window} may" if turns.window > 1 else "One may"
        yield from (
            "",
            "## Questions",
            "",
            f"Questions are numbered in `{turns.field}`, {turns.first} to {turns.last}. {many} be under way.",
        )
    yield from _connection_lines(profile)
    for name, table in profile.names.items():
        yield from ("", f"## Names `{name}`", "", "| value | name |", "|---|---|")
        yield from (f"| {', '.join(map(str, values))} | {word} |" for word, values in table.values.items())
    yield from ("", "## Vectors", "", "| bytes | what they say |", "|---|---|")
    for vector in profile.vectors:
        size = f", {vector.size} bytes with zeros between" if vector.size is not None else ""
        yield f"| `{vector.wire}{f' ... {vector.tail}' if vector.tail else ''}`{size} | {vector.id} |"


def _connection_lines(profile: PlainProfile) -> Iterator[str]:
    messages = {message.name: message for message in profile.messages}
    states = states_of(profile.connect, messages)
    if not states:
        return
    yield from ("", "## Connection", "")
    yield f"It begins in `{states[0].name}` and has failed after {profile.connect.steps_max} states at most."
    yield from ("", "| state | says | hears, then | in time | otherwise |", "|---|---|---|---|---|")
    for state in states:
        answer = messages[state.say].answer if state.say is not None else None
        within_s, tries = (state.within_s, 1) if answer is None else (answer.within_s, answer.tries)
        time = "at once" if within_s is None else f"{within_s:g} s" + (f", {tries} times" if tries > 1 else "")
        branches = (f"{b.message}{f' {condition_words(b.where)}' if b.where else ''}: {b.next}" for b in state.on)
        yield f"| {state.name} | {state.say or '-'} | {'; '.join(branches) or '-'} | {time} | {state.otherwise} |"


def frame_picture(grammar: Grammar) -> list[str]:
    """One line of boxes for the parts of a frame."""
    match grammar:
        case Delimited(start=start, end=end, trailer=trailer):
            parts = [start, "data", end, *(["checksum" if grammar.integrity else f"{trailer} bytes"] if trailer else [])]
        case LengthPrefixed():
            width = f"{'LE' if grammar.little else 'BE'}{8 * grammar.width}" if grammar.width > 1 else "8 bits"
            before = [f"{grammar.at} bytes"] if grammar.at else []
            parts = [*before, f"length {width} (+{grammar.adds})", "data", *(["checksum"] if grammar.integrity else [])]
            if grammar.start:
                parts = [
                    grammar.start,
                    *([f"to offset {grammar.at}"] if grammar.at > len(grammar.start.split()) else []),
                    *parts[len(before) :],
                ]
        case Fixed(size=size, start=start):
            parts = [*([start] if start else []), f"{size} bytes in all", *(["checksum"] if grammar.integrity else [])]
        case Line(end=end, start=start):
            parts = [
                *([start] if start else []),
                "text",
                *(["checksum"] if grammar.integrity else []),
                end if end.startswith("0D") else f"[0D] {end}",
            ]
        case Stuffed(end=end, escape=escape):
            edge_byte = f"{end:02X}"
            parts = [edge_byte, f"data, {edge_byte} and {escape:02X} after {escape:02X}", edge_byte]
            parts = parts if grammar.integrity is None else [*parts[:-1], "checksum", edge_byte]
        case Cobs():
            parts = ["00", "COBS of data", *(["and checksum"] if grammar.integrity else []), "00"]
        case Tokens():
            parts = ["a token anywhere in the stream"]
        case Reports(id=number, size=size):
            parts = [*([f"{number:02X}"] if number is not None else []), "data", f"{size} bytes in all" if size else "as delivered"]
    boxes = [f" {part} " for part in parts]
    edge = "+" + "+".join("-" * len(box) for box in boxes) + "+"
    return [edge, "|" + "|".join(boxes) + "|", edge]


def integrity_words(rule: Integrity) -> str:
    """Which sum it is, what it covers and where it stands."""
    kind = {SumKind.SUM: "sum of bytes", SumKind.SUM_ZERO: "byte that makes the sum 0", SumKind.XOR: "XOR", SumKind.CRC: "CRC"}[rule.kind]
    name = f" {rule.crc}" if isinstance(rule.crc, str) else ""
    end = f"to {rule.covers[1]}" if len(rule.covers) == 2 else "as many bytes as the frame says" if rule.counted else "to the end"
    return f"{kind}{name} over bytes {rule.covers[0]} {end}, at {', '.join(map(str, rule.places))}, {rule.spelling.value}"


def _message_row(message: PlainMessage) -> str:
    fields = ", ".join(field_words(field) for field in message.fields) or "-"
    rings = "; ".join(_entry_words(entry) for entry in message.ring.entries) if message.ring is not None else ""
    means = message.means.event if message.means is not None else (f"carries {message.carries}" if message.carries else "-")
    pattern = f" `{message.pattern}`" if message.pattern else ""
    cells = (f"`{message.name}`", message.way.value, f"{message.grammar}{pattern}", fields + (f"; ring of {rings}" if rings else ""), means)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _entry_words(entry: RingEntry) -> str:
    return f"{entry.name} ({', '.join(field_words(field) for field in entry.fields)})"


def field_words(field: PlainField) -> str:
    """A field by its name, place and shape."""
    if field.path is not None:
        place = f" at {field.path}"
    elif field.at is not None:
        place = f" at {field.at}" + (f" to {field.to}" if field.to is not None else f", {field.size} bytes" if field.size > 1 else "")
    elif field.after is not None:
        place = f" after {field.after}" + (f" to {field.to}" if field.to is not None else f", {field.size} bytes" if field.size > 1 else "")
    else:
        place = ""
    bits = f" bits {field.bits[0]}-{field.bits[1]}" if field.bits is not None else ""
    shape = f" {field.shape.value}" if field.shape.value != "uint" else ""
    when = f" {condition_words(field.when)}" if field.when else ""
    return f"{field.name}{place}{bits}{shape}{when}{' (secret)' if field.secret else ''}"


def condition_words(when: Mapping[str, Plain | tuple[Plain, ...]]) -> str:
    """The condition of a field, as a reader of a page or an error wants it."""
    parts = [f"{name} is {' or '.join(map(str, wanted if isinstance(wanted, tuple) else (wanted,)))}" for name, wanted in when.items()]
    return f"when {' and '.join(parts)}"
