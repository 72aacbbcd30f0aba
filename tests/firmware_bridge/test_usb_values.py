"""USB without a bus: addresses, the list of allowed devices, what a keyboard types, descriptors, reports."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device_profiles.plain.loader import load_plain
from firmware_bridge.transport.base import BadAddressError
from firmware_bridge.transport.keyboard import KeyboardText, reports_typing
from firmware_bridge.transport.usb_address import UsbAddress, parse_usb_address
from firmware_bridge.transport.usb_descriptors import parse_configuration, parse_device, usage_pages
from firmware_bridge.transport.usb_profile import usb_settings
from firmware_bridge.transport.usb_rules import UsbAllow, UsbInterface, UsbSeen, objection_to
from firmware_bridge.transport.usb_settings import UsbForm, cut_reports
from hil.simulated.usb_end import report_descriptor

ADDRESSES = (
    ("usb://1209:5d01", UsbAddress(vendor=0x1209, product=0x5D01)),
    ("usb://1209:5D01/SN-1?interface=2", UsbAddress(vendor=0x1209, product=0x5D01, serial="SN-1", interface=2)),
    ("usb://0c2e:0901?path=1-1.4", UsbAddress(vendor=0x0C2E, product=0x0901, path="1-1.4")),
    ("usbip://10.0.0.5/1209:5d01/A%2FB", UsbAddress(vendor=0x1209, product=0x5D01, serial="A/B", server=("10.0.0.5", 3240))),
    ("usbip://[::1]:7000/1209:5d01", UsbAddress(vendor=0x1209, product=0x5D01, server=("::1", 7000))),
)


@pytest.mark.parametrize(("text", "address"), ADDRESSES)
def test_an_address_names_a_device_and_is_written_the_same_way(text: str, address: UsbAddress) -> None:
    assert parse_usb_address(text) == address
    assert parse_usb_address(address.url) == address


@pytest.mark.parametrize(
    "text",
    [
        "usb://", "usb://1", "usb://12:5d01", "usb://1209:5d0g", "usb://1209:5d01/", "usb://1209:5d01/a/b", "usb://1209:5d01?interface=256",
        "usb://1209:5d01?interface=-1", "usb://1209:5d01?path=../..", "usb://1209:5d01?speed=9", "usb://1209:5d01/%00", "usbip:///1209:5d01",
        "usbip://host:0/1209:5d01", "usbip://host:99999/1209:5d01", "usbip://host", f"usb://1209:5d01/{'x' * 127}",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(BadAddressError) as refusal:
        parse_usb_address(text)
    assert "usb://" in refusal.value.do


def seen(*classes: int, serial: str | None = "SN-1") -> UsbSeen:
    interfaces = tuple(UsbInterface(number=number, class_code=code) for number, code in enumerate(classes))
    return UsbSeen(
        vendor=0x1209, product=0x5D01, serial=serial, name="Shoe", path="1-1", address_now="1-2",
        is_root_hub=False, port="usb://1209:5d01", node=None,
        permitted=True, interfaces=interfaces,
    )  # fmt: skip


SHOE = UsbAllow(vendor=0x1209, product=0x5D01, serial="SN-1", classes=(3,))
ANY_SHOE = UsbAllow(vendor=0x1209, product=0x5D01, classes=(3, 255))


@pytest.mark.requirement("EQ-53")
@pytest.mark.parametrize(
    ("device", "allowed", "words"),
    [
        (seen(3), [SHOE], None),
        (seen(3, 3), [SHOE], None),
        (seen(3, serial="SN-2"), [SHOE, ANY_SHOE], None),
        (seen(3), [], "is not on the list"),
        (seen(3), [UsbAllow(vendor=0x1209, product=0x5D02, classes=(3,))], "is not on the list"),
        (seen(3, serial="SN-2"), [SHOE], "serial number SN-2"),
        (seen(3, serial=None), [SHOE], "serial number (none)"),
        (seen(3, 0xE0), [SHOE, ANY_SHOE], "class 224 (wireless)"),
        (seen(3, 8, 2), [SHOE], "class 2 (communications), class 8 (storage)"),
        (seen(), [ANY_SHOE], "does not tell its interfaces"),
    ],
)
def test_a_device_is_allowed_by_vendor_product_serial_number_and_every_class(device: UsbSeen, allowed: list[UsbAllow], words: str) -> None:
    objection = objection_to(device, allowed)
    if words is None:
        assert objection is None
    else:
        assert objection is not None
        assert words in objection


@pytest.mark.parametrize("text", [b"1010\n", b"4130\n4130\n", b"0123456789\n", b"AbC-x\n", b"\t .,/\n"])
def test_a_keyboard_types_what_was_typed(text: bytes) -> None:
    keyboard = KeyboardText()
    assert b"".join(keyboard.feed(report) for report in reports_typing(text)) == text


def test_keys_that_overlap_are_typed_once_each_and_in_order() -> None:
    keyboard = KeyboardText()
    reports = [b"\0\0\x1e\0\0\0\0\0", b"\0\0\x1e\x27\0\0\0\0", b"\0\0\x27\0\0\0\0\0", b"\0\0\x27\x1e\0\0\0\0", bytes(8)]
    assert b"".join(keyboard.feed(report) for report in reports) == b"101"


def test_a_key_without_a_letter_is_no_shorter_code_and_too_many_keys_type_nothing() -> None:
    keyboard = KeyboardText()
    assert keyboard.feed(b"\0\0\x1e\x90\x1f\0\0\0") == b"1?2"
    assert keyboard.feed(b"\0\0\1\1\1\1\1\1") == b""
    assert keyboard.feed(b"\0\0\x1e") == b""
    assert keyboard.feed(b"\0\0\x1e\x90\x1f\0\0\0") == b""  # they are still down


@given(st.lists(st.binary(max_size=12), max_size=20))
def test_no_report_makes_a_keyboard_fail(reports: list[bytes]) -> None:
    keyboard = KeyboardText()
    for report in reports:
        assert len(keyboard.feed(report)) <= 6


def test_reports_that_were_sent_together_are_cut_by_their_numbers() -> None:
    sizes = {2: 4, 4: 16}
    first, second = b"\x02\x07\0\0", b"\x04" + bytes(15)
    assert cut_reports(first + second + first, sizes) == [first, second, first]
    assert cut_reports(b"\x09\1\2\3", sizes) == [b"\x09\1\2\3"]
    assert cut_reports(b"", sizes) == []


def test_a_profile_says_how_its_interface_is_used() -> None:
    hid, bulk, wedge = (usb_settings(load_plain(name)) for name in ("hid-shoe", "bulk-shoe", "barcode-wedge"))
    assert (hid.form, hid.usage_page, hid.transfer_bytes, hid.report_sizes) == (UsbForm.REPORTS, 0x92, 32, {2: 4, 4: 16})
    assert (bulk.form, bulk.endpoint_in, bulk.transfer_bytes) == (UsbForm.STREAM, 0x82, 2048)
    assert (wedge.form, wedge.interface_class) == (UsbForm.KEYBOARD, 3)
    assert usb_settings(load_plain("bee-tek")).form is UsbForm.STREAM


CONFIGURATION = bytes.fromhex(
    "09 02 29 00 01 01 00 80 32  09 04 00 00 02 03 01 01 00  09 21 11 01 00 01 22 3F 00  07 05 81 03 08 00 0A  07 05 01 03 08 00 0A"
)


def test_a_configuration_is_read_with_its_interfaces_endpoints_and_what_stands_between() -> None:
    found = parse_configuration(CONFIGURATION)
    assert found is not None
    (setting,) = found.interfaces[0]
    assert (setting.bInterfaceClass, setting.bInterfaceSubClass, setting.extra_descriptors[:2]) == (3, 1, b"\x09\x21")
    assert [(e.bEndpointAddress, e.bmAttributes, e.wMaxPacketSize) for e in setting.endpoints] == [(0x81, 3, 8), (0x01, 3, 8)]


@given(st.binary(max_size=80))
def test_no_bytes_of_a_device_make_reading_descriptors_fail(blob: bytes) -> None:
    parse_device(blob)
    found = parse_configuration(CONFIGURATION[:9] + blob)
    assert found is not None
    assert found.bNumInterfaces == len(found.interfaces)
    assert all(setting.bNumEndpoints == len(setting.endpoints) for settings in found.interfaces for setting in settings)
    assert all(0 <= page <= 0xFFFF for page in usage_pages(blob))


def test_usage_pages_are_those_of_the_outermost_collections() -> None:
    assert usage_pages(report_descriptor(load_plain("hid-shoe"), 0x92)) == {0x92}
    keyboard = bytes.fromhex("05 01 09 06 A1 01 05 07 19 E0 29 E7 A1 02 C0 C0 06 92 FF A1 01 C0 FE 02 00 05 09")
    assert usage_pages(keyboard) == {0x01, 0xFF92}
