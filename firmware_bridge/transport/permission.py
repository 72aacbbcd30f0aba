"""Why this account may not open a port, and what to do about it, in the words of the system: owner, group, mode.

`judge` is pure; `advice_for` looks at the port and at this process.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path

import msgspec

_RULES = "put the udev rules in place that `shoed doctor --udev` prints"


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """A port's permissions, and who asks for it."""

    group: str
    """The port's group."""
    group_may: bool
    """Its group may read and write."""
    account: str
    is_member: bool
    """The account is in that group, as the system's list of groups has it."""
    has_joined: bool
    """This very process has that group: a member from its next sign-in on only."""


def judge(access: Access) -> str:
    """Return what to do."""
    if not access.group_may or access.group == "root":
        return f"no group but root's may use it: {_RULES}"
    if access.has_joined:
        return "its permissions would allow it, so something else forbids it: a container, or DeviceAllow= in the service's unit"
    if access.is_member:
        return f"{access.account} is in the group {access.group} since this program was started: sign in again, or restart the service"
    return f"add {access.account} to the group {access.group}: `usermod -aG {access.group} {access.account}`, then sign in again"


def advice_for(path: str) -> str:
    """Return what to do so that this account may open the port."""
    try:
        found = Path(path).stat()
    except OSError:
        return f"its directory may not be entered: {_RULES}"
    account = _account()
    group = _group(found.st_gid)
    both = stat.S_IRGRP | stat.S_IWGRP
    access = Access(
        group=group,
        group_may=found.st_mode & both == both,
        account=account,
        is_member=account in _members(found.st_gid),
        has_joined=found.st_gid in {os.getegid(), *os.getgroups()},
    )
    return judge(access)


def _account() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def _members(number: int) -> list[str]:
    try:
        return grp.getgrgid(number).gr_mem
    except KeyError:
        return []
