"""What a conformance check of a plain device is: a name, what is done, when it passes and fails, and who has to be there for it.

How each kind is made from a profile is told in `device_profiles.plain.checks`; how it is run is not known here.
"""

from __future__ import annotations

from enum import Enum

import msgspec


class Kind(Enum):
    """What is tried. The first group is judged by what the host asks, the second by everything that is heard, the last by people."""

    CONNECT = "connect"
    IDENTITY = "identity"
    SPLIT = "split"
    CUT = "cut"
    JUNK = "junk"
    OVERSIZE = "oversize"
    SPOILED = "spoiled"
    ANSWERED = "answered"
    ANSWER_TIME = "answer-time"
    PAUSE = "pause"
    POLL = "poll"
    WINDOW = "window"
    SAME_TURN = "same-turn"
    SAME_RING = "same-ring"
    ANSWER_LOST = "answer-lost"
    NEW_TURNS = "new-turns"
    PORT_AGAIN = "port-again"
    LOCKED = "locked"

    WHOLE = "whole"
    GRAMMAR_HEARD = "grammar-heard"
    CHECKSUMS = "checksums"
    KNOWN = "known"
    HEARD = "heard"
    GAP = "gap"
    SILENCE = "silence"
    COPIES = "copies"
    VALUE_TOLD = "value-told"
    REPLY_LOST = "reply-lost"
    NUMBERS = "numbers"
    SAME_NUMBER = "same-number"
    START_TOLD = "start-told"
    NUMBERS_ANEW = "numbers-anew"

    SEEN = "seen"


class Needs(Enum):
    """Who or what a check needs beside the host."""

    HOST = "host"
    """Nobody: the host asks what changes nothing."""
    ACT = "act"
    """The device does something when it is asked, so it is asked only where that is allowed."""
    PERSON = "person"
    """Somebody makes the device say it; where it is heard anyway, it is judged."""
    INJECTOR = "injector"
    """Something on the line that cuts it at will."""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One check of a device. A check that could not be judged is neither passed nor failed."""

    name: str
    """Section, subject and what is tried, such as `framing/frame/cut`; stays the same as long as the profile's names do."""
    kind: Kind
    needs: Needs
    does: str
    passes: str
    fails: str
    limit_s: float | None = None
    """The limit that is measured against."""
    message: str | None = None
    """The message of the profile that it is about."""
    question: str | None = None
    """The message that the host says for it."""
    field: str | None = None
    value: str | int | bool | None = None
    """Of `field`: the value that has to be heard."""
    grammar: str | None = None
