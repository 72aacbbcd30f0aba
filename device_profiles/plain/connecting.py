"""The connection of a plain device as a small machine: its states, and the check that each of them leads somewhere.

States and branches are data: what is said, what may be heard, which state follows, what happens when the time is over. A run is bounded by
`steps_max`, every wait by a time limit. A machine is refused if it names what is not there, leaves an answer without a branch, has a state
that nothing leads to, or one from which no way leads to the connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from device_profiles.errors import InvalidProfileError
from device_profiles.loader import nearest_of
from device_profiles.plain.frames import Way
from device_profiles.plain.messages import PlainMessage
from device_profiles.plain.profile import Branch, Connect, ConnectState, PlainProfile

CONNECTED: Final = "connected"
FAILED: Final = "failed"
ENDS: Final = (CONNECTED, FAILED)


def states_of(connect: Connect, messages: Mapping[str, PlainMessage]) -> tuple[ConnectState, ...]:
    """The states of a connection; messages in their order are states of one another."""
    if connect.states:
        return connect.states
    names = [f"{number}-{name}" for number, name in enumerate(connect.messages, 1)]
    states = []
    for name, message, following in zip(names, connect.messages, (*names[1:], CONNECTED), strict=False):
        answer = messages[message].answer
        if answer is None:
            states.append(ConnectState(name=name, say=message, otherwise=following))
            continue
        good = tuple(Branch(message=answering, next=following) for answering in answer.messages)
        states.append(ConnectState(name=name, say=message, on=good + tuple(Branch(message=no, next=FAILED) for no in answer.refusals)))
    return tuple(states)


def verify_connecting(profile: PlainProfile, file: str) -> None:
    """Check the machine.

    Raises:
        InvalidProfileError: it refers to nothing, or has no way out.
    """
    connect, states = profile.connect, profile.connect.states
    if not states:
        return
    if connect.messages:
        raise InvalidProfileError(file, "connect: it has `messages` or `states`, not both")
    names = [state.name for state in states]
    twice = next((name for name in names if names.count(name) > 1 or name in ENDS), None)
    if twice is not None:
        raise InvalidProfileError(file, f"connect: no state but one may be called '{twice}', and none {' or '.join(ENDS)}")
    messages = {message.name: message for message in profile.messages}
    for state in states:
        _verify_state(state, messages, [*names, *ENDS], file)
    _verify_ways(states, file)


def _verify_state(state: ConnectState, messages: Mapping[str, PlainMessage], targets: list[str], file: str) -> None:
    where = f"connect, state '{state.name}'"
    if state.say is not None:
        said = _known(state.say, messages, f"{where}: say", file)
        if messages[said].way is Way.IN:
            raise InvalidProfileError(file, f"{where}: '{said}' is said by the device, not by the host")
        _verify_values(state.values, messages[said], f"{where}: values", file)
    elif state.values:
        raise InvalidProfileError(file, f"{where}: nothing is said, so `values` belong to nothing")
    for branch in state.on:
        heard = messages[_known(branch.message, messages, f"{where}: on", file)]
        _verify_values(branch.where, heard, f"{where}, on '{branch.message}': where", file)
        _known(branch.next, targets, f"{where}, on '{branch.message}': next", file)
    _known(state.otherwise, targets, f"{where}: otherwise", file)
    _verify_waiting(state, messages, where, file)


def _verify_waiting(state: ConnectState, messages: Mapping[str, PlainMessage], where: str, file: str) -> None:
    answer = messages[state.say].answer if state.say is not None else None
    if answer is None:
        if bool(state.on) and state.within_s is None:
            raise InvalidProfileError(file, f"{where}: `within_s` says how long a branch is waited for")
        return
    if state.within_s is not None:
        raise InvalidProfileError(file, f"{where}: how long an answer is waited for is said where '{state.say}' has its `answer`")
    expected = (*answer.messages, *answer.refusals)
    for name in (branch.message for branch in state.on):
        _known(name, expected, f"{where}: on", file)
    covered = {branch.message for branch in state.on if not branch.where}
    left = next((name for name in expected if name not in covered), None)
    if left is not None:
        raise InvalidProfileError(file, f"{where}: '{left}' may answer '{state.say}', and no branch without `where` says what follows")


def _verify_values(values: Mapping[str, object], message: PlainMessage, where: str, file: str) -> None:
    for name in values:
        _known(name, [field.name for field in message.fields], where, file)


def _verify_ways(states: tuple[ConnectState, ...], file: str) -> None:
    following = {state.name: {state.otherwise, *(branch.next for branch in state.on)} for state in states}
    reached = _reached(following, states[0].name)
    lost = next((state.name for state in states if state.name not in reached), None)
    if lost is not None:
        raise InvalidProfileError(file, f"connect, state '{lost}': nothing leads to it")
    stuck = next((state.name for state in states if CONNECTED not in _reached(following, state.name)), None)
    if stuck is not None:
        raise InvalidProfileError(
            file, f"connect, state '{stuck}': no way leads from it to '{CONNECTED}'; send it to '{FAILED}' where it gives up"
        )


def _reached(following: Mapping[str, set[str]], first: str) -> set[str]:
    reached, waiting = {first}, [first]
    while waiting:
        new = following.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += sorted(new)
    return reached


def _known(name: str, known: Mapping[str, object] | list[str] | tuple[str, ...], where: str, file: str) -> str:
    if name in known:
        return name
    nearest = nearest_of(name, known)
    hint = f"did you mean '{nearest}'?" if nearest is not None else f"there are {', '.join(known)}"
    raise InvalidProfileError(file, f"{where}: '{name[:40]}' is not there; {hint}")
