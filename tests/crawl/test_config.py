"""Every mistake in a configuration is told with its line."""

import pytest

from pdfmill.pipeline.crawl.config import load_config
from pdfmill.pipeline.options.options import UsageError
from pdfmill.transforms.storage.errors import SourceError

GOOD = """# nightly
sources = ["s3://bucket/in/", "@lists/more.txt"]
output = "s3://bucket/out"

[crawl]
retry_after_hours = 6
max_delete_share = 0.5

[options]
hyphens = "soft"
export = ["attachment", "image"]
keep_furniture = true

[beam]
runner = "FlinkRunner"
"""


def load(tmp_path, text):
    path = tmp_path / "crawl.toml"
    path.write_text(text)
    return load_config(str(path))


def test_a_good_one(tmp_path):
    config = load(tmp_path, GOOD)
    assert config.sources[0] == "s3://bucket/in/"
    assert config.flags.hyphens == "soft"
    assert config.flags.export == frozenset({"attachment", "image"})
    assert config.flags.keep_furniture is True
    assert config.beam == ("--runner=FlinkRunner",)
    assert (config.settings["retry_after_hours"], config.settings["max_attempts"]) == (6, 5)


@pytest.mark.parametrize(
    ("before", "after", "line", "words"),
    [
        ("hyphens = ", "hyphen = ", 10, "did you mean hyphens"),
        ('"soft"', '"none"', 10, "invalid choice"),
        ("retry_after_hours = 6", 'retry_after_hours = "6"', 6, "is not a number"),
        ("max_delete_share = 0.5", "max_delete_share = -1", 7, "less than 0"),
        ("max_delete_share", "max_delete_shares", 7, "did you mean max_delete_share"),
        ("keep_furniture = true", "keep_furniture = 1", 12, "true or false"),
        ("runner = ", "runer = ", 15, "unknown flag"),
        ("[options]", "[option]", 9, "did you mean options"),
        ('output = "s3://bucket/out"', "output = 3", 3, "must be a folder"),
        ('sources = ["s3://bucket/in/", "@lists/more.txt"]', "sources = []", 2, "must be a list"),
        ("retry_after_hours = 6", "retry_after_hours = ", 6, "Invalid value"),
    ],
)
def test_mistakes(tmp_path, before, after, line, words):
    with pytest.raises(UsageError) as told:
        load(tmp_path, GOOD.replace(before, after))
    assert words in str(told.value)
    assert f"crawl.toml:{line}:" in str(told.value) or f"line {line}" in str(told.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(SourceError, match="No such file"):
        load_config(str(tmp_path / "none.toml"))


def test_the_signature_follows_what_matters_and_nothing_else(tmp_path):
    base = load(tmp_path, GOOD).signature()
    assert load(tmp_path, GOOD.replace('"soft"', '"on"')).signature() != base
    assert (
        load(
            tmp_path, GOOD.replace("keep_furniture = true", "keep_furniture = true\npages_per_range = 4\nseconds_per_page = 20")
        ).signature()
        == base
    )


def test_paths_count_from_the_configuration(tmp_path, monkeypatch):
    (tmp_path / "conf").mkdir()
    text = 'sources = ["in/", "@lists/more.txt", "s3://b/c/", "/abs/*.pdf", "../up"]\noutput = "out"\n[options]\npasswords = "secret.txt"\n'
    (tmp_path / "conf" / "crawl.toml").write_text(text)
    told = (f"{tmp_path}/conf/in/", f"@{tmp_path}/conf/lists/more.txt", "s3://b/c/", "/abs/*.pdf", f"{tmp_path}/up")
    for folder, path in (
        (tmp_path, "conf/crawl.toml"),
        (tmp_path / "conf", "crawl.toml"),
        (tmp_path, str(tmp_path / "conf" / "crawl.toml")),
    ):
        monkeypatch.chdir(folder)
        config = load_config(path)
        assert (config.sources, config.output, config.flags.passwords) == (told, f"{tmp_path}/conf/out", f"{tmp_path}/conf/secret.txt")


def test_paths_count_from_a_configuration_in_a_store(monkeypatch):
    monkeypatch.setattr("pdfmill.pipeline.crawl.config.read_file", lambda path: b'sources = ["in/"]\noutput = "out"\n')
    config = load_config("s3://bucket/conf/crawl.toml")
    assert (config.sources, config.output) == (("s3://bucket/conf/in/",), "s3://bucket/conf/out")


TABLES = """
output = "out"
[[source]]
name = "a"
from = "in/"
exclude = ["draft-*"]
dead_days = 3
[crawl]
retry_after_hours = 6
[[source]]
name = "b"
from = ["s3://b/c/"]
retry_after_hours = 1
"""


def test_sources_with_rules_of_their_own(tmp_path):
    config = load(tmp_path, TABLES)
    assert config.sources == (f"{tmp_path}/in/", "s3://b/c/")
    assert [config.named(each)[0] for each in config.sources] == ["a", "b"]
    assert [config.rules[name].retry_after.total_seconds() / 3600 for name in "ab"] == [6, 1]
    assert (config.rules["a"].exclude, config.rules["a"].dead_for.days, config.rules["b"].dead_for) == (("draft-*",), 3, None)
    assert load(tmp_path, 'sources = ["s3://x/"]\n' + TABLES).sources[0] == "s3://x/"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('name = "b"', 'name = "a"', "needs a name of its own"),
        ('from = "in/"', "", "of a: must be a text or a list"),
        ('["draft-*"]', '"draft-*"', "must be a list of patterns"),
        ("dead_days = 3", "dead_day = 3", "did you mean dead_days"),
        ("dead_days = 3", "dead_days = -3", "less than 0"),
        ("dead_days = 3", "priority = 1.5", "not a whole number"),
        ("dead_days = 3", "keep_days = 3", "there is no such key"),
    ],
)
def test_mistakes_in_a_source(tmp_path, before, after, words):
    with pytest.raises(UsageError, match=r"crawl\.toml:") as told:
        load(tmp_path, TABLES.replace(before, after))
    assert words in str(told.value)


EVENTS = 'events = "https://sqs.eu-west-1.amazonaws.com/1/q"'
ID_BASE = 'id_base = "s3://b/old/"'


@pytest.mark.parametrize(
    ("source", "key", "words"),
    [
        *((source, EVENTS, r"events: of a: ") for source in ("gs://b/in/", "@s3://b/list.txt", "in/")),
        *(
            (source, ID_BASE, r"id_base: of a: from and id_base must each be one address of a folder")
            for source in ("@list.txt", "https://example.org/a.pdf", "inventory+s3://b/report/")
        ),
    ],
)
def test_keys_of_one_folder(tmp_path, source, key, words):
    with pytest.raises(UsageError, match=rf"crawl.toml:5: \[source\] {words}"):
        load(tmp_path, f'output = "out"\n[[source]]\nname = "a"\nfrom = "{source}"\n{key}\n')
