# Shapes of heads: parameters of paths and queries, and header fields. A head may have 16 KiB and 100 fields.
from urllib.parse import quote
from bodies import Shape
from texts import FEW, kinds_for, text
from wire import Request

ROOM = 14_000  # bytes
RANGES = ",".join(f"{number * 2}-{number * 2}" for number in range(1_800))[:ROOM]
TAGS = ", ".join('"%064x"' % number for number in range(200))[:ROOM].rsplit(",", 1)[0]
FIELDS = {
    "many fields": [(f"X-A{number}", "a") for number in range(90)],
    "many long fields": [(f"X-A{number}", "a" * 140) for number in range(90)],
    "the same field": [("X-A", "a")] * 90,
    "a long field": [("X-A", "a" * ROOM)],
    "a long name": [("X" * ROOM, "a")],
    "a long agent": [("User-Agent", "Mozilla/5.0 (" + "a;" * (ROOM // 2) + ")")],
    "brackets in the agent": [("User-Agent", "(" * ROOM)],
    "letters in the agent": [("User-Agent", "\u0301\ue000" * (ROOM // 5))],
    "many ranges": [("Range", "bytes=" + RANGES)],
    "the same range": [("Range", "bytes=" + "0-," * (ROOM // 3))],
    "many tags": [("If-None-Match", TAGS)],
    "many commas of tags": [("If-None-Match", "," * ROOM)],
    "weak tags": [("If-Match", 'W/"a",' * (ROOM // 7))],
    "many languages": [("Accept-Language", ",".join(f"{chr(97 + n % 26)}{chr(97 + n // 26 % 26)};q=0.{n % 10}" for n in range(1_600)))],
    "many types": [("Accept", "text/a;q=0.1," * (ROOM // 13))],
    "parameters of a type": [("Accept", "text/a" + ";a=b" * (ROOM // 4))],
    "many encodings": [("Accept-Encoding", "gzip;q=0.1," * (ROOM // 11))],
    "many cookies": [("Cookie", "; ".join(f"a{number}=b" for number in range(ROOM // 9)))],
    "the session's cookie": [("Cookie", "keepsake=a; " * (ROOM // 12))],
    "a long cookie": [("Cookie", "keepsake=" + "a" * ROOM)],
    "a key": [("Idempotency-Key", "k" * 255)],
    "a long key": [("Idempotency-Key", "k" * ROOM)],
    "many addresses": [("X-Forwarded-For", "1.2.3.4," * (ROOM // 8))],
    "forwarded": [("Forwarded", 'for="[::1]";proto=https,' * (ROOM // 24))],
    "an origin": [("Origin", "https://" + "a." * (ROOM // 2))],
    "a referrer": [("Referer", "https://a/" + "%61" * (ROOM // 3))],
    "a connection": [("Connection", "a," * (ROOM // 2))],
    "a date": [("If-Modified-Since", "Mon, 30 Nov 2026 02:51:35 GMT" + " " * ROOM)],
    "an event": [("Last-Event-ID", "9" * ROOM)],
    "an expectation": [("Expect", "a" * ROOM)],
    "an encoding of the body": [("Content-Encoding", "gzip," * (ROOM // 5))],
}
TYPES = {
    "parameters of the body's type": "application/json" + ";a=b" * (ROOM // 4),
    "a long type": "a" * ROOM,
    "a long boundary": "multipart/form-data; boundary=" + "b" * ROOM,
    "many boundaries": "multipart/form-data" + "; boundary=b" * (ROOM // 12),
}
FEW_FIELDS = ("many fields", "many ranges", "many tags", "many cookies", "a long agent")


def encoded(content, room):
    """The text, percent-encoded and cut to at most `room` bytes."""
    content = content.encode("utf-8", "surrogatepass").decode("utf-8", "ignore")
    full = quote(content, safe="")
    while len(full) > room:
        content = content[: max(1, min(len(content) - 1, len(content) * room // len(full)))]
        full = quote(content, safe="")
    return full


def head_shapes(operation, plain, few):
    """`plain(path values, query, fields)` gives the valid request with other values in these places."""
    for name, fields in FIELDS.items():
        if (not few or name in FEW_FIELDS) and (operation.method == "GET" or name in FEW_FIELDS or "key" in name):
            yield Shape(f"head: {name}", lambda random, fields=fields: plain(random, fields=fields))
    for name, kind in TYPES.items() if operation.bodies and not few else ():
        yield Shape(f"head: {name}", lambda random, kind=kind: plain(random, fields=[("Content-Type", kind)]))
    for parameter in operation.named("path"):
        name = parameter["name"]
        for kind in FEW:
            yield Shape(f"path {name}: {kind}", lambda random, name=name, kind=kind: plain(
                random, path={name: encoded(text(kind, 6_000, random), 6_000)}))
    for parameter in operation.named("query"):
        name = parameter["name"]
        schema = parameter.get("schema", {})
        is_text = schema.get("type") == "string" and name != "cursor" and not {"enum", "format"} & set(schema)
        for kind in kinds_for(operation.id + name, few) if is_text else FEW[:3]:
            for room, count in ((6_000, 6_000), (13_000, schema.get("maxLength", 13_000))):
                def long(random, name=name, kind=kind, room=room, count=count):
                    return plain(random, query=[(name, encoded(text(kind, count, random), room))])
                yield Shape(f"query {name}: {kind}, {min(room, count):,}", long)
        yield Shape(f"query {name}: 500 times", lambda random, name=name: plain(random, query=[(name, "1")] * 500))
        yield Shape(f"query {name}: commas", lambda random, name=name: plain(random, query=[(name, "a,b," * 3_000)]))
    if operation.method == "GET" or not few:
        yield Shape("query: 2,000 names", lambda random: plain(random, query=[(f"{number:x}", "1") for number in range(2_000)]))
        yield Shape("query: ampersands", lambda random: plain(random, query=[("", "&" * 13_000)]))
        yield Shape("query: names of private use", lambda random: plain(random, query=[("%EE%80%80" * 1_400, "1")]))
