internal import CPostgres
internal import Core
internal import Database

extension SQL {
    /// The text in PostgreSQL's syntax, with `$1`, `$2`, … for the values.
    var postgresText: String { text { "$\($0)" } }

    /// Whether to prepare the statement: statements that change the schema run only once.
    var isWorthPreparing: Bool {
        let text = postgresText
        return ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains { text.hasPrefix($0) }
    }
}

/// The text and the types of a statement. Statements with the same text share a prepared statement if their types allow it. Hashing the
/// pieces of a text is faster than putting the text together.
struct PostgresShape {
    let pieces: [SQL.Piece]
    let kinds: [SQLValue.Kind]
}

extension SQLValue {
    /// The type that a value is bound as.
    enum Kind: Hashable {
        case null, integer, real, text, bytes

        /// The type's OID in PostgreSQL's catalogue (pg_type.dat). 0 lets PostgreSQL infer the type of NULL, which it always can, because
        /// each NULL is assigned to or compared with a column.
        var type: Oid {
            switch self {
            case .null: 0
            case .integer: 20
            case .real: 701
            case .text: 25
            case .bytes: 17
            }
        }
    }

    var kind: Kind {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .bytes: .bytes
        }
    }
}

/// The values of one statement in PostgreSQL's binary format. Its storage is reused, unless long texts have made it large.
struct PostgresParameters {
    private static let keptByteCount = 65_536

    private var bytes: [UInt8] = []
    private var places: [Int?] = []
    private var lengths: [CInt] = []
    private var formats: [CInt] = []
    private(set) var kinds: [SQLValue.Kind] = []

    var byteCount: Int { bytes.count }

    /// Bytes of memory for the values.
    var heldByteCount: Int { bytes.capacity }

    /// - Throws: when PostgreSQL cannot store one of the values. PostgreSQL would also reject it, but only after the statement was sent.
    static func check(_ values: [SQLValue]) throws {
        for case .text(let text) in values where text.utf8.contains(0) {
            throw DatabaseError.nulInText
        }
    }

    mutating func fill(_ values: [SQLValue]) {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptByteCount)
        places.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        formats.removeAll(keepingCapacity: true)
        kinds.removeAll(keepingCapacity: true)
        for value in values {
            let start = bytes.count
            switch value {
            case .null: break
            case .integer(let value): append(UInt64(bitPattern: value))
            case .real(let value): append(value.bitPattern)
            case .text(let value): bytes.append(contentsOf: value.utf8)
            case .bytes(let value): bytes.append(contentsOf: value)
            }
            places.append(value == .null ? nil : start)
            lengths.append(CInt(bytes.count - start))
            formats.append(1)
            kinds.append(value.kind)
        }
        // An empty last value still needs a valid address.
        bytes.append(0)
    }

    private mutating func append(_ value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    func withPointers<T>(
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [CInt], _ formats: [CInt]) throws -> T
    ) rethrows -> T {
        try bytes.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self).baseAddress!
            return try body(places.map { $0.map { start + $0 } }, lengths, formats)
        }
    }
}
