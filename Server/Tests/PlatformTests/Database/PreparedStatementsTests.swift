import Database
import Testing

@testable import PostgresEngine

@Suite("Prepared statements of a PostgreSQL connection")
struct PreparedStatementsTests {
    /// A statement with that number of values.
    private static func shape(_ count: Int) -> PostgresShape { PostgresShape(pieces: [], kinds: .init(repeating: .integer, count: count)) }

    @Test("a new statement replaces the one whose last use is the longest ago, and a name is never used again")
    func oldest() {
        var statements = PreparedStatements(limit: 3)
        let names = (1...3).map { statements.add(Self.shape($0)) }
        let first = statements.name(of: Self.shape(1))
        let fourth = statements.add(Self.shape(4))
        let releases = statements.takeReleases()
        let (kept, replaced) = (statements.name(of: Self.shape(1)), statements.name(of: Self.shape(2)))
        #expect(first == names[0] && kept == names[0] && replaced == nil && statements.count == 3)
        #expect(releases == ["DEALLOCATE s2"])
        let again = statements.add(Self.shape(2))
        let all = names + [fourth, again]
        let later = [statements.takeReleases(), statements.takeReleases()]
        #expect(Set(all).count == 5 && later == [["DEALLOCATE s3"], []])
    }

    @Test("a statement that could not be prepared is forgotten, and there is nothing to release")
    func failed() {
        var statements = PreparedStatements(limit: 1)
        _ = statements.add(Self.shape(1))
        statements.remove(Self.shape(1))
        let name = statements.name(of: Self.shape(1))
        _ = statements.add(Self.shape(2))
        let releases = statements.takeReleases()
        #expect(name == nil && releases.isEmpty && statements.count == 1)
    }
}
