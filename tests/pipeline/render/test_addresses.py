import pytest

from pdfmill.pipeline.render.joined_blocks import safe_address


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("https://e.org", "https://e.org"),
        ("HTTPS://e.org/ä", "HTTPS://e.org/%C3%A4"),
        ("https://e.org/100%#a#b", "https://e.org/100%25#a%23b"),
        ("mailto:a@b.org", "mailto:a@b.org"),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("https://user@e.org", None),
        ("https://", None),
        ("https://a b.org", None),
        ("https://[::1", None),
        ("https://e.org:99999", None),
        ("/relative", None),
        ("", None),
    ],
)
def test_only_safe_addresses_pass(uri, address):
    assert safe_address(uri) == address
