import Core
import Crypto
import Database

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes the rows of one table to a file, in the order of their key, and hashes them. All methods block. The hash depends on the rows alone,
/// so that two databases with the same rows have the same one.
struct RowWriter: ~Copyable {
    private let path: String
    /// `nil`: the rows are only hashed.
    private let descriptor: CInt?
    private var buffer: [UInt8] = []
    private var hash = SHA256()
    private(set) var rowCount: Int64 = 0
    private(set) var byteCount: Int64 = 0

    private static let bufferByteCount = 262_144

    /// - Parameter path: replaced if it exists; `nil` only hashes.
    init(_ path: String?) throws {
        self.path = path ?? ""
        descriptor = try path.map { try LocalFile.open($0, O_WRONLY | O_CREAT | O_TRUNC) }
        buffer.reserveCapacity(Self.bufferByteCount * 2)
    }

    deinit { if let descriptor { LocalFile.close(descriptor) } }

    mutating func append(_ row: [SQLValue]) throws {
        let before = buffer.count
        RowCoding.encode(row, to: &buffer)
        byteCount += Int64(buffer.count - before)
        rowCount += 1
        if buffer.count >= Self.bufferByteCount { try flush() }
    }

    private mutating func flush() throws {
        try buffer.withUnsafeBytes { bytes in
            hash.update(bufferPointer: bytes)
            if let descriptor { try LocalFile.write(descriptor, bytes, path) }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// - Returns: the SHA-256 of all rows, in hexadecimal.
    mutating func finish() throws -> String {
        try flush()
        return Hex.encode(hash.finalize())
    }
}

/// Reads the rows of one file, in pages. All methods block.
struct RowReading: ~Copyable {
    private let path: String
    private let descriptor: CInt
    private let columnCount: Int
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// Bytes of the file that are not read yet. A damaged length must not make the buffer large.
    private var left: Int64

    private static let pieceByteCount = 262_144

    init(_ path: String, columnCount: Int) throws {
        self.path = path
        self.columnCount = columnCount
        left = (try? LocalFile.byteCount(path)) ?? 0
        descriptor = try LocalFile.open(path, O_RDONLY)
    }

    deinit { LocalFile.close(descriptor) }

    /// The next rows: at most `count`, and about `byteCount` bytes. Empty only at the end.
    mutating func page(_ count: Int, byteCount: Int = 1_048_576) throws -> [[SQLValue]] {
        var rows: [[SQLValue]] = []
        var taken = 0
        while rows.count < count, taken < byteCount, let (row, length) = try next() {
            rows.append(row)
            taken += length
        }
        return rows
    }

    private mutating func next() throws -> ([SQLValue], Int)? {
        guard try fill(4) else {
            // One to three bytes that are left at the end are the beginning of an incomplete row.
            guard buffer.count == position, left == 0 else { throw damage }
            return nil
        }
        let length = Int(buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: UInt32.self).littleEndian })
        guard length <= RowCoding.longestRow, try fill(4 + length) else { throw damage }
        let row = buffer.withUnsafeBytes { bytes in
            RowCoding.decode(UnsafeRawBufferPointer(rebasing: bytes[position + 4..<position + 4 + length]), count: columnCount)
        }
        guard let row else { throw damage }
        position += 4 + length
        return (row, length)
    }

    /// - Returns: whether `count` bytes after `position` are in the buffer.
    private mutating func fill(_ count: Int) throws -> Bool {
        guard Int64(count - (buffer.count - position)) <= left else { return false }
        while buffer.count - position < count, !isAtEnd {
            if position > 0 {
                buffer.removeFirst(position)
                position = 0
            }
            let start = buffer.count
            let wanted = max(Self.pieceByteCount, count - start)
            buffer.append(contentsOf: repeatElement(0, count: wanted))
            let read = try buffer.withUnsafeMutableBytes { bytes in
                try LocalFile.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), path)
            }
            buffer.removeLast(wanted - read)
            left -= Int64(read)
            isAtEnd = read == 0
        }
        return buffer.count - position >= count
    }

    private var damage: TransferFailure { TransferFailure(.damaged, "\(path) is damaged: it ends or continues in the middle of a row.") }
}
