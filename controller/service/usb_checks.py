"""What a technician wants to know of the USB sockets: is everything that is plugged in on the list, and is there a list?"""

from __future__ import annotations

from collections.abc import Iterator

from controller.errors import as_sentence
from controller.service.config import Setup
from controller.service.finding import Finding, Grade
from controller.service.usb_config import allowed_devices
from controller.service.usb_ports import usb_ports
from controller.service.usb_watch import look_everywhere
from firmware_bridge.transport.base import TransportError
from firmware_bridge.transport.usb_rules import objection_to

CHECK = "usb"


def check_sockets(setup: Setup) -> Iterator[Finding]:
    """Compare what is plugged in with the list; without a list nothing is said."""
    allowed = allowed_devices(setup.config.usb)
    if not allowed:
        return
    servers = dict.fromkeys([None, *(address.server for _key, address in usb_ports(setup))])
    try:
        found = [seen for seen in look_everywhere(list(servers))() if not seen.is_root_hub]
    except TransportError as error:
        yield Finding(CHECK, Grade.WRONG, as_sentence(error.what), as_sentence(error.do))
        return
    foreign = [(seen, words) for seen in found if (words := objection_to(seen, allowed)) is not None]
    for seen, words in foreign:
        classes = sorted({interface.class_code for interface in seen.interfaces})
        do = f"Take it out; if it belongs here, write [[usb.allow]] with vendor = 0x{seen.vendor:04X}, product = 0x{seen.product:04X}"
        serial = "" if seen.serial is None else f', serial = "{seen.serial}"'
        yield Finding(CHECK, Grade.WRONG, f"The USB device {seen.id} at {seen.path} {words}.", f"{do}{serial}, classes = {classes}.")
    if not foreign:
        yield Finding(CHECK, Grade.GOOD, f"All {len(found)} USB devices that are plugged in are on the list.")
    if not setup.config.usb.watch:
        do = "Write usb.watch = true, so that a device that is plugged in later is told."
        yield Finding(CHECK, Grade.LOOK, "Nobody watches the USB sockets while the tables are in play.", do)
