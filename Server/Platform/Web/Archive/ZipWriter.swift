import CPlatform
package import Core
package import NIOCore

/// Writes a ZIP archive as a stream (PKWARE APPNOTE 6.3). Entries are stored without compression. Each entry's length and checksum follow
/// its bytes. Values that do not fit in 32 bits are written as ZIP64. The writer does no I/O: it makes only the bytes around the entries'
/// contents.
///
/// It keeps about 150 bytes for each entry until the end, for the central directory.
package struct ZipWriter: Sendable {
    private struct Entry: Sendable {
        let name: [UInt8]
        let modifiedAt: Timestamp
        let offset: UInt64
        let isLarge: Bool
        var crc: UInt32 = 0
        var byteCount: UInt64 = 0
    }

    /// The first value that does not fit in a 32-bit field, and the first that does not fit in a 16-bit count. Both are smaller in the test
    /// that needs ZIP64 in a small archive.
    private let (limit, countLimit): (UInt64, Int)
    private var entries: [Entry] = []
    private var open: Entry?
    private var offset: UInt64 = 0
    /// The central directory: its offset, and the index of its next entry. `nil` until it is begun.
    private var directory: (offset: UInt64, next: Int)?

    package init(limit: UInt64 = 0xFFFF_FFFF, countLimit: Int = 0xFFFF) {
        (self.limit, self.countLimit) = (limit, countLimit)
    }

    /// Begins an entry.
    /// - Parameters:
    ///   - name: the path with `/` between folders; at most 65,535 bytes of UTF-8.
    ///   - byteCount: the entry's size; `nil` when it is unknown. An entry of unknown size must stay below 4 GiB, because it is not written
    ///     as ZIP64.
    package mutating func begin(_ name: String, byteCount: Int64?, modifiedAt: Timestamp) -> ByteBuffer {
        precondition(open == nil && directory == nil && name.utf8.count <= 0xFFFF)
        let entry = Entry(
            name: Array(name.utf8), modifiedAt: modifiedAt, offset: offset, isLarge: UInt64(byteCount ?? 0) >= limit)
        var buffer = ByteBuffer()
        buffer.write(0x0403_4B50 as UInt32)
        writeCommon(entry, isInDirectory: false, into: &buffer)
        buffer.write(UInt16(entry.name.count))
        buffer.write(UInt16(9 + (entry.isLarge ? 20 : 0)))
        buffer.writeBytes(entry.name)
        writeTime(entry, into: &buffer)
        if entry.isLarge {
            buffer.write(1 as UInt16, 16 as UInt16)
            buffer.write(0 as UInt64, 0 as UInt64)
        }
        open = entry
        return counted(buffer)
    }

    /// Adds `bytes` to the entry's checksum and size. The caller writes the bytes themselves.
    package mutating func add(_ bytes: ByteBuffer) {
        precondition(open != nil)
        let before = open?.crc ?? 0
        open?.crc = bytes.withUnsafeReadableBytes { keepsake_crc32(before, $0.baseAddress, $0.count) }
        open?.byteCount += UInt64(bytes.readableBytes)
        offset += UInt64(bytes.readableBytes)
    }

    /// The size of the open entry so far.
    package var byteCount: Int64 { Int64(open?.byteCount ?? 0) }

    /// - Throws: `.fault` when the entry has become larger than its header can express.
    package mutating func end() throws -> ByteBuffer {
        guard let entry = open else { preconditionFailure("no entry is open") }
        guard entry.isLarge || entry.byteCount < limit else { throw Problem(.fault, "An entry of an archive is too large.") }
        var buffer = ByteBuffer()
        buffer.write(0x0807_4B50 as UInt32, entry.crc)
        if entry.isLarge {
            buffer.write(entry.byteCount, entry.byteCount)
        } else {
            buffer.write(UInt32(entry.byteCount), UInt32(entry.byteCount))
        }
        entries.append(entry)
        open = nil
        return counted(buffer)
    }

    /// The next piece of the central directory; `nil` after the last.
    package mutating func nextOfDirectory() -> ByteBuffer? {
        precondition(open == nil)
        let (start, next) = directory ?? (offset, 0)
        guard next <= entries.count else { return nil }
        var buffer = ByteBuffer()
        let piece = entries[next..<min(next + 500, entries.count)]
        for entry in piece { writeDirectory(entry, into: &buffer) }
        directory = (start, piece.endIndex)
        if piece.endIndex == entries.count {
            writeEnd(start, size: offset + UInt64(buffer.readableBytes) - start, into: &buffer)
            directory = (start, entries.count + 1)
        }
        return counted(buffer)
    }

    // MARK: Records

    private mutating func counted(_ buffer: ByteBuffer) -> ByteBuffer {
        offset += UInt64(buffer.readableBytes)
        return buffer
    }

    /// Writes the fields from "version needed to extract" to "uncompressed size".
    private func writeCommon(_ entry: Entry, isInDirectory: Bool, into buffer: inout ByteBuffer) {
        let (date, time) = Self.dosTime(entry.modifiedAt)
        // Bit 3: length and checksum follow the contents; bit 11: the name is UTF-8. Method 0: stored.
        buffer.write(isLarge(entry) ? 45 : 20 as UInt16, 0x0808 as UInt16, 0 as UInt16, time, date)
        let known = isInDirectory ? UInt32(min(entry.byteCount, 0xFFFF_FFFF)) : 0
        let size = entry.isLarge || (isInDirectory && entry.byteCount >= limit) ? 0xFFFF_FFFF : known
        buffer.write(isInDirectory ? entry.crc : 0 as UInt32, size, size)
    }

    private func isLarge(_ entry: Entry) -> Bool { entry.isLarge || entry.offset >= limit }

    private func writeDirectory(_ entry: Entry, into buffer: inout ByteBuffer) {
        var large: [UInt64] = entry.isLarge ? [entry.byteCount, entry.byteCount] : []
        if entry.offset >= limit { large.append(entry.offset) }
        buffer.write(0x0201_4B50 as UInt32)
        // The entry states that version 3.0 on Unix made it, so that readers take the attributes as a file's mode.
        buffer.write(0x031E as UInt16)
        writeCommon(entry, isInDirectory: true, into: &buffer)
        buffer.write(UInt16(entry.name.count), UInt16(9 + (large.isEmpty ? 0 : 4 + 8 * large.count)))
        // These fields state: no comment, the first disk, no internal attributes; a plain file that its owner can read and write and others
        // can read.
        buffer.write(0 as UInt16, 0 as UInt16, 0 as UInt16)
        buffer.write(0o100644 << 16 as UInt32, entry.offset >= limit ? 0xFFFF_FFFF : UInt32(entry.offset))
        buffer.writeBytes(entry.name)
        writeTime(entry, into: &buffer)
        guard !large.isEmpty else { return }
        buffer.write(1 as UInt16, UInt16(8 * large.count))
        for value in large { buffer.write(value) }
    }

    private func writeEnd(_ start: UInt64, size: UInt64, into buffer: inout ByteBuffer) {
        let isLarge = entries.count >= countLimit || start >= limit || size >= limit
        if isLarge {
            let end = start + size
            buffer.write(0x0606_4B50 as UInt32)
            buffer.write(44 as UInt64)
            buffer.write(0x031E as UInt16, 45 as UInt16)
            buffer.write(0 as UInt32, 0 as UInt32)
            buffer.write(UInt64(entries.count), UInt64(entries.count), size, start)
            buffer.write(0x0706_4B50 as UInt32, 0 as UInt32)
            buffer.write(end)
            buffer.write(1 as UInt32)
        }
        let count = isLarge ? 0xFFFF : UInt16(entries.count)
        buffer.write(0x0605_4B50 as UInt32)
        buffer.write(0 as UInt16, 0 as UInt16, count, count)
        buffer.write(isLarge ? 0xFFFF_FFFF : UInt32(size), isLarge ? 0xFFFF_FFFF : UInt32(start))
        buffer.write(0 as UInt16)
    }

    /// Writes the extra field "UT": seconds since 1970. The MS-DOS time has a resolution of two seconds and no time zone.
    private func writeTime(_ entry: Entry, into buffer: inout ByteBuffer) {
        buffer.write(0x5455 as UInt16, 5 as UInt16)
        buffer.writeInteger(1 as UInt8)
        buffer.write(UInt32(truncatingIfNeeded: min(max(entry.modifiedAt.seconds, 0), Int64(Int32.max))))
    }

    /// The MS-DOS date and time in UTC, from 1980 to 2107.
    static func dosTime(_ time: Timestamp) -> (date: UInt16, time: UInt16) {
        let seconds = min(max(time.seconds, 315_532_800), 4_354_819_198)
        let date = CivilDate(daysSince1970: seconds / 86_400)
        let second = seconds % 86_400
        return (
            UInt16((date.year - 1980) << 9 | date.month << 5 | date.day),
            UInt16((second / 3_600) << 11 | (second / 60 % 60) << 5 | (second % 60 / 2))
        )
    }
}

extension ByteBuffer {
    /// Writes in little-endian order, as the whole format does.
    fileprivate mutating func write<Number: FixedWidthInteger>(_ numbers: Number...) {
        for number in numbers { writeInteger(number, endianness: .little) }
    }
}
