import Core
import Database
import FeatureKit
import Jobs
import Logging
import Synchronization
import TestKit
import Testing
import Web

@testable import AccountData
@testable import Accounts
@testable import FeatureTestKit

/// Records each call that it gets and the state of the account's row at that moment, in the same write as the call.
private final class Recorder: Feature {
    let name: String
    /// Throws from `hide` while it is set.
    let fails = Mutex(false)
    /// The id of an account. If it is set, the steps that hand over the coves of any account continue until the account with this id is
    /// closed.
    let awaited = Mutex<String?>(nil)
    /// Counts the steps that run only if the account's coves are kept.
    let stepCount = Mutex(0)
    /// Counts the steps that run whether or not the account's coves are kept.
    let usualStepCount = Mutex(0)
    /// Even if the awaited account is not closed, the steps end after so many.
    static let mostSteps = 3_000

    init(name: String) { self.name = name }

    struct Failure: Error {}

    static var migrations: [Migration] {
        [Migration("recorder/001-call", ["CREATE TABLE call (number BIGINT NOT NULL, name TEXT NOT NULL, what TEXT NOT NULL)"])]
    }
    static var openAPI: [UInt8] { [] }
    func addRoutes(to routes: Routes) {}

    var handingSteps: [HandingSteps] {
        [
            HandingSteps(onlyIfCovesAreKept: false) { [self] _, last, _ in
                self.usualStepCount.withLock { $0 += 1 }
                return last.isEmpty ? "next" : nil
            },
            HandingSteps(onlyIfCovesAreKept: true) { [self] _, _, tx in
                guard let awaited = self.awaited.withLock({ $0 }) else { return nil }
                let count = self.stepCount.withLock { count in
                    count += 1
                    return count
                }
                let row = try tx.row("SELECT closed_at FROM account WHERE id = \(awaited)")
                let isClosed = try row?.get("closed_at", as: Timestamp?.self) != nil
                return isClosed || count >= Self.mostSteps ? nil : "next"
            },
        ]
    }

    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {
        let what =
            switch reason {
            case .closed(let keepsCoves): "hide closed \(keepsCoves)"
            case .suspended: "hide suspended"
            }
        try record(what, account, tx)
        if fails.withLock({ $0 }) { throw Failure() }
    }

    func show(_ account: String, _ tx: WriteTransaction) throws { try record("show", account, tx) }

    private func record(_ what: String, _ account: String, _ tx: WriteTransaction) throws {
        let row = try tx.row("SELECT closed_at, suspended_at FROM account WHERE id = \(account)")
        let isClosed = try row?.get("closed_at", as: Timestamp?.self) != nil
        let isSuspended = try row?.get("suspended_at", as: Timestamp?.self) != nil
        let state = isClosed ? "closed" : isSuspended ? "suspended" : "open"
        let number: Int = try tx.row("SELECT count(*) AS n FROM call")?.get("n") ?? 0
        try tx.run("INSERT INTO call (number, name, what) VALUES (\(number), \(name), \("\(what), \(state)"))")
    }
}

@Suite("Hiding and showing an account")
struct AccountVisibilityTests {
    private struct Home {
        let database: any Database
        let accounts: AccountsFeature
        let one = Recorder(name: "one")
        let two = Recorder(name: "two")
        let clock: TestClock
        let ada: String
        let eve: String

        static func run(_ pair: StoragePair, _ body: (Home) async throws -> Void) async throws {
            let stores = try TestStores(pair)
            let clock = TestClock()
            let database = try await stores.open(clock: clock.wall)
            do {
                try await body(try await Home(database, clock))
            } catch {
                try? await database.close()
                throw error
            }
            try await database.close()
            withExtendedLifetime(stores) {}
        }

        private init(_ database: any Database, _ clock: TestClock) async throws {
            self.database = database
            self.clock = clock
            try await database.migrate(
                PlatformTables.owners.flatMap { $0.migrations } + AccountsFeature.migrations + AccountDataFeature.migrations
                    + Recorder.migrations)
            accounts = AccountsFeature(
                .forTests(database, clock: clock.wall),
                settings: AccountsSettings(issuer: { "https://keepsake.example" }, registration: .open, passwordCost: .forTests))
            ada = try await accounts.issueToken(email: "ada@example.org", isAdmin: false).userID
            eve = try await accounts.issueToken(email: "eve@example.org", isAdmin: false).userID
        }

        var visibility: AccountVisibility { AccountVisibility(features: [accounts, one, two]) }
        var jobs: JobQueue { JobQueue(clock: clock.wall, identifiers: Identifiers(clock: clock.wall, entropy: .system)) }
        var operations: AccountOperations {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            return AccountOperations(
                accounts: accounts, visibility: visibility, clock: clock.wall,
                log: OperatorLog(jobs: jobs, clock: clock.wall, logger: logger))
        }
        var close: CloseAccount { CloseAccount(accounts: accounts, visibility: visibility, jobs: jobs, database: database) }

        /// The calls that the features got, in order.
        func calls() async throws -> [String] {
            try await database.read { tx in
                try tx.rows("SELECT name, what FROM call ORDER BY number").map {
                    "\(try $0.get("name", as: String.self)): \(try $0.get("what", as: String.self))"
                }
            }
        }
    }

    @Test("every feature is told once, in order, in the same write, before the account's own row changes", arguments: StoragePair.allCases)
    func told(_ pair: StoragePair) async throws {
        try await Home.run(pair) { home in
            let actions: [AccountOperations.Action] = [.suspend, .suspend, .verify, .restore, .restore, .unverify]
            for action in actions { _ = try await home.operations.perform(action, on: home.ada) }
            let suspending = try await home.calls()
            #expect(
                suspending == ["one: hide suspended, open", "two: hide suspended, open", "one: show, suspended", "two: show, suspended"])
            try await home.close(home.ada, keepsCoves: true, at: home.clock.now)
            try await home.close(home.eve, keepsCoves: false, at: home.clock.now)
            let closing = try await Array(home.calls().dropFirst(suspending.count))
            #expect(
                closing == [
                    "one: hide closed true, open", "two: hide closed true, open", "one: hide closed false, open",
                    "two: hide closed false, open",
                ])
            await #expect(throws: Problem.accountGone) { try await home.close(home.ada, keepsCoves: true, at: home.clock.now) }
            await #expect(throws: Problem.self) { _ = try await home.operations.perform(.suspend, on: home.ada) }
            #expect(try await home.calls().count == 8)
        }
    }

    @Test("when a feature fails, nothing of the change remains", arguments: StoragePair.allCases)
    func failing(_ pair: StoragePair) async throws {
        try await Home.run(pair) { home in
            home.two.fails.withLock { $0 = true }
            await #expect(throws: (any Error).self) { _ = try await home.operations.perform(.suspend, on: home.ada) }
            await #expect(throws: (any Error).self) { try await home.close(home.ada, keepsCoves: false, at: home.clock.now) }
            #expect(try await home.calls() == [])
            let account = try await home.accounts.summary(id: home.ada)
            #expect(account.suspendedAt == nil)
            home.two.fails.withLock { $0 = false }
            let done = try await home.operations.perform(.suspend, on: home.ada)
            #expect(done.isChanged)
        }
    }

    @Test("suspensions and restorations at the same moment notify the features one after the other", arguments: StoragePair.allCases)
    func race(_ pair: StoragePair) async throws {
        try await Home.run(pair) { home in
            let (operations, ada) = (home.operations, home.ada)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask { _ = try await operations.perform(number.isMultiple(of: 2) ? .suspend : .restore, on: ada) }
                }
                try await group.waitForAll()
            }
            let told = try await home.calls().filter { $0.hasPrefix("one") }
            let expected = told.indices.map { $0.isMultiple(of: 2) ? "one: hide suspended, open" : "one: show, suspended" }
            #expect(!told.isEmpty && told == expected)
        }
    }

    @Test("steps that end something also run if the account's coves are not kept", arguments: StoragePair.allCases)
    func usualSteps(_ pair: StoragePair) async throws {
        try await Home.run(pair) { home in
            home.one.awaited.withLock { $0 = home.eve }
            try await home.close(home.ada, keepsCoves: false, at: home.clock.now)
            let (usual, others) = (home.one.usualStepCount.withLock { $0 }, home.one.stepCount.withLock { $0 })
            #expect(usual == 2 && others == 0)
        }
    }

    @Test("another account is closed between two steps that hand an account's coves over", arguments: StoragePair.allCases)
    func steps(_ pair: StoragePair) async throws {
        try await Home.run(pair) { home in
            // Both use the same turns.
            let close = home.close
            let (ada, eve, now, recorder) = (home.ada, home.eve, home.clock.now, home.one)
            recorder.awaited.withLock { $0 = eve }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await close(ada, keepsCoves: true, at: now) }
                while recorder.stepCount.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
                group.addTask { try await close(eve, keepsCoves: false, at: now) }
                try await group.waitForAll()
            }
            let count = recorder.stepCount.withLock { $0 }
            #expect(count < Recorder.mostSteps)
        }
    }

    @Test("the steps end when the operator suspends the account in between", arguments: StoragePair.allCases)
    func suspendedMeanwhile(_ pair: StoragePair) async throws {
        try await Home.run(pair) { home in
            let (close, operations) = (home.close, home.operations)
            let (ada, eve, now, recorder) = (home.ada, home.eve, home.clock.now, home.one)
            recorder.awaited.withLock { $0 = eve }
            let closing = Task { try await close(ada, keepsCoves: true, at: now) }
            while recorder.stepCount.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
            _ = try await operations.perform(.suspend, on: ada)
            let result = await closing.result
            #expect(throws: Problem.suspended) { try result.get() }
            let count = recorder.stepCount.withLock { $0 }
            #expect(count < Recorder.mostSteps)
        }
    }
}
