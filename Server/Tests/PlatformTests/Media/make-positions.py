#!/usr/bin/env python3
"""make-positions.py: makes the pictures in Fixtures for the tests of positions in metadata. The results are committed. It needs libvips-tools with
HEVC (Debian 12: apt-get install libvips-tools libheif1). Each picture is 96 by 64 pixels when upright, has a Display P3 profile, and is stored
so that orientation 6 makes it upright:

    position-exif.*       the position in EXIF
    position-xmp.*        the position in XMP
    no-position.*        EXIF and XMP of a camera that records no position
    position-second.jpg   the position in EXIF of a second picture after the first one
    position-extended.jpg the position in an XMP packet that is split within its word
    position-raw.png      the position in EXIF as ImageMagick writes it: hexadecimal digits, compressed
    position-uuid.heic    the position in XMP in a box that no item names
"""
import os
import struct
import subprocess
import tempfile
import zlib

here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(here, "Fixtures")
temporary = tempfile.mkdtemp()


def vips(*arguments):
    subprocess.run(["vips", *arguments], check=True, stderr=subprocess.DEVNULL)


def encoded(suffix, options=""):
    path = os.path.join(temporary, "plain." + suffix)
    vips("copy", os.path.join(temporary, "p3.png"), path + options)
    with open(path, "rb") as file:
        return file.read()


# The stored picture, in Display P3.
vips("icc_transform", os.path.join(folder, "upright-6.png"), os.path.join(temporary, "turned.v"), "p3", "--input-profile", "srgb")
vips("copy", os.path.join(temporary, "turned.v"), os.path.join(temporary, "whole.png[strip=true]"))
vips("copy", os.path.join(temporary, "turned.v"), os.path.join(temporary, "loose.png"))


def chunks(png):
    at = 8
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        at += 12 + size


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


with open(os.path.join(temporary, "loose.png"), "rb") as file:
    loose = file.read()
with open(os.path.join(temporary, "p3.png"), "wb") as file:
    file.write(loose[:8] + b"".join(chunk(k, b) for k, b in chunks(loose) if k in (b"IHDR", b"PLTE", b"iCCP", b"IDAT", b"IEND")))


def directory(entries, start, order="<"):
    """A TIFF directory whose values stand after it. entries: (tag, type, count, bytes)."""
    head = struct.pack(order + "H", len(entries))
    tail = b""
    after = start + 2 + 12 * len(entries) + 4
    for tag, kind, count, value in entries:
        head += struct.pack(order + "HHI", tag, kind, count)
        if len(value) <= 4:
            head += value.ljust(4, b"\0")
        else:
            head += struct.pack(order + "I", after + len(tail))
            tail += value + b"\0" * (len(value) % 2)
    return head + struct.pack(order + "I", 0) + tail


def degrees(*parts):
    return b"".join(struct.pack("<II", part, 1) for part in parts)


def exif(places, orientation=6):
    position = [(0, 1, 4, bytes([2, 3, 0, 0]))]
    if places:
        position += [(1, 2, 2, b"N\0"), (2, 5, 3, degrees(52, 31, 5)), (3, 2, 2, b"E\0"), (4, 5, 3, degrees(13, 22, 40))]

    def first(details, place):
        return [(0x010F, 2, 9, b"Keepsake\0"), (0x0112, 3, 1, struct.pack("<H", orientation)),
                (0x8769, 4, 1, struct.pack("<I", details)), (0x8825, 4, 1, struct.pack("<I", place))]

    details = [(0x9003, 2, 20, b"2025:06:14 18:30:12\0")]
    at = 8 + len(directory(first(0, 0), 8))
    then = at + len(directory(details, at))
    return b"II*\0\x08\0\0\0" + directory(first(at, then), 8) + directory(details, at) + directory(position, then)


def xmp(places):
    place = ' exif:GPSLatitude="52,31.083N" exif:GPSLongitude="13,22.667E"' if places else ""
    return (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""'
        ' xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmp:CreatorTool="Keepsake"%s/>'
        "</rdf:RDF></x:xmpmeta>" % place
    ).encode()


def segment(marker, body):
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def jpeg(*segments, plain=None):
    plain = plain or encoded("jpg", "[Q=90,subsample-mode=off]")
    # libvips writes an EXIF block of its own.
    at, kept = 2, []
    while plain[at + 1] != 0xDA:
        (length,) = struct.unpack(">H", plain[at + 2 : at + 4])
        if plain[at + 1] != 0xE1:
            kept.append(plain[at : at + 2 + length])
        at += 2 + length
    jfif = kept.pop(0) if kept[0][1] == 0xE0 else b""
    return b"\xff\xd8" + jfif + b"".join(segments) + b"".join(kept) + plain[at:]


def app1(block):
    return segment(0xE1, b"Exif\0\0" + block)


def packet(text):
    return segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + text)


def png(*added):
    (head, *rest) = chunks(encoded("png"))
    return b"\x89PNG\r\n\x1a\n" + chunk(*head) + b"".join(added) + b"".join(chunk(*one) for one in rest)


def itxt(text):
    return chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + text)


def webp(*added):
    plain = encoded("webp", "[lossless=true]")
    at, parts = 12, []
    while at < len(plain):
        (size,) = struct.unpack("<I", plain[at + 4 : at + 8])
        parts.append((plain[at : at + 4], plain[at + 8 : at + 8 + size]))
        at += 8 + size + size % 2
    assert parts[0][0] == b"VP8X", parts[0][0]
    parts = [part for part in parts if part[0] in (b"VP8X", b"ICCP", b"VP8L")]
    flags = 0x20 | (0x08 if any(k == b"EXIF" for k, _ in added) else 0) | (0x04 if any(k == b"XMP " for k, _ in added) else 0)
    parts[0] = (b"VP8X", bytes([parts[0][1][0] & 0x10 | flags]) + parts[0][1][1:])
    body = b"".join(k + struct.pack("<I", len(b)) + b + b"\0" * (len(b) % 2) for k, b in parts + list(added))
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def heic(block, text):
    """libvips copies EXIF and XMP of a JPEG into the HEIC, and turn-heic.py adds the rotation."""
    source, flat, turned = (os.path.join(temporary, name) for name in ("source.jpg", "flat.heic", "turned.heic"))
    with open(source, "wb") as file:
        file.write(jpeg(*([app1(block)] if block else []), *([packet(text)] if text else []), plain=encoded("jpg", "[Q=100,subsample-mode=off]")))
    vips("heifsave", source, flat, "--compression", "hevc", "--Q", "60")
    subprocess.run(["python3", os.path.join(here, "turn-heic.py"), flat, turned], check=True)
    with open(turned, "rb") as file:
        return file.read()


def keep(name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


keep("position-exif.jpg", jpeg(app1(exif(True))))
keep("position-xmp.jpg", jpeg(app1(exif(False)), packet(xmp(True))))
keep("no-position.jpg", jpeg(app1(exif(False)), packet(xmp(False))))
keep("position-second.jpg", jpeg(app1(exif(False))) + jpeg(app1(exif(True))))
text = xmp(True)
cut = text.index(b"GPSLatitude") + 5
guid = b"0123456789ABCDEF0123456789ABCDEF"
parts = [(0, text[:cut]), (cut, text[cut:])]
extended = [
    segment(0xE1, b"http://ns.adobe.com/xmp/extension/\0" + guid + struct.pack(">II", len(text), offset) + part)
    # Neither part names the longitude. The word GPSLatitude is split between them.
    for offset, part in [(0, parts[0][1]), (cut, parts[1][1].replace(b"exif:GPSLongitude", b"exif:Other"))]
]
keep("position-extended.jpg", jpeg(app1(exif(False)), packet(xmp(False)), *extended))

keep("position-exif.png", png(chunk(b"eXIf", exif(True))))
keep("position-xmp.png", png(chunk(b"eXIf", exif(False)), itxt(xmp(True))))
keep("no-position.png", png(chunk(b"eXIf", exif(False)), itxt(xmp(False)), chunk(b"tEXt", b"Software\0Keepsake")))
digits = (b"Exif\0\0" + exif(True)).hex().encode()
raw = b"\nexif\n%8d\n" % (len(digits) // 2) + b"\n".join(digits[i : i + 72] for i in range(0, len(digits), 72)) + b"\n"
keep("position-raw.png", png(chunk(b"eXIf", exif(False)), chunk(b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(raw))))

keep("position-exif.webp", webp((b"EXIF", exif(True))))
keep("position-xmp.webp", webp((b"EXIF", exif(False)), (b"XMP ", xmp(True))))
keep("no-position.webp", webp((b"EXIF", exif(False)), (b"XMP ", xmp(False))))

keep("position-exif.heic", heic(exif(True), None))
keep("position-xmp.heic", heic(exif(False), xmp(True)))
keep("no-position.heic", heic(exif(False), xmp(False)))
box = bytes.fromhex("BE7ACFCB97A942E89C71999491E3AFAC") + xmp(True)
keep("position-uuid.heic", heic(exif(False), None) + struct.pack(">I4s", len(box) + 8, b"uuid") + box)
