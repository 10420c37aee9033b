"""`pdfmill completion`: scripts for shells, made from the help of each command."""

from __future__ import annotations

import argparse
import importlib
import io
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from typing import Final

from pipeline.main import COMMANDS, EXIT_OK
from schemas.extras import missing_extra

_FLAG: Final = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def flags_of(command: str) -> list[str]:
    """The long flags that the command's help names, sorted; none of a command whose extra is not installed."""
    told = io.StringIO()
    try:
        with redirect_stdout(told), suppress(SystemExit):
            importlib.import_module(f"pipeline.commands.{command}").run(["--help"])
    except ModuleNotFoundError as error:
        if missing_extra(error, command) is None:
            raise
    names = [line.strip().partition("  ")[0] for line in told.getvalue().splitlines() if line.startswith("  -")]
    return sorted({flag for name in names for flag in _FLAG.findall(name)})


def bash_script(flags: Mapping[str, Sequence[str]]) -> str:
    """For bash: commands as first word, then flags; files everywhere else."""
    cases = "\n".join(f"    {name}) flags='{' '.join(given)}' ;;" for name, given in flags.items())
    return f"""_pdfmill() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} flags=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{" ".join(flags)} help' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{cases}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _pdfmill pdfmill
"""


def zsh_script(flags: Mapping[str, Sequence[str]]) -> str:
    """For zsh, by what it understands of bash's completion."""
    return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(flags)


def fish_script(flags: Mapping[str, Sequence[str]]) -> str:
    """For fish."""
    lines = [
        f"complete -c pdfmill -n __fish_use_subcommand -f -a {name} -d '{COMMANDS.get(name, '').translate(_QUOTED)}'" for name in flags
    ]
    lines += [
        f"complete -c pdfmill -n '__fish_seen_subcommand_from {name}' -l {flag.removeprefix('--')}"
        for name, given in flags.items()
        for flag in given
    ]
    return "\n".join(lines) + "\n"


_QUOTED: Final = str.maketrans({"'": "\\'"})
_SHELLS: Final[dict[str, Callable[[Mapping[str, Sequence[str]]], str]]] = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}


def run(argv: Sequence[str]) -> int:
    """Print the script."""
    parser = argparse.ArgumentParser(
        prog="pdfmill completion",
        description="Print a script that lets a shell complete commands and flags.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            '  eval "$(pdfmill completion bash)"                                      in ~/.bashrc; zsh alike in ~/.zshrc\n'
            "  pdfmill completion fish > ~/.config/fish/completions/pdfmill.fish"
        ),
    )
    parser.add_argument("shell", choices=sorted(_SHELLS))
    shell = parser.parse_args(list(argv)).shell
    print(_SHELLS[shell]({name: flags_of(name) for name in COMMANDS if name != "completion"}), end="")
    return EXIT_OK
