/// Why a read failed.
enum ReadFailure: Error {
    /// The file may have the byte, but the excerpt does not hold it.
    case unseen
    /// The file ends before the byte.
    case missing
    /// The byte breaks the format's rules.
    case wrong
}

/// The part of a file that is in memory: its first bytes and, for a complete file, its length and its last bytes. Bytes are addressed by
/// their offset in the file. A read throws instead of trapping, whatever offset the file contains.
struct Excerpt {
    /// Largest offset, 8 PiB: small enough that adding to it cannot overflow.
    static let farthest = 1 << 53

    let head: [UInt8]
    let tail: [UInt8]
    let byteCount: Int?

    /// Copies at most a window and a tail. `nil` for a length that no file can have.
    init?(head: some RandomAccessCollection<UInt8>, tail: some RandomAccessCollection<UInt8>, byteCount: Int?) {
        if let byteCount, !(0...Self.farthest).contains(byteCount) { return nil }
        self.head = Array(head.prefix(min(Sniffer.windowByteCount, byteCount ?? .max)))
        self.tail = Array(tail.suffix(min(Sniffer.tailByteCount, byteCount ?? 0)))
        self.byteCount = byteCount
    }

    func byte(_ offset: Int) throws(ReadFailure) -> UInt8 {
        guard offset >= 0 else { throw .wrong }
        if offset < head.count { return head[offset] }
        guard let byteCount else { throw .unseen }
        guard offset < byteCount else { throw .missing }
        let inTail = offset - (byteCount - tail.count)
        guard inTail >= 0 else { throw .unseen }
        return tail[inTail]
    }

    func big16(_ offset: Int) throws(ReadFailure) -> Int { Int(try byte(offset)) << 8 | Int(try byte(offset + 1)) }
    func big32(_ offset: Int) throws(ReadFailure) -> Int { try big16(offset) << 16 | big16(offset + 2) }
    func little16(_ offset: Int) throws(ReadFailure) -> Int { Int(try byte(offset)) | Int(try byte(offset + 1)) << 8 }
    func little24(_ offset: Int) throws(ReadFailure) -> Int { try little16(offset) | Int(try byte(offset + 2)) << 16 }
    func little32(_ offset: Int) throws(ReadFailure) -> Int { try little16(offset) | little16(offset + 2) << 16 }
    func fourCC(_ offset: Int) throws(ReadFailure) -> FourCC { FourCC(code: UInt32(truncatingIfNeeded: try big32(offset))) }

    func matches(_ bytes: [UInt8], at offset: Int) throws(ReadFailure) -> Bool {
        for (index, expected) in bytes.enumerated() where try byte(offset + index) != expected { return false }
        return true
    }

    /// - Throws: `.missing` when the file is known to end before `offset`.
    func expectLength(atLeast offset: Int) throws(ReadFailure) {
        if let byteCount, byteCount < offset { throw .missing }
    }

    /// Whether the last byte is held, so that the ending can be checked.
    var holdsEnd: Bool { byteCount.map { !tail.isEmpty || head.count == $0 } ?? false }

    /// The file's length without trailing zeros: some writers and some copying programs pad to a block. `nil` when the end is not held or
    /// only zeros of it are held.
    var unpaddedByteCount: Int? {
        guard var end = byteCount else { return nil }
        while let last = try? byte(end - 1) {
            if last != 0 { return end }
            end -= 1
        }
        return nil
    }
}

/// The four letters that name a chunk (RIFF) or a box (ISO base media).
struct FourCC: Hashable, Sendable, ExpressibleByStringLiteral {
    let code: UInt32

    init(code: UInt32) { self.code = code }

    init(stringLiteral letters: StaticString) {
        code = letters.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// Printable ASCII, or © (0xA9), the first character of some QuickTime names.
    var isPlausible: Bool {
        (0..<4).allSatisfy { index in
            let letter = UInt8(truncatingIfNeeded: code >> (8 * index))
            return (0x20...0x7E).contains(letter) || letter == 0xA9
        }
    }

    /// ASCII letters only.
    var isLetters: Bool {
        (0..<4).allSatisfy { index in
            let letter = UInt8(truncatingIfNeeded: code >> (8 * index)) | 0x20
            return (0x61...0x7A).contains(letter)
        }
    }
}
