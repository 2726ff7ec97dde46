import Database
import Testing

@testable import PostgresEngine

@Suite("Prepared statements of a PostgreSQL connection")
struct PreparedStatementsTests {
    /// A statement with `count` values.
    private static func shape(_ count: Int) -> PostgresShape { shape([SQLValue.Kind](repeating: .integer, count: count)) }

    private static func shape(_ kinds: [SQLValue.Kind]) -> PostgresShape {
        PostgresShape(pieces: .init(repeating: .placeholder, count: kinds.count), kinds: kinds)
    }

    @Test("a connection keeps no memory of a long text after its next statement, and reuses that of short ones")
    func parameters() {
        var parameters = PostgresParameters()
        parameters.fill([.text(String(repeating: "x", count: 1_000_000))])
        #expect(parameters.heldByteCount >= 1_000_000)
        parameters.fill([.text(String(repeating: "x", count: 10_000))])
        let kept = parameters.heldByteCount
        #expect(10_000...65_536 ~= kept)
        parameters.fill([.integer(1)])
        #expect(parameters.heldByteCount == kept)
    }

    @Test("a new statement replaces the one whose last use is the longest ago, and a name is never used again")
    func oldest() {
        var statements = PreparedStatements(limit: 3)
        let names = (1...3).map { statements.add(Self.shape($0)).name }
        let first = statements.name(of: Self.shape(1))
        let fourth = statements.add(Self.shape(4)).name
        let releases = statements.takeReleases()
        let (kept, replaced) = (statements.name(of: Self.shape(1)), statements.name(of: Self.shape(2)))
        #expect(first == names[0] && kept == names[0] && replaced == nil && statements.count == 3)
        #expect(releases == ["DEALLOCATE s2"])
        let again = statements.add(Self.shape(2)).name
        let all = names + [fourth, again]
        let later = [statements.takeReleases(), statements.takeReleases()]
        #expect(Set(all).count == 5 && later == [["DEALLOCATE s3"], []])
    }

    @Test("a statement that could not be prepared is forgotten, and there is nothing to release")
    func failed() {
        var statements = PreparedStatements(limit: 1)
        let first = statements.add(Self.shape(1))
        statements.remove(first)
        let name = statements.name(of: Self.shape(1))
        _ = statements.add(Self.shape(2))
        let releases = statements.takeReleases()
        #expect(name == nil && releases.isEmpty && statements.count == 1)
    }

    @Test("one statement serves a text whichever of its values are NULL, and each value's type is learned once")
    func nulls() {
        var statements = PreparedStatements(limit: 8)
        var prepared = 0
        for form in 0..<64 {
            let shape = Self.shape((0..<6).map { form >> $0 & 1 == 0 ? SQLValue.Kind.null : .text })
            if statements.name(of: shape) != nil { continue }
            _ = statements.add(shape)
            prepared += 1
        }
        let releases = statements.takeReleases()
        let known = (statements.name(of: Self.shape([.null, .text, .null, .text, .null, .null])), statements.count)
        #expect(prepared == 7 && releases.count == 6 && known.0 != nil && known.1 == 1)
    }

    @Test("values of another type get another statement")
    func types() {
        var statements = PreparedStatements(limit: 8)
        _ = statements.add(Self.shape([.null, .integer]))
        let real = Self.shape([.text, .real])
        let before = statements.name(of: real)
        let new = statements.add(real)
        let (after, integer) = (statements.name(of: real), statements.name(of: Self.shape([.text, .integer])))
        #expect(before == nil && after == new.name && integer == nil && new.shape.kinds == [.text, .real])
    }

    @Test("a statement that could not be prepared is not released, even if another one has replaced it")
    func failedAndReplaced() {
        var statements = PreparedStatements(limit: 8)
        let first = statements.add(Self.shape([.null]))
        let second = statements.add(Self.shape([.text]))
        statements.remove(first)
        statements.remove(second)
        let releases = statements.takeReleases()
        #expect(releases.isEmpty && statements.count == 0)
    }
}
