"""`pdfmill serve`: search the tables and view pages with highlighted matches in a browser."""

from __future__ import annotations

import argparse
import importlib.util
import ipaddress
import socket
import sys
from collections.abc import Sequence
from contextlib import closing
from typing import Final

from pdfmill.pipeline.cli.main import complain
from pdfmill.pipeline.options.flag_values import CommandParser, at_least
from pdfmill.pipeline.run.errors import EXIT_OK
from pdfmill.pipeline.run.summary import counted
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.sources import absolute_source

#: Default port; no common development server uses it.
PORT: Final = 8765
#: Import names of the packages that the extra `serve` installs.
_NEEDED: Final = ("jinja2", "starlette", "uvicorn")


def serve_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="pdfmill serve",
        description="Search the tables in a browser, and show each hit on the picture of its page.",
        epilog=(
            "There is no login: anyone who can reach the address can read the documents. Ctrl-C ends it.\n\n"
            "exit codes: 0 ended by Ctrl-C, 2 nothing could be served\n\n"
            "examples:\n  pdfmill serve out\n  pdfmill serve s3://archive/tables --port 9000"
        ),
    )
    parser.add_argument(
        "output", metavar="DIR", help="the folder given to `pdfmill index --output`, or a crawl's output; may be in a store"
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address to listen on (default: %(default)s, which only this machine can reach)",
    )
    parser.add_argument(
        "--port", type=at_least(0, 65535), default=PORT, metavar="PORT", help=f"port to listen on, 0 for a free one (default: {PORT})"
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="HOST",
        help="a host name by which browsers may call this server, besides localhost and IP addresses; may be repeated",
    )
    parser.add_argument(
        "--passwords", metavar="FILE", help="file with one password per line to try on encrypted documents; local or in a store"
    )
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code: 0 ended by Ctrl-C, 2 the server could not start."""
    flags = serve_parser().parse_args(list(argv))
    if missing := [name for name in _NEEDED if importlib.util.find_spec(name) is None]:
        return complain("serve", f"{', '.join(missing)} not installed; pip install 'pdfmill[serve]'")
    try:
        listening = listen(flags.host, flags.port)
    except OSError as error:
        return complain("serve", f"{flags.host}:{flags.port}: the server cannot listen there: {error.strerror or error}")
    with closing(listening):
        return _serve(flags, listening)


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that listens at this address. Raises OSError if the port is taken or the host has no such address."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def _serve(flags: argparse.Namespace, listening: socket.socket) -> int:
    import uvicorn

    from pdfmill.pipeline.search.answers import SearchError
    from pdfmill.pipeline.serve.app import Site, make_app
    from pdfmill.pipeline.serve.library import Library
    from pdfmill.pipeline.serve.pictures import PictureDesk
    from pdfmill.pipeline.serve.safety import PatientProtocol
    from pdfmill.pipeline.serve.search_page import LiveIndex

    output = absolute_source(flags.output)
    passwords = absolute_source(flags.passwords) if flags.passwords else None
    print(f"pdfmill serve: {output}: opening its index, which is built at the first start", file=sys.stderr)
    try:
        library = Library(output)
        searcher = LiveIndex(output, lambda: library.version)
    except (SearchError, SourceError) as error:
        return complain("serve", str(error))
    desk = PictureDesk(ReadSettings(passwords_uri=passwords))
    app = make_app(Site(library, searcher, desk), names=[flags.host, *flags.name])
    print(f"pdfmill serve: {output}: {counted(sum(library.counts().values()), 'document')} at {address_of(listening)}", flush=True)
    if not is_loopback(listening):
        print("pdfmill serve: other machines can reach this server, and there is no login", file=sys.stderr)
    server = uvicorn.Server(
        uvicorn.Config(
            app, http=PatientProtocol, log_level="warning", access_log=False, server_header=False, proxy_headers=False, lifespan="off"
        )
    )
    try:
        desk.begin()
        server.run(sockets=[listening])
    except KeyboardInterrupt:  # raised again by the server when it has ended
        pass
    finally:
        desk.close()
        searcher.close()
    return EXIT_OK


def address_of(listening: socket.socket) -> str:
    """Return the URL to open in a browser on this machine."""
    host, port = listening.getsockname()[:2]
    address = ipaddress.ip_address(host)
    shown = "localhost" if address.is_unspecified else f"[{host}]" if address.version == 6 else host
    return f"http://{shown}:{port}/"


def is_loopback(listening: socket.socket) -> bool:
    """Return whether only this machine can reach the socket."""
    return ipaddress.ip_address(listening.getsockname()[0]).is_loopback
