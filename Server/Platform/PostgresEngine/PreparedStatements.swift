internal import Database

/// Which statements one connection has prepared, and under which names. At the limit, a new statement replaces the one whose last use is
/// the longest ago.
struct PreparedStatements {
    /// In the form that libpq takes, so that it is converted only once.
    typealias Name = [CChar]

    private struct Statement: KeptStatement {
        let number: Int
        let name: Name
        var lastUse: UInt64
    }

    private let limit: Int
    private var known: [PostgresShape: Statement] = [:]
    /// A name is never used again, even if its statement could not be prepared.
    private var lastNumber = 0
    private var uses: UInt64 = 0
    private var replaced: [Int] = []

    /// - Parameter limit: 1 or more; each statement takes some KB of the server's memory.
    init(limit: Int) { self.limit = limit }

    var count: Int { known.count }

    /// - Returns: `nil` for a statement that is not prepared.
    mutating func name(of shape: PostgresShape) -> Name? {
        guard let index = known.index(forKey: shape) else { return nil }
        uses += 1
        known.values[index].lastUse = uses
        return known.values[index].name
    }

    /// - Returns: the name under which the caller prepares the statement, which is new.
    mutating func add(_ shape: PostgresShape) -> Name {
        if let oldest = known.makeRoom(limit: limit) { replaced.append(oldest.number) }
        lastNumber += 1
        uses += 1
        let statement = Statement(number: lastNumber, name: Array("s\(lastNumber)".utf8CString), lastUse: uses)
        known[shape] = statement
        return statement.name
    }

    /// Forgets a statement that could not be prepared.
    mutating func remove(_ shape: PostgresShape) { known[shape] = nil }

    /// - Returns: the statements that release what was replaced, each once.
    mutating func takeReleases() -> [String] {
        defer { replaced = [] }
        return replaced.map { "DEALLOCATE s\($0)" }
    }
}
