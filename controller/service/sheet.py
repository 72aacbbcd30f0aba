"""The enforcement sheet of a table as it runs: from what is configured and what the devices have told of themselves.

A supervisor who opens the table confirms the sheet of that moment: it is put on the act, so that it stands in the record with the opening,
and it is logged. A caller may name the sheet that he has read; when it has changed since, the table is not opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from controller.dealing.procedure import Procedure
from controller.service.config import DeviceConfig, DeviceKind, TableConfig
from controller.service.device_plan import DevicePlan
from controller.service.errors import ServiceError
from controller.service.logs import Logger
from controller.table.acts import AnyAct, Open
from controller.table.enforcement import Detection, DeviceMeans, Sheet, make_sheet
from controller.table.enforcement_shadow import make_shadow_sheet
from controller.table.following import Words
from firmware_bridge.reports import Capability

ABILITIES: Mapping[str, str] = {"cards": "read-cards"}
"""What plain profiles call abilities of SDP/1."""
TellAbilities = Callable[[], Mapping[str, tuple[Capability, ...]]]

ATTESTED = 2
"""Level of the function `security-level` (SDP/1 1.9)."""


class SheetChangedError(ServiceError):
    """The sheet in force is not the one that was confirmed, or nobody who may confirm it has."""


def means_of(device: DeviceConfig, plan: DevicePlan, told: Iterable[Capability]) -> DeviceMeans:
    """Return what a device gives; `told` are the abilities that it told when it was last connected."""
    levels = {ABILITIES.get(c.function, c.function): c.level for c in told}
    habits = plan.habits
    return DeviceMeans(
        name=device.name,
        kind="shuffler" if device.kind is DeviceKind.SHUFFLER else "shoe",
        can=frozenset(function for function, level in levels.items() if level > 0),
        checks_frames=habits.checks_frames,
        tells_repeats=habits.tells_repeats,
        keeps_events=habits.keeps_events,
        notices_gaps=habits.notices_gaps,
        tells_serial=habits.tells_serial and device.serial is not None,
        has_key=device.security > 0,
        attests=levels.get("security-level", 0) >= ATTESTED,
        cannot=plan.cannot,
    )


def sheet_of(
    procedure: Procedure,
    config: TableConfig,
    plans: Mapping[str, DevicePlan],
    told: Mapping[str, tuple[Capability, ...]],
    words: Words | None = None,
) -> Sheet:
    """Return the sheet of a configured table. `told`: the abilities by device, where known; `words`: of a table in shadow mode."""
    devices = [device for device in config.device if device.kind is not DeviceKind.HOST]
    means = [means_of(device, plans[device.name], told.get(device.name, ())) for device in devices]
    return make_sheet(procedure, means) if words is None else make_shadow_sheet(procedure, means, words)


class SheetDesk:
    """Gives the present sheet of one table, puts it on acts, and logs it at the opening."""

    def __init__(
        self,
        procedure: Procedure,
        config: TableConfig,
        plans: Mapping[str, DevicePlan],
        told: TellAbilities,
        logger: Logger,
        words: Words | None = None,
    ) -> None:
        self._words = words
        self._procedure, self._config, self._plans, self._told = procedure, config, plans, told
        self._logger = logger.bind(table=config.id)

    def present(self) -> Sheet:
        """Return the sheet as the devices are now."""
        return sheet_of(self._procedure, self._config, self._plans, self._told(), self._words)

    def stamped(self, act: AnyAct) -> AnyAct:
        """Return an opening with the sheet of this moment on it, and any other act as it is.

        A supervisor who opens confirms it; opened by anyone else it stands in the record unconfirmed.

        Raises:
            SheetChangedError: the opening confirms another sheet, or is no supervisor's.
        """
        if not isinstance(act, Open):
            return act
        sheet, may_confirm = self.present(), act.by.role == "supervisor"
        if act.confirms and not may_confirm:
            raise SheetChangedError(
                "role-not-allowed", "Only a supervisor confirms the enforcement sheet.", "Have a supervisor open the table."
            )
        if act.confirms not in ("", sheet.digest):
            raise SheetChangedError(
                "sheet-changed",
                f"The enforcement sheet of table {self._config.id} is {sheet.digest}, and {act.confirms[:16]} was confirmed.",
                "Read the sheet again, then open the table with its present digest.",
            )
        beside = self._words is not None
        return msgspec.structs.replace(act, sheet=sheet, confirms=sheet.digest if may_confirm else "", beside=beside)

    def note_opened(self, act: AnyAct, entry: int | None) -> None:
        """Log what was confirmed, once the opening stands in the record."""
        if entry is None or not isinstance(act, Open) or act.sheet is None:
            return
        by_kind = {kind.value.replace("-", "_"): [line.mishap for line in act.sheet.of(kind)] for kind in Detection}
        limits = [f"{limit.device}: {limit.sentence}" for limit in act.sheet.limits]
        confirmed = bool(act.confirms)
        self._logger.info(
            "enforcement",
            entry=entry,
            mode=act.sheet.mode,
            sheet=act.sheet.digest,
            by=str(act.by),
            confirmed=confirmed,
            limits=limits,
            **by_kind,
        )
