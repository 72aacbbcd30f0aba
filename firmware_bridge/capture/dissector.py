"""A profile as a Lua dissector: an analyser then names each frame of a capture and each of its fields.

The script is made from the profile's own values. Binary fields are shown where they stand; a message is told by the constants that it must
have. Text frames are shown as text, with the message whose beginning they have. Secret fields are not shown: an analyser's list is often
on a shared screen, and the bytes pane has them for whoever needs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from device_profiles.plain.conditions import is_late
from device_profiles.plain.frames import Grammar, Line, Reports, Tokens, Way
from device_profiles.plain.messages import Plain, PlainField, PlainMessage, Shape
from device_profiles.plain.profile import PlainProfile
from device_profiles.schema import Profile
from firmware_bridge.capture.pattern_parts import parts_of
from firmware_bridge.link.frames import SEC, FrameKind
from firmware_bridge.plain.fields import Names
from firmware_bridge.plain.framers import GrammarReader, smallest_tail

_WAYS: Final = {Way.IN: "pinfo.p2p_dir ~= 0 and ", Way.OUT: "pinfo.p2p_dir ~= 1 and ", Way.BOTH: ""}
"""An analyser counts sent packets as 0 and received ones as 1; a capture of a tapped line may know neither."""


def lua_of(profile: PlainProfile) -> str:
    """The dissector's script."""
    name = profile.name.replace("-", "_")
    lines = [
        f"-- {profile.about.title}: made from profile {profile.name}, revision {profile.about.revision}.",
        f'local p = Proto("{name}", "{_quoted(profile.about.title)}")',
        'local message_field = ProtoField.string("' + name + '.message", "Message")',
    ]
    fields = sorted({_key(f) for m in profile.messages for f in m.fields if not f.secret})
    lines += [f'local f_{key} = ProtoField.string("{name}.field.{key}", "{key}")' for key in fields]
    lines.append("p.fields = { " + ", ".join(["message_field", *(f"f_{key}" for key in fields)]) + " }")
    lines += [
        "local function number(tvb, at, size, little)",
        "  local n = 0",
        "  for i = 0, size - 1 do",
        "    local b = tvb(little and at + size - 1 - i or at + i, 1):uint()",
        "    n = n * 256 + b",
        "  end",
        "  return n",
        "end",
        "local function has(tvb, parts)",
        "  local s, at = tvb():raw(), 1",
        "  for _, words in ipairs(parts) do",
        "    local best, after",
        "    for _, word in ipairs(words) do",
        "      local b, e = s:find(word, at, true)",
        "      if b and (not best or b < best) then best, after = b, e end",
        "    end",
        "    if not best then return false end",
        "    at = after + 1",
        "  end",
        "  return true",
        "end",
        "local function named(t, v) return t[v] or tostring(v) end",
        "local names = {}",
    ]
    for table, value in profile.names.items():
        pairs = ", ".join(f"[{_lua(raw)}] = {_lua(word)}" for word, raws in value.values.items() for raw in raws)
        lines.append(f"names[{_lua(table)}] = {{ {pairs} }}")
    lines += [
        "function p.dissector(tvb, pinfo, tree)",
        f'  pinfo.cols.protocol = "{profile.name}"',
        "  local n = tvb:len()",
        "  local sub = tree:add(p, tvb())",
        "  local function message(words)",
        "    sub:add(message_field, words)",
        "    pinfo.cols.info = words",
        "  end",
    ]
    for message in profile.messages:
        lines += _branch(profile, message)
    lines += ['  message("unknown")', "  return n", "end", 'DissectorTable.get("wtap_encap"):add(wtap.USER0, p)']
    return "\n".join(lines) + "\n"


def lua_of_sdp1(profile: Profile) -> str:
    """The dissector of SDP/1 link frames (1.3): kind, and of open messages class and name; sealed ones stay sealed."""
    classes = profile.messages.classes
    commands = ", ".join(f"[{message.code}] = {_lua(name)}" for name, message in profile.commands.items())
    events = ", ".join(f"[{message.code}] = {_lua(name)}" for name, message in profile.events.items())
    kinds = ", ".join(f"[{kind.value}] = {_lua(kind.name)}" for kind in FrameKind)
    return f"""-- {profile.about.title}: made from profile {profile.name}, revision {profile.about.revision}.
local p = Proto("{profile.name}", "{_quoted(profile.about.title)}")
local message_field = ProtoField.string("{profile.name}.message", "Message")
local kind_field = ProtoField.string("{profile.name}.kind", "Frame")
local tid_field = ProtoField.uint16("{profile.name}.tid", "Transaction")
p.fields = {{ message_field, kind_field, tid_field }}
local kinds = {{ {kinds} }}
local commands = {{ {commands} }}
local events = {{ {events} }}
function p.dissector(tvb, pinfo, tree)
  pinfo.cols.protocol = "{profile.name}"
  local n, sub = tvb:len(), tree:add(p, tvb())
  if n < 3 then return 0 end
  local control = tvb(0, 1):uint()
  local kind = kinds[math.floor(control / 32)] or "unknown"
  sub:add(kind_field, tvb(0, 1), kind)
  local words = kind
  if kind == "DATA" and math.floor(control / {SEC}) % 2 == 1 then
    words = "sealed"
  elseif kind == "DATA" and n >= 7 then
    local class, code = tvb(3, 1):uint(), tvb(4, 1):uint()
    sub:add(tid_field, tvb(5, 2))
    if class == {classes.command} then words = "command " .. (commands[code] or code)
    elseif class == {classes.response} then words = "response " .. (commands[code] or code)
    elseif class == {classes.event} then words = "event " .. (events[code] or code)
    elseif class == {classes.event_ack} then words = "event acknowledgement" end
  end
  sub:add(message_field, words)
  pinfo.cols.info = words
  return n
end
DissectorTable.get("wtap_encap"):add(wtap.USER0, p)
"""


def _branch(profile: PlainProfile, message: PlainMessage) -> Iterator[str]:
    grammar = next(g for g in profile.framing.grammars if g.name == message.grammar)
    if message.json or isinstance(grammar, Line | Tokens):
        yield from _text_branch(message)
        return
    tests = ["n >= " + str(max((_end(f) for f in message.fields if f.name in message.where), default=1))]
    number = grammar.id if isinstance(grammar, Reports) else None
    start = getattr(grammar, "start", None) or (f"{number:02X}" if number is not None else "")
    for index, byte in enumerate(start.split()):
        tests.append(f"n > {index} and tvb({index}, 1):uint() == {int(byte, 16)}")
    for name, wanted in message.where.items():
        field = next(f for f in message.fields if f.name == name)
        tests.append(_has_value(profile, field, wanted))
    if not message.where and getattr(grammar, "size", None) is not None:
        tests.append(f"n == {getattr(grammar, 'size', 0)}")
    yield f"  if {_WAYS[message.way]}{' and '.join(tests)} then"
    yield f"    message({_lua(message.name)})"
    for field in message.fields:
        if not is_late(field) and _is_shown(field):
            yield f"    if n >= {_end(field)} then {_shown(field)} end"
    yield from _late_fields(profile, message, _tail(profile, grammar))
    yield "    return n"
    yield "  end"


def _late_fields(profile: PlainProfile, message: PlainMessage, tail: int) -> Iterator[str]:
    """Fields whose presence or place others decide: where each begins (`b_`) and ends (`e_`), which is the same where it is missing."""
    late = {field.name: field for field in message.fields if is_late(field)}
    known = {field.name: field for field in message.fields}
    for field in late.values():
        if field.after is None:
            begin = _at(field)
        else:
            begin = f"e_{_key(late[field.after])}" if field.after in late else str(_end(known[field.after]))
        key, size = _key(field), field.size
        end = f"b_{key} + {size}" if field.to is None else str(field.to) if field.to > 0 else f"n - {-field.to}"
        yield f"    local b_{key} = {begin}"
        yield f"    local e_{key} = b_{key}"
        tests = [f"n - {tail if field.after is not None else 0} >= {end}"]
        for name, wanted in field.when.items():
            is_there = f"e_{_key(known[name])} > b_{_key(known[name])} and " if name in late else ""
            tests.append(f"({is_there}{_has_value(profile, known[name], wanted)})")
        yield f"    if {' and '.join(tests)} then"
        yield f"      e_{key} = {end}"
        if _is_shown(field):
            yield f"      {_shown(field)}"
        yield "    end"


def _is_shown(field: PlainField) -> bool:
    return not (field.secret or field.to is not None or field.shape is Shape.BYTES)


def _shown(field: PlainField) -> str:
    words = f"named(names[{_lua(field.names)}], {_expression(field)})" if field.names else f"tostring({_expression(field)})"
    return f"sub:add(f_{_key(field)}, tvb({_at(field)}, {field.size}), {words})"


def _has_value(profile: PlainProfile, field: PlainField, wanted: Plain | tuple[Plain, ...]) -> str:
    """A test in Lua that the field has one of these values."""
    table = Names(profile.names[field.names]) if field.names is not None else None
    raw = [table.value_of(value) if table is not None else value for value in (wanted if isinstance(wanted, tuple) else (wanted,))]
    return "(" + " or ".join(f"{_expression(field)} == {_lua(value)}" for value in raw) + ")"


def _tail(profile: PlainProfile, grammar: Grammar) -> int:
    reader = GrammarReader(grammar, f"{profile.name}.toml")
    return smallest_tail(grammar, reader.prover)


def _text_branch(message: PlainMessage) -> Iterator[str]:
    if message.json:
        kind = next((str(value) for value in message.where.values() if not isinstance(value, tuple)), "")
        test = f"has(tvb, {{ {{ {_lua(chr(34) + kind + chr(34))} }} }})"
    else:
        parts = parts_of(message.pattern or "")
        constants = ", ".join("{ " + ", ".join(map(_lua, words)) + " }" for words in parts.constants)
        test = f"n >= {parts.least} and n <= {parts.most} and has(tvb, {{ {constants} }})"
    yield f"  if {_WAYS[message.way]}{test} then"
    yield f"    message({_lua(message.name)})"
    yield "    return n"
    yield "  end"


def _key(field: PlainField) -> str:
    return re.sub(r"[^a-z0-9]", "_", field.name)


def _at(field: PlainField) -> str:
    if field.after is not None:
        return f"b_{_key(field)}"
    at = field.at or 0
    return str(at) if at >= 0 else f"n - {-at}"


def _end(field: PlainField) -> int:
    at = field.at or 0
    if field.to is not None and field.to > 0:
        return field.to
    return at + field.size if at >= 0 else -at


def _expression(field: PlainField) -> str:
    """The field's value in Lua: its text, or its number with bits and mask taken."""
    at = _at(field)
    if field.shape in (Shape.TEXT, Shape.DECIMAL, Shape.HEX):
        return f"tvb({at}, {field.size}):string()"
    number = f"number(tvb, {at}, {field.size}, {'true' if field.little else 'false'})"
    if field.bits is not None:
        high, low = field.bits
        return f"(math.floor({number} / {1 << low}) % {1 << high - low + 1})"
    return number


def _lua(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return str(value)
    return f'"{_quoted(str(value))}"'


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
