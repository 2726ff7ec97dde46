internal import Foundation
internal import GRDB

/// The list of a full-text index's segments, by level, as FTS5 stores it ("structure record" in SQLite's fts5_index.c).
///
/// Each merge of all segments adds two levels, and SQLite 3.40 never removes one. It reads a list of more than 2,000 levels as a damaged
/// database, and then no row with words can be written or searched any more. So this type removes levels without segments. A level's number
/// has no meaning, only the order of the levels with segments.
struct FTS5Structure: Equatable {
    private struct Level: Equatable {
        /// The number of this level's segments that a merge reads. The merge writes to the next level.
        var mergedCount: UInt64
        /// Each segment's id, first and last page.
        var segments: [[UInt64]]
    }

    /// A counter of changes of the index's settings.
    private let cookie: [UInt8]
    private let segmentCount: UInt64
    private let writeCounter: UInt64
    private var levels: [Level] = []

    var levelCount: Int { levels.count }

    /// - Returns: `nil` for a record of another form, such as that of SQLite versions that limit the number of levels themselves.
    init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes[...])
        guard let cookie = reader.take(4), bytes.dropFirst(4).first != 0xFF, let levelCount = reader.number(),
            let segmentCount = reader.number(), let writeCounter = reader.number()
        else { return nil }
        self.cookie = Array(cookie)
        self.segmentCount = segmentCount
        self.writeCounter = writeCounter
        for _ in 0..<min(levelCount, UInt64(bytes.count)) {
            guard let mergedCount = reader.number(), let count = reader.number(), count <= bytes.count else { return nil }
            var segments: [[UInt64]] = []
            for _ in 0..<count {
                guard let id = reader.number(), let first = reader.number(), let last = reader.number() else { return nil }
                segments.append([id, first, last])
            }
            levels.append(Level(mergedCount: mergedCount, segments: segments))
        }
        // A record that does not encode to the same bytes again was not understood completely, so it is left alone.
        guard self.bytes == bytes else { return nil }
    }

    /// New segments begin at the first level, so it stays.
    mutating func removeEmptyLevels() {
        levels = levels.enumerated().filter { $0.offset == 0 || $0.element.mergedCount > 0 || !$0.element.segments.isEmpty }.map(\.element)
    }

    var bytes: [UInt8] {
        var bytes = cookie
        for number in [UInt64(levels.count), segmentCount, writeCounter] { Self.append(number, to: &bytes) }
        for level in levels {
            Self.append(level.mergedCount, to: &bytes)
            Self.append(UInt64(level.segments.count), to: &bytes)
            for number in level.segments.joined() { Self.append(number, to: &bytes) }
        }
        return bytes
    }

    /// Appends SQLite's "varint": seven bits a byte, the highest first. Numbers of more than 56 bits have another form, which is not written.
    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var (groups, rest) = ([UInt8(number & 0x7F)], number >> 7)
        while rest > 0 {
            groups.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes += groups.reversed()
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard bytes.count >= count else { return nil }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }

        mutating func number() -> UInt64? {
            var number: UInt64 = 0
            for _ in 0..<8 {
                guard let byte = bytes.popFirst() else { return nil }
                number = number << 7 | UInt64(byte & 0x7F)
                if byte & 0x80 == 0 { return number }
            }
            return nil
        }
    }
}

extension FTS5Structure {
    /// The levels without segments are removed only from an index with more levels than this.
    private static let mostLevels = 64

    /// Removes levels without segments from the full-text indexes that have many. Call it on a connection that has not used them yet: FTS5
    /// keeps the list in memory, and notices only the changes of other connections.
    static func removeEmptyLevels(_ connection: GRDB.Database) throws {
        let indexes = try String.fetchAll(
            connection, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE % USING fts5(%'")
        for index in indexes {
            let record = "\"\(index.replacing("\"", with: "\"\""))_data\""
            // The first read is outside the write, so that a command that runs beside the server waits for no write.
            guard try structure(in: record, connection) != nil else { continue }
            try connection.inTransaction(.immediate) {
                guard var structure = try structure(in: record, connection) else { return .commit }
                structure.removeEmptyLevels()
                try connection.execute(sql: "UPDATE \(record) SET block = ? WHERE id = 10", arguments: [Data(structure.bytes)])
                return .commit
            }
        }
    }

    /// - Returns: `nil` when the index has few levels.
    private static func structure(in record: String, _ connection: GRDB.Database) throws -> FTS5Structure? {
        let block = try Data.fetchOne(connection, sql: "SELECT block FROM \(record) WHERE id = 10")
        guard let block, let structure = FTS5Structure(Array(block)), structure.levelCount > mostLevels else { return nil }
        return structure
    }
}
