"""From a profile to the way its USB devices are used."""

from __future__ import annotations

from device_profiles.plain.frames import Fixed, Reports, Way
from device_profiles.plain.profile import PlainProfile, TransportKind
from firmware_bridge.transport.usb_settings import UsbForm, UsbSettings


def usb_settings(profile: PlainProfile) -> UsbSettings:
    """Return how an interface of such a device is used; of a profile without USB, the settings of any stream."""
    told = profile.line.usb
    if told is None:
        return UsbSettings()
    return UsbSettings(
        form=usb_form(profile),
        interface_class=told.interface_class,
        usage_page=told.usage_page,
        endpoint_in=told.endpoint_in,
        endpoint_out=told.endpoint_out,
        transfer_bytes=max(_report_sizes(profile, Way.IN) + _block_sizes(profile), default=0),
        report_sizes=reports_of(profile, Way.OUT),
    )


def usb_form(profile: PlainProfile) -> UsbForm:
    """Return what the transfers of such a device carry. A HID device whose frames are lines is a keyboard that types them."""
    if TransportKind.USB_HID not in profile.line.kinds:
        return UsbForm.STREAM
    return UsbForm.REPORTS if any(isinstance(grammar, Reports) for grammar in profile.framing.grammars) else UsbForm.KEYBOARD


def reports_of(profile: PlainProfile, way: Way) -> dict[int, int]:
    """Return the numbers of the reports that go one way, with their whole sizes."""
    return {g.id: g.size for g in _reports(profile, way) if g.id is not None and g.size is not None}


def _reports(profile: PlainProfile, way: Way) -> list[Reports]:
    return [g for g in profile.framing.grammars if isinstance(g, Reports) and g.way in (way, Way.BOTH)]


def _report_sizes(profile: PlainProfile, way: Way) -> list[int]:
    return [g.size if g.size is not None else g.max for g in _reports(profile, way)]


def _block_sizes(profile: PlainProfile) -> list[int]:
    """The size of the device's blocks, where it has no other frames: then each transfer is one."""
    grammars = [g for g in profile.framing.grammars if g.way in (Way.IN, Way.BOTH)]
    return [g.size for g in grammars if isinstance(g, Fixed)] if all(isinstance(g, Fixed) for g in grammars) else []
