#!/usr/bin/env python3
"""turn-heic.py IN OUT: adds an `irot` box (ISO/IEC 23008-12 §6.5.10) that turns the primary picture by 270° anti-clockwise, which
is what EXIF's orientation 6 means. heif-enc 1.15 cannot. It knows the files that libvips 8.14 writes, and no others."""
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())


def boxes(start, end):
    while start < end:
        size, kind = struct.unpack(">I4s", data[start : start + 8])
        yield kind, start, start + size
        start += size


def find(kind, start, end):
    return next((a, b) for k, a, b in boxes(start, end) if k == kind)


def grow(start, by):
    (size,) = struct.unpack(">I", data[start : start + 4])
    data[start : start + 4] = struct.pack(">I", size + by)


meta, meta_end = find(b"meta", 0, len(data))
iloc, _ = find(b"iloc", meta + 12, meta_end)
pitm, _ = find(b"pitm", meta + 12, meta_end)
iprp, iprp_end = find(b"iprp", meta + 12, meta_end)
ipco, ipco_end = find(b"ipco", iprp + 8, iprp_end)
ipma, ipma_end = find(b"ipma", iprp + 8, iprp_end)
(primary,) = struct.unpack(">H", data[pitm + 12 : pitm + 14])
index = len(list(boxes(ipco + 8, ipco_end))) + 1
box = struct.pack(">I4sB", 9, b"irot", 3)
added = len(box) + 1

# The bytes after the new box move, so their offsets grow. Version 0 has no construction method.
version, sizes = data[iloc + 8], data[iloc + 12 : iloc + 14]
assert version < 2 and sizes[0] == 0x44 and sizes[1] in (0x00, 0x40), (version, sizes)
(count,) = struct.unpack(">H", data[iloc + 14 : iloc + 16])
at = iloc + 16
for _ in range(count):
    method = data[at + 3] & 15 if version else 0
    at += 6 if version else 4
    if sizes[1]:
        (base,) = struct.unpack(">I", data[at : at + 4])
        if method == 0:
            data[at : at + 4] = struct.pack(">I", base + added)
        at += 4
    (extents,) = struct.unpack(">H", data[at : at + 2])
    at += 2
    for _ in range(extents):
        (offset,) = struct.unpack(">I", data[at : at + 4])
        if method == 0 and not sizes[1]:
            data[at : at + 4] = struct.pack(">I", offset + added)
        at += 8

(count,) = struct.unpack(">I", data[ipma + 12 : ipma + 16])
at = ipma + 16
for _ in range(count):
    item, associations = struct.unpack(">HB", data[at : at + 3])
    if item == primary:
        data[at + 2] += 1
        data[at + 3 + associations : at + 3 + associations] = bytes([0x80 | index])
        break
    at += 3 + associations
data[ipco_end:ipco_end] = box
grow(ipma + len(box), 1)
grow(ipco, len(box))
grow(iprp, added)
grow(meta, added)
open(sys.argv[2], "wb").write(data)
