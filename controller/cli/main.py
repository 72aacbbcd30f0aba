"""The command `shoed`: finds the command groups, runs one, and turns every error into the same two sentences.

Groups are entry points named `shoed.commands`, so that another package can add one. A group is imported when it is
called or listed, never before; one that cannot be imported spoils no other.

Exit codes: 0 good, 1 the thing checked is not in order, 2 usage or configuration, 70 a defect of shoed itself,
130 interrupted at the keyboard. A command returns its exit code, or nothing for 0.

Any error with the attributes `code`, `what` and `do` is told as what happened and what to do; see `controller.errors`.
"""

from __future__ import annotations

import difflib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points, version
from types import FrameType
from typing import Final, NoReturn, Protocol, runtime_checkable

import click

from controller.cli.output import EXIT_GOOD, EXIT_USAGE, OutputStyle, encode_json, printable
from controller.errors import ShoedError, as_sentence

ENTRY_POINT_GROUP: Final = "shoed.commands"
EXIT_DEFECT: Final = 70
"""EX_SOFTWARE of sysexits.h: an exception that nobody foresaw."""
EXIT_INTERRUPTED: Final = 130
"""128 + SIGINT, as shells report it."""


@runtime_checkable
class ToldError(Protocol):
    """The three attributes by which an error of any package tells itself."""

    code: str
    what: str
    do: str


class CommandNotLoadableError(ShoedError):
    """An entry point names a command that cannot be imported."""

    def __init__(self, entry: EntryPoint, cause: BaseException) -> None:
        super().__init__(
            "command-not-loadable",
            f"The command `{entry.name}` ({entry.value}) cannot be loaded: {type(cause).__name__}: {cause}.",
            "Install shoed again with `make setup`, or remove the package that adds this command.",
        )


class LazyGroup(click.Group):
    """A group whose commands are entry points, each imported when it is first wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted, importing none."""
        return sorted(_found_commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command; None when no entry point has this name.

        Raises:
            CommandNotLoadableError: when its module or name does not exist.
        """
        entry = _found_commands().get(cmd_name)
        return None if entry is None else _load(entry)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name, or fail with the nearest name there is."""
        if args and not args[0].startswith("-") and args[0] not in _found_commands():
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            hint = f"Did you mean `{near[0]}`?" if near else "`shoed --help` lists the commands."
            raise click.UsageError(f"There is no command `{printable(args[0])}`. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List all commands with one line each; one that cannot be loaded is listed as such."""
        rows: list[tuple[str, str]] = []
        for name in self.list_commands(ctx):
            try:
                command = self.get_command(ctx, name)
            except CommandNotLoadableError as error:
                rows.append((name, f"({error.code})"))
            else:
                if command is not None and not command.hidden:
                    rows.append((name, command.get_short_help_str(limit=200)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _found_commands() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}


def _load(entry: EntryPoint) -> click.Command:
    try:
        command = entry.load()
    except (ImportError, AttributeError) as error:
        raise CommandNotLoadableError(entry, error) from error
    if not isinstance(command, click.Command):
        raise CommandNotLoadableError(entry, TypeError("it is no click command"))
    return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("shoed"), prog_name="shoed", message="%(prog)s %(version)s")
def root() -> None:
    """Follow every card that leaves a shoe or shuffler through the procedure of the game."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (default: the process's own) and return its exit code; tests call this."""
    style = OutputStyle()
    try:
        # Not `root.main`, which turns a reader that has gone into exit code 1: that would say "not in order".
        with root.make_context("shoed", list(sys.argv[1:] if arguments is None else arguments), obj=style) as context:
            result = root.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return EXIT_USAGE
    except click.UsageError as error:
        _tell("usage", error.format_message(), _usage_hint(error), style)
        return EXIT_USAGE
    except click.ClickException as error:
        _tell("usage", error.format_message(), "Correct the command line and run it again.", style)
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _leave_standard_output()
        return EXIT_GOOD
    except Exception as error:  # noqa: BLE001  # the outermost frame: what is not told by now is a defect
        if isinstance(error, ToldError):
            _tell(error.code, error.what, error.do, style)
            exit_code = getattr(error, "exit_code", EXIT_USAGE)
            return exit_code if isinstance(exit_code, int) else EXIT_USAGE
        traceback.print_exc()
        _tell(
            "defect",
            f"shoed itself failed with {type(error).__name__}.",
            "Send the lines above to the maintainers; the journal holds all that was acknowledged.",
            style,
        )
        return EXIT_DEFECT
    return result if isinstance(result, int) and not isinstance(result, bool) else EXIT_GOOD


def main() -> None:
    """Run the command line and end the process: the script's entry.

    SIGTERM ends a command as Ctrl-C does, with everything put away that it had made, and so does SIGHUP, with which a closed terminal or a
    lost connection to it ends its commands; then the process dies of the signal after all, so that whoever sent it sees that. A second
    SIGTERM is not waited for; a second SIGHUP is usual and says nothing new. Commands that serve take signals on their loops.
    """
    asked: list[int] = []

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        asked.append(number)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # whoever starts it with nohup wants it to stay
        signal.signal(signal.SIGHUP, end)
    code = run()
    if asked:
        signal.signal(asked[0], signal.SIG_DFL)
        signal.raise_signal(asked[0])
    sys.exit(code)


def _tell(code: str, what: str, do: str, style: OutputStyle) -> None:
    if style.as_json:
        click.echo(encode_json({"error": {"code": code, "what": what, "do": do}}), err=True)
        return
    click.echo(f"{printable(as_sentence(what))}\n{printable(as_sentence(do))}\n({code})", err=True)


def _usage_hint(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx is not None else "shoed"
    return f"`{path} --help` shows what can be written here."


def _leave_standard_output() -> None:
    """Point standard output at nothing: its reader has gone, and Python would flush into it at exit and complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
