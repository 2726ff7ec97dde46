# Shapes of forms: multipart and URL-encoded, and bodies that are a file.
from urllib.parse import quote_plus
import documents
import files
from bodies import Shape
from texts import FEW, TEXTS, kinds_for, text
from wire import form

FIELDS_ROOM = 600_000  # bytes of texts; the server accepts about 655 KB in a form
NAMES = {"image": "a.png", "video": "a.mp4", "audio": "a.wav"}


def file_shapes(operation, kind):
    """(member, title, file name, type, maker) for each kind of file that the operation may take."""
    schema = operation.description.concrete(operation.bodies[kind])
    for name, member in schema.get("properties", {}).items():
        member = operation.description.concrete(member)
        items = operation.description.concrete(member.get("items", {})) if member.get("type") == "array" else member
        if items.get("format") != "binary":
            continue
        types = operation.encodings[kind].get(name, {}).get("contentType", "")
        is_any = not types
        if is_any or "image" in types:
            for title, make in files.PICTURES.items():
                yield name, title, "a." + title[:3].lower().replace("jpe", "jpg").replace("web", "webp"), "image/png", make
        if is_any or "video" in types:
            for title, make in files.FILMS.items():
                yield name, title, "a.mp4", "video/mp4", make
        if is_any and "audio" in name or "audio" in types:
            for title, make in files.SOUNDS.items():
                yield name, title, "a." + title[:3].lower(), "audio/wav", make
        if is_any and "chat" in operation.path:
            for (title, ending), make in documents.DOCUMENTS.items():
                yield name, title, "a." + ending, "application/octet-stream", make


def sides(members):
    """Pictures of a chat need their sides."""
    return [("", name, None, None, "8") for name in ("width", "height") if name in members]


def multipart_shapes(operation, plain, base, few):
    """`plain(random, fields, body)` gives the request; `base(random)` the valid texts of the form."""
    kind = "multipart/form-data"
    members = operation.description.concrete(operation.bodies[kind]).get("properties", {})
    binary = [one for one in file_shapes(operation, kind)]
    first = binary[0] if binary else None

    def shape(name, parts, boundary=None, before=b"", after=b""):
        def make(random):
            body, content_type = form(valid(random) + parts(random), boundary)
            return plain(random, fields=[("Content-Type", content_type)], body=before + body + after)
        return Shape(name, make)

    def valid(random):
        return [("", name, None, None, str(value)) for name, value in base(random).items()] + sides(members)

    def file(random, length=100):
        name, _, file_name, content_type, _ = first
        return ("", name, file_name, content_type, files.png(b"", random))

    def one_file(random):
        return [file(random)] if first else []

    for name, title, file_name, content_type, make in binary:
        if few and title not in ("PNG, tiny texts", "WAV, chunks", "text, private words", "JPEG, EXIF in a circle"):
            continue
        for length in (files.LENGTH,) if few else (files.LENGTH, files.LONG):
            def content(random, name=name, file_name=file_name, content_type=content_type, make=make, length=length):
                return [("", name, file_name, content_type, make(length, random))]
            yield shape(f"{name}: {title}" + (", long" if length > files.LENGTH else ""), content)
    yield shape("parts", lambda random: [("", f"a{number}", None, None, "") for number in range(45)] + one_file(random))
    yield shape("too many parts", lambda random: [("", f"a{number}", None, None, "") for number in range(9_000)])
    yield shape("parts without a name", lambda random: [("", None, None, None, "a")] * 45 + one_file(random))
    yield shape("fields in a part", lambda random: [("".join(f"X-{n}: a\r\n" for n in range(1_500)), "zz", None, None, "a")])
    yield shape("a long field in a part", lambda random: [("X: " + "a" * 14_000 + "\r\n", "zz", None, None, "a")] * 40)
    yield shape("a long name", lambda random: [("", "n" * 14_000, None, None, "a")] * 40)
    yield shape("parameters", lambda random: [("", "zz" + '"; a="b' * 1_900, None, None, "a")] * 40)
    yield shape("boundaries, almost", lambda random: [("", "zz", None, None, ("\r\n--" + "b" * 60) * (FIELDS_ROOM // 64))], "b" * 61)
    yield shape("ends of lines", lambda random: [("", "zz", None, None, "\r\n-" * (FIELDS_ROOM // 3))])
    yield shape("a long text in a part without a name", lambda random: [("", None, None, None, "a" * FIELDS_ROOM)])
    yield shape("before the first part", lambda random: one_file(random), None, b"\r\n--" * (FIELDS_ROOM // 4))
    yield shape("after the last part", lambda random: one_file(random), None, b"", b"\r\n--b" * (FIELDS_ROOM // 5))
    if first:
        yield shape("empty files", lambda random: [("", first[0], "a.png", "image/png", "")] * 45)
        yield shape("ten small files", lambda random: [file(random) for _ in range(10)])
        for one in kinds_for(operation.id, few):
            def named(random, one=one):
                name = text(one, 2_000, random).replace('"', "").replace("\r", "").replace("\n", "")
                return [("", first[0], name, "image/png", files.png(b"", random))]
            yield shape(f"name of the file: {one}", named)
    names = [name for name, member in members.items() if operation.description.concrete(member).get("type") == "string"
             and operation.description.concrete(member).get("format") != "binary"]
    for name in names:
        member = operation.description.concrete(members[name])
        listed = "," in member.get("pattern", "")
        for one in kinds_for(name, few):
            most = member.get("maxLength", 3_000)
            def words(random, one=one, listed=listed, most=most):
                return ",".join(text(one, 64, random).replace(",", "") for _ in range(50)) if listed else text(one, most, random)
            yield shape(f"{name}: {one}", lambda random, words=words, name=name: [("", name, None, None, words(random))] + one_file(random))
        yield shape(f"{name}: commas", lambda random, name=name: [("", name, None, None, "," * FIELDS_ROOM)])
        yield shape(f"{name}: 40 times", lambda random, name=name: [("", name, None, None, "a")] * 40 + one_file(random))
    for one in FEW if few else TEXTS:
        def everything(random, one=one):
            parts = []
            for name in names:
                member = operation.description.concrete(members[name])
                if "," in member.get("pattern", ""):
                    parts.append(("", name, None, None, ",".join(text(one, 64, random).replace(",", "") for _ in range(50))))
                elif "maxLength" in member:
                    parts.append(("", name, None, None, text(one, member["maxLength"], random)))
            return parts + one_file(random)
        yield shape(f"every text: {one}", everything)


def encoded_shapes(operation, plain, base, limit, few):
    kind = "application/x-www-form-urlencoded"

    def shape(name, make):
        def request(random):
            start = "&".join(f"{name}={quote_plus(str(value))}" for name, value in base(random).items()) + "&"
            body = (start + make(limit - len(start), random)).encode()
            return plain(random, fields=[("Content-Type", kind)], body=body[:limit])
        return Shape("URL-encoded: " + name, request)

    yield shape("fields", lambda room, random: "a&" * (room // 2))
    yield shape("fields, few", lambda room, random: "a=b&" * 900)
    yield shape("ampersands", lambda room, random: "&" * room)
    yield shape("escapes", lambda room, random: "zz=" + "%61" * ((room - 3) // 3))
    yield shape("pluses", lambda room, random: "zz=" + "+" * (room - 3))
    yield shape("a long name", lambda room, random: "%EE%80%80" * (room // 9) + "=1")
    yield shape("marks", lambda room, random: "zz=" + ("e" + "%CC%81" * 30) * (room // 181))
    members = operation.description.concrete(operation.bodies[kind]).get("properties", {})
    for name, member in members.items():
        member = operation.description.concrete(member)
        if member.get("type") == "string" and not few:
            for one in FEW:
                count = member.get("maxLength", 3_000)
                yield shape(f"{name}: {one}", lambda room, random, name=name, one=one, count=count: (
                    name + "=" + quote_plus(text(one, count, random).encode("utf-8", "ignore"))))
        yield shape(f"{name}: again and again", lambda room, random, name=name: f"{name}=a&" * min(1_000, room // (len(name) + 3)))


def raw_shapes(operation, plain, few):
    """Bodies that are one file."""
    everything = {**files.SOUNDS, **({} if few else {**files.PICTURES, **files.FILMS})}
    for title, make in everything.items():
        yield Shape(f"file: {title}", lambda random, make=make: plain(
            random, fields=[("Content-Type", "application/octet-stream")], body=make(files.LENGTH, random)))
