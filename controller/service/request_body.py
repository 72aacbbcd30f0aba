"""The body of a request: whole, of bounded length, JSON, and each key of it once.

Readers of JSON differ in what they make of a key that stands twice: most take the last and drop the first without a word. A wager that is
dropped so is lost, and a `by` that stands twice is two persons, so such a body is refused.
"""

from __future__ import annotations

import json
from typing import Final

import msgspec
from starlette.requests import ClientDisconnect, Request

from controller.service.errors import RequestError
from controller.service.strict import shown

BODY_LIMIT_BYTES: Final = 65_536
"""The longest act names every card of an eight-deck rescan: 2 kB."""


async def read_body(request: Request) -> object:
    """Return what the body of a request says.

    Raises:
        RequestError: it is too long, cut off, no JSON, or has a key twice.
    """
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > BODY_LIMIT_BYTES:
                raise RequestError("body-too-big", f"The request is longer than {BODY_LIMIT_BYTES} bytes.", "Send one act.", "", 413)
    except ClientDisconnect as error:
        what = "The client went away before its request was whole, and nothing was done."
        raise RequestError("body-cut-off", what, "Send the whole request again.") from error
    return parse_body(bytes(body))


def parse_body(body: bytes) -> object:
    """Return what a body says; see `read_body`."""
    try:
        said: object = msgspec.json.decode(body)
        # Numbers are left alone: they were read above, and of long ones Python makes none.
        json.loads(body, object_pairs_hook=_verify_keys, parse_int=str, parse_float=str)
    except (msgspec.DecodeError, RecursionError) as error:
        raise RequestError("not-json", "The request's body is no JSON.", "Send one act as a JSON object.") from error
    return said


def _verify_keys(pairs: list[tuple[str, object]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            name = shown(key)
            raise RequestError(
                "key-twice", f"The key `{name}` stands twice in one object, and nothing was done.", "Write each key once.", name
            )
        seen.add(key)
