"""One cable with several devices on it (RS-485): everybody hears everything, and nothing keeps two from speaking at once.

The far end is a pseudo-terminal or a TCP port, as for a device that is alone; each device gets a plug. With `echo` the host hears its own
words too, as it does where sender and receiver share the pair of wires.
"""

from __future__ import annotations

from hil.simulated.ends import End, EndListener


class BusCable:
    """The cable. It is there while a device is plugged in."""

    def __init__(self, end: End, *, echo: bool = False) -> None:
        self._end = end
        self._echo = echo
        self._plugs: list[BusPlug] = []

    @property
    def url(self) -> str:
        """What the host opens."""
        return self._end.url

    @property
    def is_uart(self) -> bool:
        return self._end.is_uart

    def plug(self) -> BusPlug:
        """Return a plug for one device."""
        return BusPlug(self)

    async def join(self, plug: BusPlug) -> None:
        """Put a plug in."""
        self._plugs.append(plug)
        if len(self._plugs) == 1:
            await self._end.open(self)
        elif plug.listener is not None:
            plug.listener.host_came()

    async def leave(self, plug: BusPlug) -> None:
        """Pull a plug."""
        if plug not in self._plugs:
            return
        self._plugs.remove(plug)
        if not self._plugs:
            await self._end.close()

    def say(self, chunk: bytes, speaker: BusPlug | None = None) -> None:
        """Put bytes on the wires; without a speaker they are noise, which every device hears."""
        self._end.send(chunk)
        for plug in list(self._plugs):
            if plug is not speaker and plug.listener is not None:
                plug.listener.bytes_came(chunk)

    def bytes_came(self, chunk: bytes) -> None:
        if self._echo:
            self._end.send(chunk)
        for plug in list(self._plugs):
            if plug.listener is not None:
                plug.listener.bytes_came(chunk)

    def host_came(self) -> None:
        for plug in list(self._plugs):
            if plug.listener is not None:
                plug.listener.host_came()

    def host_went(self) -> None:
        for plug in list(self._plugs):
            if plug.listener is not None:
                plug.listener.host_went()


class BusPlug:
    """One device's end of the cable (`hil.simulated.ends.End`)."""

    def __init__(self, cable: BusCable) -> None:
        self.listener: EndListener | None = None
        self.is_uart = cable.is_uart
        self.lost_bytes = 0
        self.url = ""
        self._cable = cable

    async def open(self, listener: EndListener) -> None:
        self.listener = listener
        await self._cable.join(self)
        self.url = self._cable.url

    def send(self, chunk: bytes) -> None:
        if self.listener is not None:
            self._cable.say(chunk, self)

    async def close(self) -> None:
        await self._cable.leave(self)
        self.listener = None
