"""A firmware update of a simulated device over the wire: signed, whole, never older; it starts anew with the new version."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from firmware_bridge.commands import OpenShoe, Request
from firmware_bridge.events import Started, StartReason, Status
from firmware_bridge.session.outputs import CommandAnswered
from hil.mechanism.options import Timing
from hil.simulated.device import SimulatedDevice
from hil.simulated.firmware import FirmwareStore, make_image, sign_image
from hil.simulated.host_bench import HostBench
from hil.simulated.settings import SimulatedSettings

MAKER = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = MAKER.public_key().public_bytes_raw()
BLOCK = 192


def begin_fields(image: bytes, key: Ed25519PrivateKey = MAKER) -> dict[str, object]:
    return {"size": len(image), "sha256": sha256(image).digest(), "signature": sign_image(image, key)}


def on_bench(work: Callable[[SimulatedDevice, HostBench, Callable[..., Awaitable[Status]]], Awaitable[None]]) -> None:
    async def scene() -> None:
        settings = SimulatedSettings(timing=Timing.instant(), technician_switch=True, firmware="1.4.2", maker=PUBLIC)
        async with SimulatedDevice(settings) as device:
            host = HostBench(device.url)
            host.start()
            await host.running()

            async def ask(name: str, **fields: object) -> Status:
                answer = await host.device.command(Request(name, fields))
                assert isinstance(answer, CommandAnswered), answer
                return answer.status

            try:
                await work(device, host, ask)
            finally:
                await host.stop()

    asyncio.run(scene())


@pytest.mark.requirement("SDP/1 1.6")
def test_a_signed_update_is_taken_and_the_device_starts_with_it() -> None:
    image = make_image("1.5.0", bytes(range(256)) * 2)

    async def update(device: SimulatedDevice, host: HostBench, ask: Callable[..., Awaitable[Status]]) -> None:
        assert await ask("fw_begin", **begin_fields(image)) is Status.OK
        assert await ask("fw_begin", **begin_fields(image)) is Status.WRONG_STATE
        assert await host.device.command(OpenShoe(bytes(range(16)), 1)) == await wrong_state(host)
        for offset in range(0, len(image), BLOCK):
            assert await ask("fw_commit") is Status.WRONG_STATE
            assert await ask("fw_block", offset=offset, content=image[offset : offset + BLOCK]) is Status.OK
            assert await ask("fw_block", offset=offset, content=image[offset : offset + BLOCK]) is Status.OK, "it may come again"
        assert await ask("fw_commit") is Status.OK
        await host.until(lambda: [event for event in host.stored if isinstance(event, Started)][-1].reason is StartReason.FIRMWARE_UPDATE)
        await host.until(lambda: host.device.identity is not None and host.device.identity.firmware == "1.5.0")
        assert device.store.version == "1.5.0"

    on_bench(update)


async def wrong_state(host: HostBench) -> CommandAnswered:
    answer = await host.device.command(OpenShoe(bytes(range(16)), 1))
    assert isinstance(answer, CommandAnswered)
    assert answer.status is Status.WRONG_STATE
    return CommandAnswered(answer.epoch, answer.tid - 1, answer.name, answer.status, answer.fields)


def store_with(image: bytes, *, digest: bytes | None = None) -> FirmwareStore:
    store = FirmwareStore("1.4.2", PUBLIC)
    wanted = digest or sha256(image).digest()
    assert store.begin(len(image), wanted, MAKER.sign(wanted)) is Status.OK
    for offset in range(0, len(image), BLOCK):
        assert store.take_block(offset, image[offset : offset + BLOCK]) is Status.OK
    return store


def test_what_is_wrong_with_an_update_is_found() -> None:
    image = make_image("1.5.0", bytes(300))
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    digest = sha256(image).digest()
    store = FirmwareStore("1.4.2", PUBLIC)
    assert store.begin(len(image), digest, sign_image(image, other)) is Status.INTEGRITY
    assert store.begin(5, digest, MAKER.sign(digest)) is Status.OUT_OF_RANGE
    assert store.take_block(0, b"x") is Status.WRONG_STATE
    assert store.abort() is Status.WRONG_STATE
    assert store_with(make_image("1.4.1", bytes(300))).commit() is Status.DENIED, "never an older version"
    assert store_with(make_image("1.4.2", bytes(300))).commit() is Status.OK
    assert store_with(image, digest=bytes(32)).commit() is Status.INTEGRITY
    assert store_with(bytes(300)).commit() is Status.INTEGRITY
    begun = store_with(image)
    assert begun.take_block(0, b"y") is Status.INTEGRITY, "a block comes again with other content"
    assert begun.take_block(len(image) + 1, b"y") is Status.OUT_OF_RANGE
    assert begun.abort() is Status.OK
    assert begun.version == "1.4.2"
