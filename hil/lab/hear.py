"""Runs in the guest: keeps one device of a plain profile connected and tells what happens, one JSON object a line.

Arguments: address, profile. It is the bridge as the daemon uses it, without a table, so it starts quickly.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from typing import Final

from device_profiles.plain.loader import load_plain
from firmware_bridge.cards import unseal
from firmware_bridge.device import Device, DeviceOutput, line_of
from firmware_bridge.events import CardRead
from firmware_bridge.plain.codec import PlainCodec
from firmware_bridge.plain.session import PlainSession
from firmware_bridge.plain.settings import PlainSettings
from firmware_bridge.port_news import PortFailed, PortLost
from firmware_bridge.session.outputs import EventArrived
from firmware_bridge.transport.address import open_transport
from firmware_bridge.transport.settings import SerialSettings
from firmware_bridge.transport.usb_profile import usb_settings

WHY: Final = "the lab compares with the paper"


async def hear(address: str, name: str) -> None:
    """Listen until somebody ends the program."""
    profile = load_plain(name)
    usual = SerialSettings() if profile.line.serial is None else SerialSettings(baud=profile.line.serial.baud)
    transport = open_transport(address, usual, usb_settings(profile) if profile.line.usb is not None else None)

    def tell(output: DeviceOutput) -> None:
        told: dict[str, object] = {"what": type(output).__name__, "s": time.clock_gettime(time.CLOCK_MONOTONIC)}
        match output:
            case EventArrived(event=event):
                device.acknowledge(event.eseq)
                if isinstance(event, CardRead):
                    told["card"] = unseal(event.card, WHY).name
            case PortFailed(error=error) | PortLost(error=error):
                told["error"] = str(error)
            case _:
                pass
        print(json.dumps(told), flush=True)  # noqa: T201  # what this program is for

    session = PlainSession(PlainCodec(profile), PlainSettings(line=line_of(transport)))
    device = Device("heard", transport, session, tell)
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    device.start()
    await over.wait()
    await device.stop()


if __name__ == "__main__":
    asyncio.run(hear(sys.argv[1], sys.argv[2]))
