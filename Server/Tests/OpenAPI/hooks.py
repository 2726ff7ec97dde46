"""Real pictures and videos, which schemathesis cannot generate, for the content types that the description names."""

from http import HTTPStatus
from pathlib import Path

import schemathesis
from hypothesis import strategies as st

# The titles as the server writes them. The names that Python has for 413 and 422 depend on its version.
TITLES = {status.value: status.phrase for status in HTTPStatus} | {413: "Payload Too Large", 422: "Unprocessable Entity"}

FIXTURES = Path(__file__).parent.parent / "Fixtures"


def samples(*names):
    files = [(FIXTURES / name).read_bytes() for name in names]
    # A quarter of the samples are random bytes, which are not a valid file.
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
# Bodies of requests to a capsule's upload link.
schemathesis.openapi.media_type("application/octet-stream", samples("plain.wav", "voice.m4a", "bare.mp3"))


@schemathesis.check
def values_that_schemas_omit(ctx, response, case):
    """Checks rules that the description states only in words: a success has `success: true`, and an error names its own status. In a schema,
    these rules would make code generators produce unusable types. So all errors of a dialect share one schema, and no boolean is a constant."""
    if case.method == "HEAD" or "json" not in response.headers.get("content-type", [""])[0]:
        return
    body = response.json()
    if response.status_code < 400:
        assert not isinstance(body, dict) or body.get("success", True) is True, body
    elif "code" in body:
        assert (body["code"], body["error"]) == (response.status_code, TITLES[response.status_code]), body
    elif set(body) == {"error", "message"}:
        codes = {TITLES[response.status_code].lower().replace(" ", "_")}
        if response.status_code == 403:
            codes |= {"sign_in_again", "wrong_password", "suspended", "confirm_email"}
        if response.status_code == 413:
            codes.add("quota_exceeded")
        assert body["error"] in codes, body
