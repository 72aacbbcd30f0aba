"""The root of this package's exceptions, and the two families below it that say whose fault something is.

Line noise, a late answer or a device's broken promise are values (`Fault` outputs), not exceptions: they are recorded
and the session goes on. Exceptions here stop one call: the caller asked for something that cannot be done.
"""


class BridgeError(Exception):
    """Root of everything that `firmware_bridge` raises on purpose."""


class MisuseError(BridgeError):
    """The caller's own mistake, refused before anything changes or is sent."""


class NotReadyError(BridgeError):
    """The thing asked for cannot be done in the present state; it can be asked again later."""
