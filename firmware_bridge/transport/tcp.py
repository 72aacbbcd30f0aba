"""A raw TCP connection to a device or to a serial device server.

The byte stream is the same as on a serial line; only the pace differs, so silence inside a frame means nothing here
(SDP/1 1.2). Small writes go out at once: a card event or a gate command never waits for more bytes.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Sequence
from functools import partial

from firmware_bridge.transport.base import OPEN_DEADLINE_S, PortMissingError, PortNotPermittedError, TransportError
from firmware_bridge.transport.descriptor import DescriptorTransport
from firmware_bridge.transport.own_threads import OWN_THREADS

KEEPALIVE_IDLE_S = 5
"""A device server that vanished without a word is found by SDP/1's own heartbeat first; this frees the socket after."""


class TcpTransport(DescriptorTransport):
    """One client connection to `host`:`port`."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}")
        self.host = host
        self.port = port

    async def _open_descriptor(self) -> int:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(OPEN_DEADLINE_S):
                # in a thread of its own: a resolver that hangs would hold up the end of the process
                resolve = partial(socket.getaddrinfo, self.host, self.port, type=socket.SOCK_STREAM)
                addresses = await loop.run_in_executor(OWN_THREADS, resolve)
                return await self._connect_first(loop, addresses)
        except TimeoutError as error:
            raise PortMissingError(f"{self.url} does not answer", "check its address, network and power") from error
        except socket.gaierror as error:
            raise PortMissingError(f"{self.url}: no such host", "check the name in the configuration") from error
        except OSError as error:
            raise _refused(self.url, error) from error

    async def _connect_first(
        self, loop: asyncio.AbstractEventLoop, addresses: Sequence[tuple[int, int, int, str, tuple[object, ...]]]
    ) -> int:
        """Return the descriptor of the first address that answers, or raise the last OSError."""
        last = OSError(errno.EHOSTUNREACH, os.strerror(errno.EHOSTUNREACH))
        for family, kind, protocol, _name, address in addresses:
            connection = socket.socket(family, kind | socket.SOCK_CLOEXEC, protocol)
            try:
                connection.setblocking(False)
                await loop.sock_connect(connection, address)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_IDLE_S)
            except OSError as error:
                connection.close()
                last = error
            except BaseException:
                connection.close()
                raise
            else:
                return connection.detach()
        raise last

    def _free_descriptor(self, fd: int, *, unsent: bool) -> None:
        os.close(fd)


def _refused(url: str, error: OSError) -> TransportError:
    reason = os.strerror(error.errno or 0)
    if error.errno in (errno.EACCES, errno.EPERM):
        return PortNotPermittedError(f"{url}: {reason}", "allow this connection in the firewall")
    return PortMissingError(f"{url}: {reason}", "check that the device or its server is on and listens there")
