import pytest

from pdfmill.pipeline.options.options import OPTIONS, UsageError, index_parser, job_settings, parse_index


def test_defaults_make_settings(tmp_path):
    flags, rest = parse_index(["a.pdf", "--output", tmp_path.as_uri()])
    settings = job_settings(flags, "part", 1)
    assert rest == []
    assert settings.read.export == {"attachment", "xfa"}
    assert settings.read.assets_uri == (tmp_path / "files").as_uri()
    assert not settings.layout.keep_furniture


def test_beam_options_pass_through():
    _, rest = parse_index(["a.pdf", "--output", "x", "--runner", "FlinkRunner", "--parallelism=3"])
    assert rest == ["--runner", "FlinkRunner", "--parallelism=3"]


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["a.pdf"], "--output"),
        (["--output", "x"], "SOURCE"),
        (["a.pdf", "--output", "x", "--worker", "2"], "did you mean --workers"),
        (["a.pdf", "--output", "x", "--workers", "0"], "0 is less than 1"),
        (["a.pdf", "--output", "x", "--workers", "two"], "whole number"),
        (["a.pdf", "--output", "x", "--export", "images"], "choose from attachment"),
        (["a.pdf", "--output", "x", "--hyphens", "maybe"], "maybe"),
    ],
)
def test_bad_flags_say_what_would_do(argv, told):
    with pytest.raises(UsageError, match=told):
        parse_index(argv)


def test_nothing_is_exported_when_none_is_asked():
    flags, _ = parse_index(["a.pdf", "--output", "x", "--export", "none"])
    assert job_settings(flags, "part", 1).read.assets_uri is None


def test_jpeg_is_kept_when_asked():
    flags, _ = parse_index(["a.pdf", "--output", "x", "--export", "image", "--keep_jpeg"])
    assert job_settings(flags, "part", 1).read.keep_jpeg
    flags, _ = parse_index(["a.pdf", "--output", "x", "--export", "image"])
    assert not job_settings(flags, "part", 1).read.keep_jpeg


def test_help_tells_every_flag():
    text = index_parser().format_help()
    assert all(option.flag in text and option.help.endswith(".") for option in OPTIONS)
