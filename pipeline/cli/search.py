"""`pdfmill search`: print the pages of an output that match a query."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import asdict

from pdfmill.pipeline.cli.main import complain
from pdfmill.pipeline.options.flag_values import CommandParser, at_least, day
from pdfmill.pipeline.run.errors import EXIT_OK, EXIT_SOME_FAILED
from pdfmill.pipeline.search.answers import COUNTED, Filters, Results, SearchError
from pdfmill.pipeline.search.search_index import SearchIndex, open_index
from pdfmill.schemas.codes import SECTION_KINDS
from pdfmill.schemas.public import printable

#: Default number of hits: a page of results.
_LIMIT = 10


def search_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="pdfmill search",
        description="Search the tables of an output. The best hits are pages that have all words close together.",
        epilog=(
            'query:  words, also in other forms      "words as they are, in order"      begin*      alike~ (a letter differs; ~2 two)\n'
            "        heading:word title:word path:word text:word      a AND (b OR c) NOT d      -leftout\n\n"
            "The index is built by the first search, in DIR or, if DIR is in a store, in the user's cache, and updated with the tables.\n"
            "json is a line for each query: query, understood, notes, suggestion, total, complete, documents, hits[doc_id, section_id,\n"
            "source_uri, title, page, score, snippet, heading_path, boxes]; boxes are in points.\n\n"
            "exit codes: 0 found, 1 nothing found, or some queries had no hits or were wrong, 2 nothing could be done\n\n"
            "examples:\n  pdfmill search out 'reading order'\n"
            "  pdfmill search out 'heading:plans archive' --language en --format json\n"
            "  pdfmill search out --queries queries.txt --limit 20 > hits.jsonl"
        ),
    )
    parser.add_argument(
        "output", metavar="DIR", help="the folder given to `pdfmill index --output`, or a crawl's output; may be in a store"
    )
    parser.add_argument("query", metavar="QUERY", nargs="?", help="the query, see below")
    parser.add_argument("--queries", metavar="FILE", help="a file with one query per line, - for the standard input; the output is json")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="format of the standard output (default: %(default)s)")
    parser.add_argument(
        "--limit", type=at_least(1), default=_LIMIT, metavar="HITS", help=f"number of hits for each query (default: {_LIMIT})"
    )
    parser.add_argument("--offset", type=at_least(0), default=0, metavar="HITS", help="number of hits to skip first (default: %(default)s)")
    parser.add_argument("--build", action="store_true", help="build the index again; without a query, do only that")
    parser.add_argument("--language", metavar="CODE", help="only pages in this language, e.g. de")
    parser.add_argument("--source", metavar="START", help="only documents whose address begins with this, or matches it as a glob")
    parser.add_argument(
        "--from", dest="date_from", type=day, metavar="DAY", help="only documents changed on this day or later, e.g. 2026-01-31"
    )
    parser.add_argument("--to", dest="date_to", type=day, metavar="DAY", help="only documents changed on this day or earlier")
    parser.add_argument("--kind", choices=tuple(SECTION_KINDS), help="only words in sections of this kind")
    parser.add_argument("--page", type=at_least(1), metavar="N", help="only pages with this number")
    parser.add_argument("--doc_id", "--doc-id", metavar="ID", help="only pages of this document")
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code: 0 pages matched, 1 a query had no hits, 2 the search could not be done."""
    flags = search_parser().parse_args(list(argv))
    if (flags.query is None) == (flags.queries is None) and not (flags.build and flags.query is None and flags.queries is None):
        return complain("search", "give either a QUERY or --queries FILE; see pdfmill search --help")
    filters = Filters(flags.language, flags.source, flags.date_from, flags.date_to, flags.kind, flags.page, flags.doc_id)
    try:
        with open_index(flags.output, build=flags.build) as index:
            if flags.queries is not None:
                with sys.stdin if flags.queries == "-" else open(flags.queries, encoding="utf-8") as lines:
                    return _answer_all(index, lines, filters, flags)
            if flags.query is None:
                print(f"the index was built: {index.path}", file=sys.stderr)
                return EXIT_OK
            boxes = flags.format == "json"
            results = index.search(flags.query, filters=filters, limit=flags.limit, offset=flags.offset, boxes=boxes)
    except SearchError as error:
        return complain("search", str(error))
    except OSError as error:
        return complain("search", f"{flags.queries}: cannot be read: {error.strerror or error}")
    except UnicodeDecodeError as error:
        return complain("search", f"{flags.queries}: is not UTF-8: {error.reason} at byte {error.start}")
    if flags.format == "json":
        print(json_line(flags.query, results))
    else:
        for note in results.notes:
            print(f"pdfmill search: {note}", file=sys.stderr)
        print("\n".join(text_lines(results)))
    return EXIT_OK if results.hits else EXIT_SOME_FAILED


def _answer_all(index: SearchIndex, lines: Iterable[str], filters: Filters, flags: argparse.Namespace) -> int:
    """Print a line of JSON for each query, and errors of queries to the standard error; return the exit code."""
    code = EXIT_OK
    for line in lines:
        query = line.rstrip("\r\n")
        results = Results([], 0, 0)
        try:
            results = index.search(query, filters=filters, limit=flags.limit, offset=flags.offset)
        except SearchError as error:
            print(f"pdfmill search: {error}", file=sys.stderr)
        print(json_line(query, results))
        code = code if results.hits else EXIT_SOME_FAILED
    return code


def json_line(query: str, results: Results) -> str:
    """Return the results of one query as a line of JSON."""
    told = [
        {
            "doc_id": hit.doc_id,
            "section_id": hit.section_id,
            "source_uri": hit.source_uri,
            "title": hit.title,
            "page": hit.page,
            "score": hit.score,
            "snippet": "".join(text for text, _ in hit.snippet),
            "heading_path": hit.heading_path,
            "boxes": [asdict(box) for box in hit.boxes],
        }
        for hit in results.hits
    ]
    said = {name: getattr(results, name) for name in ("understood", "notes", "suggestion", "total", "complete", "documents")}
    return json.dumps({"query": query, **said, "hits": told}, ensure_ascii=False)


def text_lines(results: Results) -> Iterator[str]:
    """Yield the results for a terminal: address and page, headings, and a snippet with the matched words in brackets."""
    for hit in results.hits:
        more = f", {hit.hits_in_document} pages of it" if hit.hits_in_document > 1 else ""
        yield f"{printable(hit.source_uri)}  page {hit.page}{more}"
        if hit.heading_path:
            yield f"    {printable(' > '.join(hit.heading_path))}"
        yield "    " + printable("".join(f"[{text}]" if marked else text for text, marked in hit.snippet))
    if results.total:
        yield _counts(results)
    else:
        yield "nothing found"
    if results.suggestion:
        yield f"did you mean: {printable(results.suggestion)}"


def _counts(results: Results) -> str:
    over = "over " if results.documents >= COUNTED else ""
    found = f"{_number(results.total, 'page')} in {over}{_number(results.documents, 'document')}"
    return found if results.complete is None else f"{found}; {results.complete:,} with all the words"


def _number(count: int, of: str) -> str:
    return f"{count:,} {of}{'s' * (count != 1)}"
