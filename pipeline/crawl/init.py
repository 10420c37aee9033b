"""Write a first configuration of a crawl from sources on the command line, with every setting, its default and a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pdfmill.pipeline.crawl.config import SETTINGS, CrawlConfig, load_config
from pdfmill.pipeline.options.options import UsageError
from pdfmill.transforms.storage.errors import AlreadyExistsError
from pdfmill.transforms.storage.objects import write_new
from pdfmill.transforms.storage.sources import absolute_source


def write_config(path: str, sources: Sequence[str], output: str) -> CrawlConfig:
    """Write the configuration, local or in a store, and check it as a run would. An existing one stays.

    Raises:
        UsageError: there is one already.
        pdfmill.transforms.storage.errors.SourceError: it cannot be written.
    """
    text = "".join(f"{line}\n" for line in config_lines(path, [absolute_source(each) for each in sources], absolute_source(output)))
    try:
        write_new(path, text.encode())
    except AlreadyExistsError as error:
        raise UsageError(f"{path}: is there already; --init replaces none") from error
    return load_config(path)


def config_lines(path: str, sources: Sequence[str], output: str) -> Iterator[str]:
    """Return the lines of the configuration. JSON's texts, numbers and truth values are valid TOML."""
    yield f"# pdfmill crawl {path}"
    yield f"sources = {json.dumps(list(sources), ensure_ascii=False)}"
    yield f"output = {json.dumps(output, ensure_ascii=False)}"
    yield ""
    yield "[crawl]"
    for name, setting in SETTINGS.items():
        yield f"# {name} = {json.dumps(setting.default)}  # {setting.help}"
    yield ""
    yield "# [[source]]  # a source with rules of its own, see docs/crawl.md"
    yield "[options]  # the flags of pdfmill index"
