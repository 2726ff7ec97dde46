import Accounts
import FeatureKit
import People
import TestKit
import Testing

@testable import Database
@testable import keepsake

/// A list of people in a response: how a person is added to it, how the viewer reads it, and the statement that selects it. A feature
/// describes each of its lists, and its tests call `checkStandings` and `checkControl` for each one.
struct PeopleList: Sendable, CustomTestStringConvertible {
    typealias Person = TestServer.Person

    /// The relation of a person on the list to the viewer.
    enum Standing: String, Sendable, CaseIterable {
        case open
        /// The viewer has blocked the person.
        case blocked
        /// The person has blocked the viewer.
        case blocker
        /// The person has deleted the account, and the server has not erased its data yet.
        case closed
        case suspended
    }

    /// A condition of the statement, and the people whom it hides.
    struct Condition: Sendable {
        let name: String
        let hides: Set<Standing>
        let sql: @Sendable (_ viewer: Person) -> SQL

        /// Hides closed and suspended accounts.
        static let isNotHidden = Condition(name: "hidden accounts", hides: [.closed, .suspended]) { _ in PersonSQL.isNotHidden }

        /// Hides people who have blocked the viewer, and people whom the viewer has blocked.
        /// - Parameter account: the column that contains the account, as the statement names it, for example `friendship.friend`.
        static func isNotBlocked(_ account: StaticString) -> Condition {
            Condition(name: "blocks", hides: [.blocked, .blocker]) { viewer in PersonSQL.isNotBlocked(account, by: viewer.id) }
        }
    }

    let name: String
    /// Runs before any person is added: for example, it creates the cove whose members are listed.
    var prepare: @Sendable (_ viewer: Person, _ server: TestServer) async throws -> Void = { _, _ in }
    /// Adds a person to the viewer's list. It is called once for each standing, while all accounts are open and nobody is blocked.
    let add: @Sendable (_ person: Person, _ viewer: Person, _ server: TestServer) async throws -> Void
    /// Reads the accounts that the response to the viewer contains. There are at most ten.
    let read: @Sendable (_ viewer: Person, _ server: TestServer) async throws -> [String]
    /// The statement that reads the list, and the name of its column with a person's account.
    let statement: @Sendable (_ viewer: Person, _ people: [Person]) -> (sql: SQL, column: String)
    /// The conditions in the statement. Together they hide everybody except open accounts and `exceptions`.
    let conditions: [Condition]
    /// The standings that no condition hides.
    var exceptions: Set<Standing> = []

    var testDescription: String { name }

    private var shown: Set<Standing> { exceptions.union([.open]) }

    // MARK: Checks

    /// Checks that the list has exactly the people whom the viewer may see. A person whom the viewer may see again is on the list again.
    func checkStandings(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (viewer, people) = try await makePeople(server)
            #expect(try await standings(people, viewer, server) == Set(Standing.allCases), "\(name) before")
            try await apply(to: people, viewer, server)
            #expect(try await standings(people, viewer, server) == shown, "\(name)")
            try await server.restore(try #require(people[.suspended]).id)
            try await server.backend.database.write { tx in try tx.run("DELETE FROM block") }
            // One list shows the viewer's own blocks. It loses the people who are not blocked any more.
            let back: Set<Standing> = exceptions.contains(.blocked) ? [] : [.open, .blocked, .blocker, .suspended]
            #expect(try await standings(people, viewer, server) == back, "\(name) afterwards")
        }
    }

    /// Checks each condition: without it, the statement also selects the people whom it hides.
    func checkControl(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (viewer, people) = try await makePeople(server)
            try await apply(to: people, viewer, server)
            let (sql, column) = statement(viewer, Array(people.values))
            func standings(_ sql: SQL) async throws -> Set<Standing> {
                let accounts: [String] = try await server.backend.database.read { tx in try tx.rows(sql).map { try $0.get(column) } }
                return Set(people.filter { accounts.contains($0.value.id) }.keys)
            }
            #expect(try await standings(sql) == shown, "\(name)")
            for condition in conditions {
                let without = try sql.removing(condition.sql(viewer))
                #expect(try await standings(without) == shown.union(condition.hides), "\(name) without \(condition.name)")
            }
        }
    }

    private func makePeople(_ server: TestServer) async throws -> (viewer: Person, people: [Standing: Person]) {
        let viewer = try await server.person("viewer")
        try await prepare(viewer, server)
        var people: [Standing: Person] = [:]
        for standing in Standing.allCases {
            let person = try await server.person(standing.rawValue)
            try await add(person, viewer, server)
            people[standing] = person
        }
        return (viewer, people)
    }

    /// Blocks, closes and suspends people. The blocks do not end friendships and the like, so only the statement's conditions hide these
    /// people.
    private func apply(to people: [Standing: Person], _ viewer: Person, _ server: TestServer) async throws {
        for (standing, person) in people {
            switch standing {
            case .open: break
            case .blocked: if !exceptions.contains(.blocked) { try await server.block(person, by: viewer) }
            case .blocker: try await server.block(viewer, by: person)
            case .closed: try await server.closeAccount(of: person)
            case .suspended: try await server.suspend(person.id)
            }
        }
    }

    private func standings(_ people: [Standing: Person], _ viewer: Person, _ server: TestServer) async throws -> Set<Standing> {
        let accounts = try await read(viewer, server)
        #expect(Set(accounts).count == accounts.count, "\(name) shows somebody twice")
        return Set(people.filter { accounts.contains($0.value.id) }.keys)
    }
}

extension TestServer {
    /// Closes an account as its deletion does, but without the job that erases the data.
    func closeAccount(of person: Person) async throws {
        let (features, now) = (backend.features, clock.now)
        let isClosed = try await backend.accounts.close(
            person.id, at: now,
            hiding: { tx in for feature in features.all { try feature.hide(person.id, .closed(keepsCoves: false), tx) } },
            also: { _ in })
        #expect(isClosed)
    }
}

extension SQL {
    /// The statement without `part`. `part` must occur in the statement.
    func removing(_ part: SQL) throws -> SQL {
        // A mark for values: no statement contains this character.
        let mark = "\u{1}"
        let (whole, gone) = (text { _ in mark }, part.text { _ in mark })
        let range = try #require(whole.firstRange(of: gone), "the statement has no such part")
        let first = whole[..<range.lowerBound].count { String($0) == mark }
        var values = values
        #expect(Array(values[first..<first + part.values.count]) == part.values)
        values.removeSubrange(first..<first + part.values.count)
        let rest = whole[..<range.lowerBound] + whole[range.upperBound...]
        var sql: SQL = ""
        for (index, text) in rest.split(separator: Character(mark), omittingEmptySubsequences: false).enumerated() {
            if index > 0 { sql = sql + "\(values[index - 1])" }
            sql = sql + SQL(verbatim: String(text))
        }
        return sql
    }
}
