# Shapes of bodies of JSON and of messages over WebSockets.
import base64, copy, json
import files
from texts import FEW, TEXTS, kinds_for, text
from wire import Request

VALUES = 19_000  # just below the number of values that the server accepts


class Shape:
    """A request that is made anew for each attempt, because the server keeps what it received. `size` is the limit of the body."""

    def __init__(self, name, make, message=False):
        self.name, self.make, self.message = name, make, message


def dump(value):
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def with_member(base, raw, name="zz"):
    """The object with one more member, whose value is the text `raw`."""
    body = dump(base)[:-1]
    return body + (b"," if len(body) > 1 else b"") + b'"' + name.encode() + b'":' + raw + b"}"


def with_members(base, members):
    """The object with the members of another one."""
    return dump(base)[:-1] + (b"," if base else b"") + members[1:]


def listed(item, room, most=None):
    """An array of as many items as fit."""
    count = room // (len(item) + 1)
    return b"[" + b",".join([item] * max(1, min(count, most or count))) + b"]"


def padded(room, count):
    """`count` texts that fill the room together."""
    length = max(1, room // count - 3)
    return listed(b'"' + b"a" * length + b'"', room, count)


def keys(room, most, make):
    """An object of members, of which `make(number)` gives one."""
    members, length = [], 0
    while length < room - 20 and len(members) < most:
        members.append(make(len(members)))
        length += len(members[-1]) + 1
    return b"{" + b",".join(members) + b"}"


def quoted(content):
    return b'"' + content.encode("utf-8", "surrogatepass") + b'"'


def chars(unit, room):
    return unit * max(1, (room - 2) // len(unit.encode("utf-8", "surrogatepass")))


UNKNOWN = {
    "numbers": lambda room, random: listed(b"1", room),
    "numbers, few": lambda room, random: listed(b"1", room, VALUES),
    "decimals, few": lambda room, random: listed(b"1.7976931348623157e308", room, VALUES),
    "empty objects": lambda room, random: listed(b"{}", room),
    "empty objects, few": lambda room, random: listed(b"{}", room, VALUES // 2),
    "empty texts": lambda room, random: listed(b'""', room),
    "empty texts, few": lambda room, random: listed(b'""', room, VALUES),
    "texts that fill it": lambda room, random: padded(room, VALUES),
    "escaped texts that fill it": lambda room, random: listed(b'"' + b"\\u00e9" * max(1, room // VALUES // 6) + b'"', room, VALUES),
    "nested arrays": lambda room, random: b"[" * (room // 2) + b"]" * (room // 2),
    "400 levels": lambda room, random: listed(b"[" * 400 + b"]" * 400, room, VALUES // 400),
    "30 levels of objects": lambda room, random: listed(b'{"a":' * 30 + b"1" + b"}" * 30, room, VALUES // 61),
    "ASCII": lambda room, random: b'"' + b"a" * (room - 2) + b'"',
    "escapes": lambda room, random: b'"' + b"\\u0061" * ((room - 2) // 6) + b'"',
    "escaped pairs": lambda room, random: b'"' + b"\\ud83d\\ude00" * ((room - 2) // 12) + b'"',
    "lone surrogates": lambda room, random: b'"' + b"\\ud83d" * ((room - 2) // 6) + b'"',
    "escaped quotes": lambda room, random: b'"' + b'\\"' * ((room - 2) // 2) + b'"',
    "escaped marks": lambda room, random: b'"' + b"e" + (b"e" + b"\\u0301" * 30) * ((room - 3) // 181) + b'"',
    "private use": lambda room, random: quoted(chars("\ue000\uf123", room)),
    "marks": lambda room, random: quoted(chars("e" + "\u0301\u0323" * 15, room)),
    "emoji": lambda room, random: quoted(chars("\U0001f468\u200d\U0001f469\u200d\U0001f467", room)),
    "spaces": lambda room, random: b"1" + b" " * (room - 1),
    "members": lambda room, random: keys(room, VALUES * 4, lambda number: b'"%x":1' % number),
    "members, few": lambda room, random: keys(room, VALUES // 2, lambda number: b'"%x":1' % number),
    "long members, few": lambda room, random: keys(
        room, VALUES // 2, lambda number: b'"%d%s":1' % (number, b"k" * max(1, room * 2 // VALUES - 12))),
    "members of private use": lambda room, random: keys(room, VALUES // 2, lambda number: quoted(chr(0xF0000 + number) * 3) + b":1"),
    "the same member": lambda room, random: keys(room, VALUES // 2, lambda number: b'"a":1'),
    "a huge exponent": lambda room, random: b"1e" + b"9" * (room - 2),
    "digits": lambda room, random: b"1" * room,
    "decimal places": lambda room, random: b"0." + b"1" * (room - 2),
    "a broken end": lambda room, random: b'"' + b"a" * (room - 4) + b'",,,',
}
FEW_UNKNOWN = ("empty objects", "empty objects, few", "texts that fill it", "members, few", "escapes", "private use")


def set_member(value, path, member):
    value = copy.deepcopy(value)
    inner = value
    for step in path[:-1]:
        inner[step] = inner.get(step) if isinstance(inner.get(step), dict) else {}
        inner = inner[step]
    inner[path[-1]] = member
    return value


def raw_member(value, path, raw):
    """JSON in which the member at `path` has the text `raw`."""
    mark = "\u0001mark"
    return dump(set_member(value, path, mark)).replace(json.dumps(mark).encode(), raw, 1)


def json_shapes(description, operation, schema, make_request, base, limit, few):
    """`make_request(body)` gives the request for a body; `base(random)` a valid value."""
    kinds = FEW if few else list(TEXTS)

    def shape(name, make):
        return Shape(name, lambda random: make_request(make(base(random), random)))

    for name, fill in UNKNOWN.items():
        if not few or name in FEW_UNKNOWN:
            yield shape(f"unknown member: {name}", lambda value, random, fill=fill: with_member(
                value, fill(limit - len(dump(value)) - 12, random)))
    if description.kind(schema) != "object":
        return
    yield shape("unknown members", lambda value, random: with_members(value, keys(
        limit - len(dump(value)) - 12, VALUES // 2, lambda number: b'"%x":1' % number)))
    known = list(description.members(schema))
    if known:
        yield shape("one member again and again", lambda value, random: with_members(value, keys(
            limit - len(dump(value)) - 200, VALUES // 2, lambda number: quoted(known[0][0][0]) + b":1")))
    for path, member in known:
        yield from member_shapes(description, shape, ".".join(path), path, member, limit, kinds, few)
    texts = [(path, member) for path, member in known if description.kind(member) == "string" and "maxLength" in member]
    for kind in kinds if len(texts) > 1 else []:
        def everything(value, random, kind=kind):
            for path, member in texts:
                value = set_member(value, path, text(kind, min(member["maxLength"], limit // len(texts) // 5), random))
            return dump(value)
        yield shape(f"every text: {kind}", everything)


def member_shapes(description, shape, name, path, member, limit, kinds, few):
    kind = description.kind(member)
    room = lambda value: limit - len(dump(set_member(value, path, ""))) - 8
    if kind == "string" and member.get("contentEncoding") == "base64":
        for title, make in files.PICTURES.items():
            yield shape(f"{name}: {title}", lambda value, random, make=make: dump(set_member(
                value, path, base64.b64encode(make(files.LENGTH, random)).decode())))
        yield shape(f"{name}: line breaks", lambda value, random: raw_member(value, path, b'"' + b"\\n" * (room(value) // 2) + b'"'))
        yield shape(f"{name}: equal signs", lambda value, random: raw_member(value, path, b'"' + b"=" * room(value) + b'"'))
        return
    if kind == "string":
        most = member.get("maxLength")
        for one in kinds if (most or 0) >= 1_000 else kinds_for(name, few):
            lengths = [most] if most else [200, 2_000, 10_000, limit]
            for length in lengths if one in FEW or most else [2_000, limit]:
                def valid(value, random, one=one, length=length):
                    filled = text(one, min(length, limit), random)
                    while len(dump(set_member(value, path, filled))) > limit:
                        filled = filled[: len(filled) * 3 // 4]
                    return dump(set_member(value, path, filled))
                yield shape(f"{name}: {one}, {min(length, limit):,} characters", valid)
        for one in FEW if most and not few else []:
            def long(value, random, one=one):
                filled = text(one, room(value), random)
                while len(dump(set_member(value, path, filled))) > limit:
                    filled = filled[: len(filled) * 3 // 4]
                return dump(set_member(value, path, filled))
            yield shape(f"{name}: {one}, as many as fit", long)
        yield shape(f"{name}: a list", lambda value, random: raw_member(value, path, listed(b'"a"', room(value), VALUES)))
    if kind == "array":
        yield from array_shapes(description, shape, name, path, member, room, kinds, few)
    if kind == "object":
        yield shape(f"{name}: members", lambda value, random: raw_member(
            value, path, keys(room(value), VALUES // 2, lambda number: b'"%x":1' % number)))
    if kind in ("integer", "number"):
        yield shape(f"{name}: digits", lambda value, random: raw_member(value, path, b"1" * room(value)))
        yield shape(f"{name}: exponent", lambda value, random: raw_member(value, path, b"1e" + b"9" * (room(value) - 2)))
        yield shape(f"{name}: decimal places", lambda value, random: raw_member(value, path, b"1." + b"0" * (room(value) - 2)))


def array_shapes(description, shape, name, path, member, room, kinds, few):
    items = description.concrete(member.get("items", {}))
    kind, most = description.kind(items), member.get("maxItems")
    if kind == "object":
        names = list(items.get("properties", {"a": {}}))
        element = b"{" + b",".join(quoted(one) + b':""' for one in names) + b"}"
        for title, count in (("as many as fit", None), ("few values", VALUES // (2 * len(names) + 1)), ("the most", most)):
            yield shape(f"{name}: objects, {title}", lambda value, random, count=count: raw_member(
                value, path, listed(element, room(value), count)))
        yield shape(f"{name}: empty objects", lambda value, random: raw_member(value, path, listed(b"{}", room(value), VALUES // 2)))
        return
    numbers = {
        "empty texts": lambda number: b'""', "short texts": lambda number: b'"%x"' % number, "numbers": lambda number: b"%d" % number,
        "phone numbers": lambda number: b'"+4915%09d"' % number, "ids": lambda number: b'"0193f3a1-0d5e-7b21-8c44-%012x"' % number,
        "one text": lambda number: b'"a"', "phones with signs": lambda number: b'"+(49)-15/%07d -.()"' % number,
    }
    for title, make in numbers.items():
        for count in [VALUES, most] if most and not few else [VALUES]:
            yield shape(f"{name}: {count:,} {title}", lambda value, random, make=make, count=count: raw_member(
                value, path, b"[" + keys(room(value), count, make)[1:-1] + b"]"))
    for one in kinds_for(name, few) if kind == "string" else []:
        def filled(value, random, one=one):
            count, space = most or 100, room(value)
            length = min(items.get("maxLength", 100_000), max(1, space // count // 4 - 3))
            return dump(set_member(value, path, [text(one, length, random) for _ in range(count)]))
        yield shape(f"{name}: {one} in each", filled)
        yield shape(f"{name}: one of {one}", lambda value, random, one=one: dump(set_member(
            value, path, [text(one, room(value) // 5, random)])))
