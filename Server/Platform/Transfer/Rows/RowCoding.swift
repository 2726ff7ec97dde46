import Database

/// Rows as bytes, the same for both engines: the length of the rest in 4 bytes, then each value as a tag and its bytes. All numbers are
/// little-endian.
enum RowCoding {
    /// A longer row is treated as damage.
    static let longestRow = 256 * 1_048_576

    /// Appends the row.
    static func encode(_ row: [SQLValue], to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: [0, 0, 0, 0])
        for value in row {
            switch value {
            case .null: bytes.append(0)
            case .integer(let number):
                bytes.append(1)
                append(UInt64(bitPattern: number), to: &bytes)
            case .real(let number):
                bytes.append(2)
                append(number.bitPattern, to: &bytes)
            case .text(let text):
                bytes.append(3)
                append(UInt32(text.utf8.count), to: &bytes)
                bytes.append(contentsOf: text.utf8)
            case .bytes(let data):
                bytes.append(4)
                append(UInt32(data.count), to: &bytes)
                bytes.append(contentsOf: data)
            }
        }
        let length = UInt32(bytes.count - start - 4).littleEndian
        withUnsafeBytes(of: length) { length in
            for index in 0..<4 { bytes[start + index] = length[index] }
        }
    }

    /// - Parameter bytes: one row, without its length.
    /// - Returns: `nil` unless `bytes` are exactly `count` values.
    static func decode(_ bytes: UnsafeRawBufferPointer, count: Int) -> [SQLValue]? {
        var row: [SQLValue] = []
        row.reserveCapacity(count)
        var position = 0
        func take(_ length: Int) -> UnsafeRawBufferPointer? {
            guard length <= bytes.count - position else { return nil }
            defer { position += length }
            return UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
        }
        func number() -> UInt64? { take(8)?.loadUnaligned(as: UInt64.self).littleEndian }
        func content() -> UnsafeRawBufferPointer? {
            take(4).flatMap { take(Int($0.loadUnaligned(as: UInt32.self).littleEndian)) }
        }
        for _ in 0..<count {
            switch take(1)?[0] {
            case 0: row.append(.null)
            case 1:
                guard let number = number() else { return nil }
                row.append(.integer(Int64(bitPattern: number)))
            case 2:
                guard let number = number() else { return nil }
                row.append(.real(Double(bitPattern: number)))
            case 3:
                guard let content = content(), let text = String(validating: content, as: UTF8.self) else { return nil }
                row.append(.text(text))
            case 4:
                guard let content = content() else { return nil }
                row.append(.bytes(Array(content)))
            default: return nil
            }
        }
        return position == bytes.count ? row : nil
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
