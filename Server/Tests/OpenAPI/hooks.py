"""Real pictures and videos, which schemathesis cannot generate, for the content types that the description names."""

from pathlib import Path

import schemathesis
from hypothesis import strategies as st

FIXTURES = Path(__file__).parent.parent / "Fixtures"


def samples(*names):
    files = [(FIXTURES / name).read_bytes() for name in names]
    # A quarter of the samples are random bytes, which are no valid file.
    return st.one_of(*[st.sampled_from(files)] * 3, st.binary(max_size=2_000))


schemathesis.openapi.media_type("image/jpeg", samples("photo.jpg", "baseline.jpg"))
schemathesis.openapi.media_type("image/png", samples("palette.png", "alpha.png"))
schemathesis.openapi.media_type("image/webp", samples("lossy.webp"))
schemathesis.openapi.media_type("image/gif", samples("still87a.gif"))
schemathesis.openapi.media_type("image/heic", samples("libheif.heic"))
schemathesis.openapi.media_type("video/mp4", samples("moov-first.mp4"))
schemathesis.openapi.media_type("audio/wav", samples("plain.wav"))
schemathesis.openapi.media_type("audio/mp4", samples("voice.m4a"))
schemathesis.openapi.media_type("audio/mpeg", samples("bare.mp3"))
