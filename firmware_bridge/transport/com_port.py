"""The client's end of telnet with the COM port control option (RFC 2217): a serial line at the far end of a TCP connection.

Pure: bytes of the connection in, the device's bytes and what is to be answered out. The far server is asked for the line's settings and
must confirm each; what came before that is thrown away, as a serial port does when it is opened. Options that would change bytes under
way (echo, text mode, flow control by characters) are refused, and a server that insists on them is refused itself.

It answers changes only, never repetitions, so two ends cannot keep each other busy. Whatever the server sends costs bounded memory.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from firmware_bridge.transport.settings import Parity, SerialSettings

IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240
"""Telnet's command bytes (RFC 854)."""

BINARY, SUPPRESS_GO_AHEAD, COM_PORT = 0, 3, 44
"""Options that both ends must keep: bytes as they are (RFC 856), full duplex (RFC 858), the serial line (RFC 2217)."""

SET_BAUD, SET_DATA_BITS, SET_PARITY, SET_STOP_BITS, SET_CONTROL = 1, 2, 3, 4, 5
SUSPEND, RESUME, SET_LINE_MASK, SET_MODEM_MASK, PURGE = 8, 9, 10, 11, 12
FROM_SERVER = 100
"""The server's answers and notices have the client's numbers and a hundred more."""

NO_FLOW_CONTROL, DTR_ON, DTR_OFF, RTS_ON, RTS_OFF = 1, 8, 9, 11, 12
FLOW_CONTROLS: Final = {
    1: "none",
    2: "XON/XOFF",
    3: "hardware",
    14: "none",
    15: "XON/XOFF",
    16: "hardware",
    17: "DCD",
    18: "DTR",
    19: "DSR",
}
PURGE_BOTH = 3
PARITIES: Final = {Parity.NONE: 1, Parity.ODD: 2, Parity.EVEN: 3, Parity.MARK: 4, Parity.SPACE: 5}

SUBNEGOTIATION_MAX: Final = 64
"""The longest that means something here has five bytes; a signature in plain text is cut."""

_DOUBLE_IAC = bytes((IAC, IAC))
_IAC = bytes((IAC,))
_WE_OFFER: Final = (BINARY, SUPPRESS_GO_AHEAD, COM_PORT)
_WE_WANT: Final = (BINARY, SUPPRESS_GO_AHEAD)
_PARITY_WORDS: Final = {1: "no parity", 2: "odd parity", 3: "even parity", 4: "mark parity", 5: "space parity"}


class _Place(Enum):
    """Where in the stream the parser stands."""

    PLAIN = "plain"
    COMMAND = "command"
    OPTION = "option"
    SUB = "sub"
    SUB_COMMAND = "sub-command"


class ComPortLine:
    """One connection's far line. `begin` first; then every chunk through `receive`, and what `bytes_to_send` returns to the server."""

    def __init__(self, wanted: SerialSettings) -> None:
        self.wanted = wanted
        self.agreed = False
        """The server has confirmed every setting: bytes are the device's from here on."""
        self.refusal: str | None = None
        """Why the line cannot be used, as the second half of a sentence about the server."""
        self.suspended = False
        """The server has no room: nothing may be sent until it says so."""
        self._due = bytearray()
        self._place = _Place.PLAIN
        self._verb = 0
        self._sub = bytearray()
        self._asked_will: set[int] = set()
        self._asked_do: set[int] = set()
        self._is_asked = False
        self._we_do: set[int] = set()
        self._they_do: set[int] = set()
        self._wanted_values: Final = {
            SET_BAUD: wanted.baud,
            SET_DATA_BITS: wanted.data_bits,
            SET_PARITY: PARITIES[wanted.parity],
            SET_STOP_BITS: wanted.stop_bits,
            SET_CONTROL: NO_FLOW_CONTROL,
        }
        self._unconfirmed = set(self._wanted_values)

    @property
    def waits_for(self) -> str:
        """What the server has not said yet, in words."""
        return "the settings of its line" if self._is_asked else "RFC 2217"

    def begin(self) -> None:
        """Ask for what is needed: a new connection stands here."""
        for option in _WE_OFFER:
            self._asked_will.add(option)
            self._say(WILL, option)
        for option in _WE_WANT:
            self._asked_do.add(option)
            self._say(DO, option)

    def bytes_to_send(self) -> bytes:
        """Return what is due to the server; it is due no more."""
        due = bytes(self._due)
        self._due.clear()
        return due

    @staticmethod
    def escape(content: bytes) -> bytes:
        """Return the device's bytes as they go over the connection."""
        return content.replace(_IAC, _DOUBLE_IAC) if IAC in content else content

    def receive(self, chunk: bytes) -> bytes:
        """Take bytes of the connection, return those of the device among them."""
        if self._place is _Place.PLAIN and IAC not in chunk:
            return chunk if self.agreed else b""
        plain = bytearray()
        for byte in chunk:
            if self._place is _Place.PLAIN and byte != IAC:
                if self.agreed:
                    plain.append(byte)
            else:
                self._step(byte, plain)
        return bytes(plain)

    def _step(self, byte: int, plain: bytearray) -> None:
        match self._place:
            case _Place.PLAIN:
                self._place = _Place.COMMAND
            case _Place.COMMAND:
                self._take_command(byte, plain)
            case _Place.OPTION:
                self._place = _Place.PLAIN
                self._take_option(self._verb, byte)
            case _Place.SUB:
                if byte == IAC:
                    self._place = _Place.SUB_COMMAND
                else:
                    self._keep_sub(byte)
            case _Place.SUB_COMMAND:
                if byte == IAC:
                    self._place = _Place.SUB
                    self._keep_sub(byte)
                else:  # SE; anything else ends it too, as a damaged end
                    self._place = _Place.PLAIN
                    self._take_sub()

    def _take_command(self, byte: int, plain: bytearray) -> None:
        self._place = _Place.PLAIN
        if byte == IAC:
            if self.agreed:
                plain.append(IAC)
        elif byte in (DO, DONT, WILL, WONT):
            self._place, self._verb = _Place.OPTION, byte
        elif byte == SB:
            self._place = _Place.SUB
            self._sub.clear()

    def _keep_sub(self, byte: int) -> None:
        if len(self._sub) < SUBNEGOTIATION_MAX:
            self._sub.append(byte)

    def _take_option(self, verb: int, option: int) -> None:
        if verb == DO:
            self._take_do(option)
        elif verb == WILL:
            self._take_will(option)
        else:
            self._take_no(verb, option)

    def _take_do(self, option: int) -> None:
        if option not in _WE_OFFER:
            self._say(WONT, option)
        elif option not in self._we_do:
            self._we_do.add(option)
            if option not in self._asked_will:
                self._say(WILL, option)
            if option == COM_PORT:
                self._ask_settings()

    def _take_will(self, option: int) -> None:
        if option not in _WE_OFFER:
            self._say(DONT, option)
        elif option not in self._they_do:
            self._they_do.add(option)
            if option not in self._asked_do:
                self._say(DO, option)
            if option == COM_PORT:  # some servers agree in these words instead
                self._ask_settings()

    def _take_no(self, verb: int, option: int) -> None:
        if option == COM_PORT and verb == DONT:
            self._refuse("does not offer RFC 2217 on this port")
        elif option == BINARY:
            self._refuse("does not carry bytes unchanged (it refuses telnet's binary mode)")
        ours = self._we_do if verb == DONT else self._they_do
        if option in ours:
            ours.discard(option)
            self._say(WONT if verb == DONT else DONT, option)

    def _ask_settings(self) -> None:
        """The old bytes go first, so that all that comes after the last confirmation was sampled as it must be."""
        if self._is_asked:
            return
        self._is_asked = True
        self._set(SET_LINE_MASK, b"\0")  # notices of the line's state would only take bandwidth: frames tell what was damaged
        self._set(SET_MODEM_MASK, b"\0")
        self._set(SET_CONTROL, bytes((DTR_ON if self.wanted.dtr else DTR_OFF,)))
        self._set(SET_CONTROL, bytes((RTS_ON if self.wanted.rts else RTS_OFF,)))
        self._set(PURGE, bytes((PURGE_BOTH,)))
        for setting, value in self._wanted_values.items():
            self._set(setting, value.to_bytes(4 if setting == SET_BAUD else 1, "big"))

    def _take_sub(self) -> None:
        if len(self._sub) < 2 or self._sub[0] != COM_PORT:
            return
        code, told = self._sub[1] - FROM_SERVER, int.from_bytes(self._sub[2:], "big")
        if code in (SUSPEND, RESUME):
            self.suspended = code == SUSPEND
        elif code == SET_CONTROL and told not in FLOW_CONTROLS:
            return  # modem lines and breaks: what the server has not is not missed
        elif code in _WANTED_WORDS and self._is_asked:
            self._compare(code, told)

    def _compare(self, setting: int, told: int) -> None:
        wanted = self._wanted_values[setting]
        if setting == SET_CONTROL and FLOW_CONTROLS[told] == FLOW_CONTROLS[NO_FLOW_CONTROL]:
            told = NO_FLOW_CONTROL
        if told != wanted:
            self._refuse(f"sets its line to {_WANTED_WORDS[setting](told)} instead of {_WANTED_WORDS[setting](wanted)}")
            return
        self._unconfirmed.discard(setting)
        self.agreed = not self._unconfirmed and self.refusal is None

    def _refuse(self, why: str) -> None:
        if self.refusal is None:
            self.refusal = why
        self.agreed = False

    def _say(self, verb: int, option: int) -> None:
        self._due += bytes((IAC, verb, option))

    def _set(self, setting: int, value: bytes) -> None:
        self._due += bytes((IAC, SB, COM_PORT, setting)) + self.escape(value) + bytes((IAC, SE))


_WANTED_WORDS: Final = {
    SET_BAUD: lambda value: f"{value} baud",
    SET_DATA_BITS: lambda value: f"{value} data bits",
    SET_PARITY: lambda value: _PARITY_WORDS.get(value, f"parity {value}"),
    SET_STOP_BITS: lambda value: "1.5 stop bits" if value == 3 else f"{value} stop bit{'s' * (value != 1)}",
    SET_CONTROL: lambda value: "no flow control" if value == NO_FLOW_CONTROL else f"{FLOW_CONTROLS[value]} flow control",
}
