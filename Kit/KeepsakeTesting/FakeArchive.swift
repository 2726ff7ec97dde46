import Foundation

/// A ZIP archive without compression (APPNOTE.TXT §4.3). It can hold fewer than 65,536 files and 4 GiB.
struct FakeArchive {
    private var content = Data()
    private var directory = Data()
    private var names: Set<String> = []

    mutating func add(_ name: String, _ file: Data) {
        let name = Data(unused(name).utf8)
        // The fields: version 2.0; the flag for a UTF-8 name; no compression; 1 January 1980; the checksum; both sizes; the lengths of the
        // name and the extra fields.
        let facts = Self.bytes(
            (20, 2), (0x0800, 2), (0, 2), (0, 2), (0x0021, 2), (Self.checksum(file), 4), (file.count, 4), (file.count, 4), (name.count, 2),
            (0, 2))
        // More fields of the directory: no comment, the first disk, no attributes, and the offset of the file.
        let place = Self.bytes((0, 2), (0, 2), (0, 2), (0, 4), (content.count, 4))
        directory += Self.bytes((0x0201_4B50, 4), (20, 2)) + facts + place + name
        content += Self.bytes((0x0403_4B50, 4)) + facts + name + file
    }

    func finished() -> Data {
        content + directory
            + Self.bytes(
                (0x0605_4B50, 4), (0, 2), (0, 2), (names.count, 2), (names.count, 2), (directory.count, 4), (content.count, 4), (0, 2))
    }

    /// Makes a name that the archive does not have yet: a second `a.jpg` becomes `a (2).jpg`.
    private mutating func unused(_ name: String) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let end = parts.count > 1 ? "." + parts[parts.count - 1] : ""
        var (unused, number) = (name, 1)
        while !names.insert(unused).inserted {
            number += 1
            unused = "\(name.dropLast(end.count)) (\(number))\(end)"
        }
        return unused
    }

    /// Encodes the fields as little-endian integers.
    private static func bytes(_ fields: (value: Int, count: Int)...) -> Data {
        Data(fields.flatMap { field in (0..<field.count).map { UInt8(truncatingIfNeeded: field.value >> ($0 * 8)) } })
    }

    /// CRC-32 (ISO 3309).
    private static func checksum(_ data: Data) -> Int {
        Int(~data.reduce(~UInt32(0)) { sum, byte in table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 })
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }
}
