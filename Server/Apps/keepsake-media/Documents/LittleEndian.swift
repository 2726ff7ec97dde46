/// Little-endian numbers of a file. It never reads past the end.
struct LittleEndian {
    let bytes: UnsafeRawBufferPointer

    var count: Int { bytes.count }

    /// - Returns: `nil` when the number is not within the file.
    func number(at offset: Int, _ byteCount: Int) -> Int? {
        guard offset >= 0, byteCount <= count, offset <= count - byteCount else { return nil }
        var value: UInt64 = 0
        for index in 0..<byteCount { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        return Int(exactly: value)
    }

    func short(at offset: Int) -> Int? { number(at: offset, 2) }
    func long(at offset: Int) -> Int? { number(at: offset, 4) }

    /// - Returns: whether the file has these bytes at `offset`.
    func has(_ expected: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset <= count - expected.count else { return false }
        return expected.indices.allSatisfy { bytes[offset + $0] == expected[$0] }
    }
}
