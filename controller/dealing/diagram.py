"""Pictures of a procedure's machine, made from its transitions: Mermaid text and plain SVG."""

from __future__ import annotations

from html import escape

from controller.dealing.procedure import Procedure
from controller.dealing.steps import StateKind

ROW, WIDTH, BOX = 46, 520, 30
LEFT, MIDDLE = 40, 200
SIDE = ("suspended", "void", "quarantined")


def _edges(procedure: Procedure) -> list[tuple[str, str, str]]:
    """(source, trigger, destination) of the main way; `advance` once per pair, with `?` where the later step has a condition."""
    machine = procedure.phases.machine
    edges: list[tuple[str, str, str]] = []
    for trigger, event in machine.events.items():
        for source, transitions in event.transitions.items():
            open_end = False
            for transition in transitions:
                dest = str(transition.dest)
                if trigger == "advance" and open_end:
                    break
                step = procedure.step(dest)
                conditional = trigger == "advance" and step is not None and step.when is not None
                open_end = trigger == "advance" and not conditional
                edges.append((source, f"{trigger}{' ?' if conditional else ''}", dest))
    return edges


def mermaid(procedure: Procedure) -> str:
    """A Mermaid state diagram. Suspension is drawn once, from any step and back to it."""
    names = {state: state.replace(" ", "_") for state in procedure.phases.machine.states}
    lines = ["stateDiagram-v2"]
    lines += [f"    {alias}: {name}" for name, alias in names.items() if alias != name]
    lines.append("    [*] --> closed")
    for source, trigger, dest in _edges(procedure):
        if trigger in ("suspend", "resume", "void", "quarantine"):
            continue
        lines.append(f"    {names[source]} --> {names[dest]}: {trigger}")
    lines.append("    note right of suspended: from any step by a fault without a row, and back to that very step")
    lines.append("    note right of void: from any step by a rule of the irregularity table or by a supervisor")
    lines.append("    note right of quarantined: from anywhere when the deck itself is wrong")
    return "\n".join(lines) + "\n"


def svg(procedure: Procedure) -> str:
    """The main way from top to bottom, with the states of trouble beside it."""
    way = ["closed", "unverified", "ready", *procedure.names, "complete"]
    height = ROW * (len(way) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(procedure.game.title)}, {procedure.method.value}</title>",
    ]
    for index, name in enumerate(way):
        top = ROW * index + 10
        step = procedure.step(name)
        dash = ' stroke-dasharray="5 3"' if step is not None and step.when is not None else ""
        parts.append(f'<rect x="{LEFT}" y="{top}" width="{MIDDLE}" height="{BOX}" rx="6" fill="none" stroke="black"{dash}/>')
        parts.append(f'<text x="{LEFT + 10}" y="{top + 20}">{escape(name)}</text>')
        kind = procedure.kinds.get(name, StateKind.CLOSED).value
        parts.append(f'<text x="{LEFT + MIDDLE + 12}" y="{top + 20}" fill="#555">{escape(_beside(procedure, name, kind))}</text>')
        if index:
            parts.append(f'<path d="M{LEFT + MIDDLE // 2} {top - ROW + BOX} v{ROW - BOX}" stroke="black"/>')
    legend = f"From any step: {', '.join(SIDE)}. Dashed: passed over where it does not apply."
    parts.append(f'<text x="{LEFT}" y="{height - 12}" fill="#555">{legend}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _beside(procedure: Procedure, name: str, kind: str) -> str:
    step = procedure.step(name)
    return f"{kind} · {step.rule}" if step is not None else ""
