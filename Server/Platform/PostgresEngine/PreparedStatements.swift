internal import Database

/// Which statements one connection has prepared, and under which names: one for each text. At the limit, a new statement replaces the one
/// whose last use is the longest ago.
struct PreparedStatements {
    /// In the form that libpq takes, so that it is converted only once.
    typealias Name = [CChar]

    /// What the caller prepares.
    struct Preparation {
        let name: Name
        let shape: PostgresShape
        fileprivate let number: Int
    }

    private struct Statement: KeptStatement {
        let number: Int
        let name: Name
        let kinds: [SQLValue.Kind]
        var lastUse: UInt64

        /// Whether values of these types can be bound. NULL can be bound as any type.
        func accepts(_ others: [SQLValue.Kind]) -> Bool {
            kinds == others || zip(kinds, others).allSatisfy { $0 == $1 || $1 == .null }
        }
    }

    /// Statements with more values are not prepared, because `limit` bounds the number of statements and not their size. A prepared
    /// statement with a thousand values takes a tenth of a megabyte in Keepsake's process, and more in the PostgreSQL server. Preparing it
    /// would save little time: such a statement writes or finds many rows, which takes longer than parsing it.
    static let mostValues = 128

    private let limit: Int
    private var known: [[SQL.Piece]: Statement] = [:]
    /// The number in the name of the newest statement, such as 7 in `s7`. It only grows, so no name is used twice, even if its statement
    /// could not be prepared.
    private var lastNumber = 0
    private var uses: UInt64 = 0
    private var replaced: [Int] = []

    /// - Parameter limit: 1 or more; each statement takes some KB of PostgreSQL's memory.
    init(limit: Int) { self.limit = limit }

    var count: Int { known.count }

    /// - Returns: `nil` for a statement that is not prepared, or prepared for values of other types.
    mutating func name(of shape: PostgresShape) -> Name? {
        guard let index = known.index(forKey: shape.pieces), known.values[index].accepts(shape.kinds) else { return nil }
        uses += 1
        known.values[index].lastUse = uses
        return known.values[index].name
    }

    /// Replaces a statement with the same text. Where the new statement has NULL, it takes the type from the replaced one. So each text is
    /// prepared at most once for each of its values, whichever of them are NULL, and not once for each combination.
    mutating func add(_ shape: PostgresShape) -> Preparation {
        var kinds = shape.kinds
        if let old = known.removeValue(forKey: shape.pieces) {
            replaced.append(old.number)
            kinds = zip(kinds, old.kinds).map { new, old in new == .null ? old : new }
        } else if let oldest = known.makeRoom(limit: limit) {
            replaced.append(oldest.number)
        }
        lastNumber += 1
        uses += 1
        let statement = Statement(number: lastNumber, name: Array("s\(lastNumber)".utf8CString), kinds: kinds, lastUse: uses)
        known[shape.pieces] = statement
        return Preparation(name: statement.name, shape: PostgresShape(pieces: shape.pieces, kinds: kinds), number: lastNumber)
    }

    /// Forgets a statement that could not be prepared.
    mutating func remove(_ preparation: Preparation) {
        if known[preparation.shape.pieces]?.number == preparation.number { known[preparation.shape.pieces] = nil }
        // The statement may have been replaced since. Releasing a statement that does not exist would be an error, and fail the transaction
        // that runs then.
        replaced.removeAll { $0 == preparation.number }
    }

    /// - Returns: the statements that release what was replaced, each once.
    mutating func takeReleases() -> [String] {
        defer { replaced = [] }
        return replaced.map { "DEALLOCATE s\($0)" }
    }
}
