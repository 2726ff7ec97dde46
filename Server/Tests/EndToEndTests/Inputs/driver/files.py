# The smallest valid files of each kind with extreme metadata, of about `length` bytes.
import io, os, struct, zipfile, zlib
from description import chunk

LENGTH, LONG = 900_000, 7_000_000
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Fixtures")


def fixture(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


def fresh(random):
    return random.randbytes(8).hex().encode()


# MARK: Pictures

HEAD = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
ROWS = b"".join(b"\0" + bytes(24) for _ in range(8))


def png(before, random, data=None, after=b""):
    own = chunk(b"tEXt", b"Comment\0" + fresh(random))
    return HEAD + own + before + (data or chunk(b"IDAT", zlib.compress(ROWS))) + after + chunk(b"IEND", b"")


def png_chunks(make):
    def build(length, random):
        one = make(random)
        return png(one * (length // len(one)), random)
    return build


def png_pieces(length, random):
    """Many empty pieces of the picture's data."""
    data = zlib.compress(ROWS)
    return png(b"", random, chunk(b"IDAT", data[:4]) + chunk(b"IDAT", b"") * (length // 12) + chunk(b"IDAT", data[4:]))


def png_inflated(name, head):
    """Texts that inflate to 7.9 MB each, just below the limit for one."""
    text = zlib.compress(b"a" * 7_900_000, 9)
    return lambda length, random: png(chunk(name, head + text) * min(16, length // len(text)), random)


def segment(marker, content):
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def jpeg(make):
    """A real JPEG with segments in front."""
    def build(length, random):
        base = fixture("baseline.jpg")
        return base[:2] + segment(0xFE, fresh(random)) + make(length, random) + base[2:]
    return build


def tiff(entries, more=b"", next_one=0):
    return b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", len(entries)) + b"".join(entries) + struct.pack("<I", next_one) + more


def exif(length, random):
    return segment(0xE1, b"Exif\0\0" + tiff([struct.pack("<HHII", 0x9000 + number % 4096, 3, 1, 1) for number in range(5_400)]))


def exif_circle(length, random):
    return segment(0xE1, b"Exif\0\0" + tiff([struct.pack("<HHII", 0x8769, 4, 1, 8)] * 5_400, b"", 8))


def exif_overlap(length, random):
    """Entries whose values are the whole segment."""
    return segment(0xE1, b"Exif\0\0" + tiff([struct.pack("<HHII", 0x010E, 2, 64_000, 8)] * 5_400))


def exif_circles(count):
    """Entries that point to their own directory as three other ones, in turns."""
    entries = [struct.pack("<HHII", (0x8769, 0x8825, 0xA005)[number % 3], 4, 1, 8) for number in range(count)]
    return tiff(entries)


def xmp(text):
    head = b'http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/">'
    return lambda length, random: segment(0xE1, head + (text * 65_000)[: 65_000 - len(head)])


def gif(make):
    def build(length, random):
        head = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
        own = b"\x21\xfe\x10" + fresh(random) + b"\0"
        frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\0"
        one = make(frame)
        return head + own + frame + one * ((length - 60) // len(one)) + b"\x3b"
    return build


def webp(length, random):
    base = fixture("lossy.webp")
    one = b"abcd" + struct.pack("<I", 2) + b"aa"
    rest = base[12:] + b"abcd" + struct.pack("<I", 16) + fresh(random) + one * (length // len(one))
    return b"RIFF" + struct.pack("<I", len(rest) + 4) + b"WEBP" + rest


PICTURES = {
    "PNG, tiny texts": png_chunks(lambda random: chunk(b"tEXt", b"a\0")),
    "PNG, long texts": png_chunks(lambda random: chunk(b"iTXt", b"a\0\0\0\0\0" + b"\xee\x80\x80" * 20_000)),
    "PNG, XMP": png_chunks(lambda random: chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + b"<a>" * 10_000)),
    "PNG, zTXt of 7.9 MB": png_inflated(b"zTXt", b"a\0\0"),
    "PNG, XMP of 7.9 MB": png_inflated(b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0"),
    "PNG, profile of 7.9 MB": png_inflated(b"iCCP", b"a\0\0"),
    "PNG, unknown chunks": png_chunks(lambda random: chunk(b"abCd", b"")),
    "PNG, pieces": png_pieces,
    "PNG, EXIF": png_chunks(lambda random: chunk(b"eXIf", tiff([struct.pack("<HHII", 0x8769, 4, 1, 8)] * 5_000))),
    "JPEG, comments": jpeg(lambda length, random: segment(0xFE, b"") * (length // 4)),
    "JPEG, application segments": jpeg(lambda length, random: segment(0xE5, b"a") * (length // 5)),
    "JPEG, fill bytes": jpeg(lambda length, random: b"\xff" * length),
    "JPEG, EXIF entries": jpeg(exif),
    "JPEG, EXIF in a circle": jpeg(exif_circle),
    "JPEG, EXIF in three circles": jpeg(lambda length, random: segment(0xE1, b"Exif\0\0" + exif_circles(400))),
    "JPEG, EXIF in longer circles": jpeg(lambda length, random: segment(0xE1, b"Exif\0\0" + exif_circles(1_000))),
    "PNG, EXIF in three circles": png_chunks(lambda random: chunk(b"eXIf", exif_circles(400))),
    "JPEG, EXIF that overlaps": jpeg(exif_overlap),
    "JPEG, many EXIF": jpeg(lambda length, random: exif_circle(length, random) * (length // 65_000)),
    "JPEG, XMP elements": jpeg(xmp(b"<a>")),
    "JPEG, XMP attributes": jpeg(xmp(b'<a b="c" exif:GPSLatitude="1"/>')),
    "JPEG, many XMP": jpeg(lambda length, random: xmp(b"<a/>")(length, random) * (length // 65_000)),
    "JPEG, tables": jpeg(lambda length, random: segment(0xDB, b"\0" + bytes(range(1, 65))) * (length // 69)),
    "GIF, frames": gif(lambda frame: frame),
    "GIF, comments": gif(lambda frame: b"\x21\xfe\x01a\0"),
    "GIF, pieces": gif(lambda frame: b"\x21\xff\x0bNETSCAPE2.0" + b"\x01a" * 2_000 + b"\0"),
    "WebP, chunks": webp,
}

# MARK: Films and recordings


def box(name, content):
    return struct.pack(">I", len(content) + 8) + name + content


def mp4(name, make):
    def build(length, random):
        return fixture(name) + box(b"free", fresh(random)) + make(length)
    return build


def in_moov(make, name="moov-first.mp4"):
    """A real film with more boxes at the end of the box `moov`. The positions of its samples are then wrong, as in a damaged film."""
    def build(length, random):
        base, at = fixture(name), 0
        while at < len(base):
            size = struct.unpack(">I", base[at : at + 4])[0]
            if base[at + 4 : at + 8] == b"moov":
                inner = base[at + 8 : at + size] + box(b"free", fresh(random)) + make(length)
                return base[:at] + box(b"moov", inner) + base[at + size :]
            at += max(8, size)
        return base
    return build


def nested(name, depth):
    content = b""
    for _ in range(depth):
        content = box(name, content)
    return content


def wav(make):
    def build(length, random):
        sound = struct.pack("<HHIIHH", 1, 1, 8_000, 8_000, 1, 8)
        rest = b"WAVEfmt " + struct.pack("<I", 16) + sound + b"note" + struct.pack("<I", 16) + fresh(random) + make(length)
        rest += b"data" + struct.pack("<I", 8_000) + b"\x80" * 8_000
        return b"RIFF" + struct.pack("<I", len(rest)) + rest
    return build


def mp3(make):
    def build(length, random):
        frames = b"TXXX" + struct.pack(">I", 17) + b"\0\0\0" + fresh(random) + make(length)
        size = bytes([len(frames) >> shift & 127 for shift in (21, 14, 7, 0)])
        return b"ID3\x03\0\0" + size + frames + fixture("bare.mp3")
    return build


FILMS = {
    "MP4, boxes": mp4("moov-first.mp4", lambda length: box(b"free", b"") * (length // 8)),
    "MP4, empty fragments": mp4("fragmented.mp4", lambda length: box(b"moof", b"") * (length // 8)),
    "MP4, small fragments": mp4(
        "fragmented.mp4", lambda length: (box(b"moof", box(b"mfhd", bytes(8))) + box(b"mdat", b"")) * (length // 32)),
    "MP4, boxes in moov": in_moov(lambda length: box(b"free", b"") * (length // 8)),
    "MP4, tracks": in_moov(lambda length: box(b"trak", b"") * (length // 8)),
    "MP4, nested": in_moov(lambda length: nested(b"udta", length // 200)),
    "MP4, nested tracks": in_moov(lambda length: nested(b"trak", length // 200)),
    "MP4, metadata": in_moov(lambda length: box(b"udta", box(b"meta", bytes(4) + box(b"\xa9xyz", b"\0\0") * (length // 12)))),
    "MOV, boxes": mp4("old-moov-first.mov", lambda length: box(b"wide", b"") * (length // 8)),
}
SOUNDS = {
    "WAV, chunks": wav(lambda length: b"abcd\0\0\0\0" * (length // 8)),
    "WAV, formats": wav(lambda length: (b"fmt \x10\0\0\0" + bytes(16)) * (length // 24)),
    "WAV, lists": wav(lambda length: b"LIST\x04\0\0\0INFO" * (length // 12)),
    "MP3, frames of ID3": mp3(lambda length: (b"TXXX\0\0\0\1\0\0\0") * (length // 11)),
    "MP3, long ID3": mp3(lambda length: b"TXXX" + struct.pack(">I", length) + b"\0\0" + bytes(length)),
    "MP3, no sound": lambda length, random: fixture("bare.mp3")[:4_000] + fresh(random) + b"\xff\xfb" * (length // 2),
    "M4A, boxes": mp4("voice.m4a", lambda length: box(b"free", b"") * (length // 8)),
    "M4A, nested": in_moov(lambda length: nested(b"udta", length // 200), "voice.m4a"),
    "M4A, metadata": in_moov(lambda length: box(b"udta", box(b"meta", bytes(4) + box(b"\xa9nam", b"\0\0") * (length // 10))), "voice.m4a"),
}
