"""`pdfmill completion`: print completion scripts for shells, made from the help of each command."""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from typing import Final

from pdfmill.pipeline.cli.main import COMMANDS
from pdfmill.pipeline.options.flag_values import CommandParser
from pdfmill.pipeline.run.errors import EXIT_OK
from pdfmill.schemas.extras import missing_extra

_FLAG: Final = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def flags_of(command: str) -> list[str]:
    """Return the long flags in the command's help, sorted; [] if the command's optional dependencies are not installed."""
    shown = io.StringIO()
    try:
        with redirect_stdout(shown), suppress(SystemExit):
            importlib.import_module(f"pdfmill.pipeline.cli.{command}").run(["--help"])
    except ModuleNotFoundError as error:
        if missing_extra(error, command) is None:
            raise
    names = [line.strip().partition("  ")[0] for line in shown.getvalue().splitlines() if line.startswith("  -")]
    return sorted({flag for name in names for flag in _FLAG.findall(name)})


def bash_script(flags: Mapping[str, Sequence[str]]) -> str:
    """Return the completion script for bash: the first word is a command, later ones are flags or files. flags: long flags by command."""
    cases = "\n".join(f"    {name}) given='{' '.join(words)}' ;;" for name, words in flags.items())
    return f"""_pdfmill() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} given=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{" ".join([*COMMANDS, _HELP])}' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{cases}
    {_HELP}) COMPREPLY=($(compgen -W '{" ".join(COMMANDS)}' -- "$word")); return ;;
    {_ITSELF}) COMPREPLY=($(compgen -W '{" ".join(sorted(SCRIPTS))}' -- "$word")); return ;;
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$given" -- "$word")) ;;
    *) compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -F _pdfmill pdfmill
"""


def zsh_script(flags: Mapping[str, Sequence[str]]) -> str:
    """Return the completion script for zsh, with a description of each command. flags: long flags by command."""
    commands = "\n".join(f"    '{name}:{_quoted(sentence).replace(':', _COLON)}'" for name, sentence in COMMANDS.items())
    cases = "\n".join(f"    {name}) given=({' '.join(words)}) ;;" for name, words in flags.items())
    return f"""#compdef pdfmill
_pdfmill() {{
  local -a commands given
  commands=(
{commands}
    '{_HELP}:what a command does, with its flags'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
{cases}
    {_HELP}) _describe command commands; return ;;
    {_ITSELF}) compadd -- {" ".join(sorted(SCRIPTS))}; return ;;
  esac
  if [[ $PREFIX == -* ]]; then compadd -- $given; else _files; fi
}}
(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}
compdef _pdfmill pdfmill
"""


def fish_script(flags: Mapping[str, Sequence[str]]) -> str:
    """Return the completion script for fish, with a description of each command. flags: long flags by command."""
    first = "complete -c pdfmill -n __fish_use_subcommand -f -a"
    lines = [f"{first} {name} -d '{_quoted(sentence)}'" for name, sentence in COMMANDS.items()]
    lines += [f"{first} {_HELP} -d 'what a command does, with its flags'"]
    for name, words in ((_HELP, list(COMMANDS)), (_ITSELF, sorted(SCRIPTS))):
        lines.append(f"complete -c pdfmill -n '__fish_seen_subcommand_from {name}' -f -a '{' '.join(words)}'")
    lines += [
        f"complete -c pdfmill -n '__fish_seen_subcommand_from {name}' -l {word.removeprefix('--')}"
        for name, words in flags.items()
        for word in words
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return text.replace("'", "'\\''")


#: An escaped colon, for descriptions in zsh's `name:description`.
_COLON: Final = "\\:"
_HELP: Final = "help"
_ITSELF: Final = "completion"
#: For each shell, the function that makes its script from the long flags of each command.
SCRIPTS: Final[dict[str, Callable[[Mapping[str, Sequence[str]]], str]]] = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}


def run(argv: Sequence[str]) -> int:
    """Print the completion script for the shell that `argv` names, and return the exit code."""
    parser = CommandParser(
        prog="pdfmill completion",
        description="Print a script that lets a shell complete commands and flags.",
        epilog=(
            "examples:\n"
            '  eval "$(pdfmill completion bash)"                                      in ~/.bashrc; zsh alike in ~/.zshrc\n'
            "  pdfmill completion fish > ~/.config/fish/completions/pdfmill.fish"
        ),
    )
    parser.add_argument("shell", choices=sorted(SCRIPTS))
    shell = parser.parse_args(list(argv)).shell
    print(SCRIPTS[shell]({name: flags_of(name) for name in COMMANDS if name != _ITSELF}), end="")
    return EXIT_OK
