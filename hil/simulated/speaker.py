"""What a plain device says, made from its profile: cards, starts, answers, with the numbers that its protocol has. Pure.

It is the other end of the same data that the host reads with: whatever the host must find out (a number, a repetition, a ring) is put in
here by the profile's own rules.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Mapping
from typing import Final

from device_profiles.errors import FieldError
from device_profiles.plain.frames import Way
from device_profiles.plain.messages import CardRule, Means, Plain, PlainMessage, RingEntry
from device_profiles.plain.profile import PlainProfile
from firmware_bridge.cards import Card
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.heard import PlainHeard

CARD_EVENT: Final = "CardRead"
NO_TAG: Final = "00000000"
"""A tag that no card map should name: what a reader tells of a card that it could not make out."""
WAITING_MAX: Final = 1_000
"""What waits for the next poll; a shoe of twelve decks has fewer cards."""


class SpeakerError(ValueError):
    """The profile does not say how a device says this."""


class Speaker:
    """The words of one device. `tags`: card name to tags, for readers of tagged cards."""

    def __init__(self, codec: PlainCodec, tags: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.profile: PlainProfile = codec.profile
        self._codec = codec
        self._simulation = codec.profile.simulation
        self._messages = {message.name: message for message in codec.profile.messages}
        self._tags = {name: deque(given) for name, given in (tags or {}).items()}
        self._number: int | None = None
        self._counted = 0
        self._ring: deque[bytes] = deque(maxlen=self._ring_places())
        self._ring_counter = 0
        self._waiting: deque[tuple[str, dict[str, Plain | bytes]]] = deque(maxlen=WAITING_MAX)
        self._told_when_polled = self._answers_of_poll()
        self._answers: OrderedDict[Plain, bytes] = OrderedDict()
        """By the number of the question, of the newest ones: as many as the host may have under way."""
        self._answered: Counter[str] = Counter()
        for message in codec.profile.messages:
            if message.answer is not None and message.way is not Way.IN:
                self._verify_answer(message)

    @property
    def is_polled(self) -> bool:
        """Whether it speaks only when it is asked: what happens waits until then."""
        return self.profile.poll is not None or bool(self._ring.maxlen)

    def start(self) -> bytes:
        """What it says after it got power; empty when it says nothing. Numbers begin anew."""
        self._number, self._counted, self._ring_counter = None, 0, 0
        self._ring.clear()
        self._waiting.clear()
        self._answers.clear()
        self._answered.clear()
        name = self._simulation.start
        return self.say(name) if name is not None else b""

    def card(self, card: Card | None, values: Mapping[str, Plain] | None = None) -> bytes:
        """What it says of a card that left; None: one that it could not read. Empty: it waits in the ring, or nothing tells of it.

        Raises:
            SpeakerError: the profile names no message for cards.
        """
        simulation = self._simulation
        if simulation.card is None:
            raise SpeakerError(f"devices of {self.profile.name} tell no cards")
        message = self._messages[simulation.card]
        if message.ring is not None:
            self._put_into_ring(message, card)
            return b""
        if card is not None:
            return self.say(message.name, {**self._naming(message.means, card), **(values or {})})
        if simulation.unreadable is not None:
            return self.say(simulation.unreadable, {**(values or {}), **simulation.unread})
        rule = message.means.card if message.means is not None else None
        return self.say(message.name, {rule.card: NO_TAG, **(values or {})}) if rule is not None and rule.card is not None else b""

    def cut_card(self) -> bytes:
        """What it says of the cutting card; empty when it does not notice it."""
        name = self._simulation.cut_card
        return self.say(name) if name is not None else b""

    def say(self, name: str, values: Mapping[str, Plain | bytes] | None = None) -> bytes:
        """The bytes of a message, numbered; empty when it waits for the next poll.

        Raises:
            FieldError: there is no such message, or a value is missing or does not fit.
        """
        message = self._messages.get(name)
        if message is None:
            return self._codec.write(name)  # says that there is none
        given = self._given(message, values)
        if name not in self._told_when_polled:
            return self._codec.write(name, given)
        self._codec.write(name, {**self._turn_of(None), **given})  # what does not fit is said now
        self._waiting.append((name, given))
        return b""

    def answer(self, asked: PlainHeard) -> bytes:
        """What it answers to a message of the host; empty when nothing is due."""
        follows = self._simulation.follows.get(asked.name)
        return self._answer(asked) + (self.say(follows) if follows is not None else b"")

    def _answer(self, asked: PlainHeard) -> bytes:
        message = self._messages[asked.name]
        if message.answer is None:
            return b""
        turn = self._turn_of(asked)
        number = next(iter(turn.values()), None)
        if number == self._restart_turn:
            self._answers.clear()
        if number is not None and number in self._answers:
            return self._answers[number]  # the same question again: its answer was lost
        answers = self._simulation.answers.get(message.name, message.answer.messages[:1])
        reply = self._messages[answers[min(self._answered[message.name], len(answers) - 1)]]
        self._answered[message.name] += 1
        name, given = reply.name, self._given(reply, self._ring_values(reply))
        if self._waiting and self._told_when_polled.issuperset(message.answer.messages):
            name, given = self._waiting.popleft()
        wire = self._codec.write(name, {**given, **turn})
        if number is not None and self.profile.turns is not None:
            self._answers[number] = wire
            while len(self._answers) > self.profile.turns.window:
                self._answers.popitem(last=False)
        return wire

    def _given(self, message: PlainMessage, values: Mapping[str, Plain | bytes] | None) -> dict[str, Plain | bytes]:
        given: dict[str, Plain | bytes] = {**self._numbering(message), **self._simulation.values.get(message.name, {}), **(values or {})}
        absent = self._codec.messages[message.name].late.absent(given) - set(values or {})
        return {name: value for name, value in given.items() if name not in absent}

    def _turn_of(self, asked: PlainHeard | None) -> dict[str, Plain]:
        """The number that an answer repeats from its question."""
        rule = self.profile.turns
        if rule is None:
            return {}
        told = asked.fields.get(rule.field) if asked is not None else None
        return {rule.field: told if isinstance(told, str | int | bool) else rule.first}

    @property
    def _restart_turn(self) -> int | None:
        return self.profile.turns.restart if self.profile.turns is not None else None

    def _ring_values(self, reply: PlainMessage) -> dict[str, Plain | bytes]:
        ring = reply.ring
        if ring is None:
            return {}
        filled = b"".join(self._ring).ljust(ring.size * ring.count, b"\0")
        field = next((f.name for f in reply.fields if f.at == ring.at), None)
        told: dict[str, Plain | bytes] = {ring.counter: self._ring_counter}
        return told | ({field: filled} if field is not None else {})

    def _naming(self, means: Means | None, card: Card) -> dict[str, Plain]:
        rule = means.card if means is not None else None
        if rule is None:
            raise SpeakerError(f"the message for cards of {self.profile.name} names none")
        return self._by_rule(rule, card)

    def _by_rule(self, rule: CardRule, card: Card) -> dict[str, Plain]:
        if rule.card is None:
            return {name: part for name, part in ((rule.rank, card.name[0]), (rule.suit, card.name[1])) if name is not None}
        if not rule.from_map:
            return {rule.card: card.name}
        tags = self._tags.get(card.name)
        if not tags:
            raise SpeakerError(f"no tag of the card map stands for {card.name}")
        tags.rotate(-1)
        return {rule.card: tags[-1]}

    def _numbering(self, message: PlainMessage) -> dict[str, Plain]:
        fields = {field.name for field in message.fields}
        rule, simulation = self.profile.numbers, self._simulation
        if rule is not None and rule.field in fields:
            if self._number is None:
                self._number = rule.restart if rule.restart is not None and message.name == simulation.start else rule.first
            else:
                self._number = rule.first if self._number in (rule.restart, rule.last) else self._number + 1
            return {rule.field: self._number}
        if simulation.counts is None or simulation.counts not in fields or not simulation.counts_as:
            return {}
        value = simulation.counts_as[self._counted % len(simulation.counts_as)]
        self._counted += 1
        return {simulation.counts: value}

    def _put_into_ring(self, message: PlainMessage, card: Card | None) -> None:
        ring = message.ring
        entry = next((e for e in ring.entries if e.means is not None and e.means.event == CARD_EVENT), None) if ring is not None else None
        if ring is None or entry is None:
            raise SpeakerError(f"the ring of {self.profile.name} has no entry for cards")
        self._ring.appendleft(self._entry(message, entry, card))
        self._ring_counter = ring.first if not ring.first <= self._ring_counter < ring.last else self._ring_counter + 1

    def _entry(self, message: PlainMessage, entry: RingEntry, card: Card | None) -> bytes:
        at_work = next(e for e in self._codec.messages[message.name].entries if e.entry is entry)
        return at_work.write(self._naming(entry.means, card) if card is not None else self._simulation.unread)

    def _ring_places(self) -> int:
        name = self._simulation.card
        ring = self._messages[name].ring if name is not None else None
        return ring.count if ring is not None else 0

    def _answers_of_poll(self) -> frozenset[str]:
        poll = self.profile.poll
        answer = self._messages[poll.message].answer if poll is not None else None
        return frozenset(name for name in answer.messages if self._messages[name].ring is None) if answer is not None else frozenset()

    def _verify_answer(self, message: PlainMessage) -> None:
        """An answer that cannot be made is found when the device is made, not when the host waits for it."""
        number, counted = self._number, self._counted
        try:
            for _ in self._simulation.answers.get(message.name, "1"):
                self.answer(PlainHeard(message.name, {}, None, None))
        except FieldError as error:
            raise SpeakerError(f"{self.profile.name}: no answer to {message.name} can be made: {error}; see simulation.values") from error
        self._number, self._counted = number, counted
        self._answers.clear()
        self._answered.clear()
