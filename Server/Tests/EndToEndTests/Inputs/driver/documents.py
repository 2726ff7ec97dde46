# Documents of a chat with extreme contents.
import io, struct, zipfile, zlib
from files import fresh
from texts import TEXTS, text

TYPES = (
    b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
    b'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType='
    b'"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    b'<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type='
    b'"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
)
WORD = b'<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
END = b"</w:body></w:document>"


def docx(content, extra=lambda length: (), before=WORD, end=END):
    def build(length, random):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("[Content_Types].xml", TYPES)
            archive.writestr("_rels/.rels", RELATIONS)
            own = b"<w:p><w:r><w:t>" + fresh(random) + b"</w:t></w:r></w:p>"
            archive.writestr("word/document.xml", before + content(length) + own + end)
            for name, inner in extra(length):
                archive.writestr(name, inner)
        return buffer.getvalue()
    return build


def pdf(make):
    def build(length, random):
        pieces = [b"%PDF-1.4\n%" + fresh(random) + b"\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"]
        pieces.append(b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n")
        pieces.append(b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n")
        pieces.append(make(length))
        return b"".join(pieces) + b"trailer<</Root 1 0 R>>\n%%EOF\n"
    return build


def stream(content):
    packed = zlib.compress(content, 9)
    return b"4 0 obj<</Length %d/Filter/FlateDecode>>stream\n" % len(packed) + packed + b"\nendstream endobj\n"


def plain(kind):
    return lambda length, random: (fresh(random) + b" " + text(kind, length // 3, random).encode("utf-8", "ignore"))[:length]


def many_entries(length):
    return ((f"a{number}", b"") for number in range(length // 110))


DOCUMENTS = {
    ("PDF, objects", "pdf"): pdf(lambda length: b"".join(b"%d 0 obj 1 endobj\n" % number for number in range(5, length // 20))),
    ("PDF, nested arrays", "pdf"): pdf(lambda length: b"5 0 obj" + b"[" * (length // 2) + b"]" * (length // 2) + b"endobj\n"),
    ("PDF, a stream of 200 MB", "pdf"): pdf(lambda length: stream(b"BT (a) Tj ET " * 16_000_000)),
    ("PDF, a stream of 10 MB", "pdf"): pdf(lambda length: stream(b"BT (a) Tj ET " * 800_000)),
    ("PDF, pages", "pdf"): pdf(lambda length: b"".join(
        b"%d 0 obj<</Type/Page/Parent 2 0 R>>endobj\n" % number for number in range(5, length // 45))),
    ("PDF, signs of ends", "pdf"): pdf(lambda length: b"stream endstream " * (length // 17)),
    ("DOCX, entries", "docx"): docx(lambda length: b"", many_entries),
    ("DOCX, paragraphs", "docx"): docx(lambda length: b"<w:p/>" * (length * 8)),
    ("DOCX, runs", "docx"): docx(lambda length: b"<w:p><w:r><w:t>a</w:t></w:r></w:p>" * length),
    ("DOCX, nested", "docx"): docx(lambda length: b"<w:p>" * (length // 2) + b"</w:p>" * (length // 2)),
    ("DOCX, attributes", "docx"): docx(lambda length: b"<w:p " + b"".join(b'a%d="b" ' % number for number in range(length // 8)) + b"/>"),
    ("DOCX, entities", "docx"): docx(
        lambda length: b"&a;" * 1_000, before=b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "' + b"a" * 1_000 + b'">]>' + WORD[21:]),
    ("DOCX, a deep folder", "docx"): docx(lambda length: b"", lambda length: [("a/" * 30_000, b"")]),
    ("DOC", "doc"): lambda length, random: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + fresh(random) + b"\xfe\xff\xff\xff" * (length // 4),
    **{(f"text, {kind}", "txt"): plain(kind) for kind in TEXTS},
    ("Markdown, brackets", "md"): lambda length, random: fresh(random) + b"[](" * (length // 3),
}
