import Core
import Crypto
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import Synchronization
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit

/// The accounts feature on a real store of its own, with a clock that the test sets.
final class AccountsHome: Sendable {
    static let issuer = "https://keepsake.example"

    let stores: TestStores
    let clock: TestClock
    let database: any Database
    let feature: AccountsFeature

    private init(stores: TestStores, clock: TestClock, context: FeatureContext, settings: AccountsSettings) {
        self.stores = stores
        self.clock = clock
        database = context.database
        feature = AccountsFeature(context, settings: settings)
    }

    static func run<T>(
        _ engine: Engine, tables: String? = "accounts", registration: AccountsSettings.Registration = .open, cost: PasswordCost = .forTests,
        _ body: (AccountsHome) async throws -> T
    ) async throws -> T {
        let clock = TestClock()
        let home = try await open(TestStores(engine, tables: tables), clock, registration, cost)
        do {
            let result = try await body(home)
            try await home.database.close()
            return result
        } catch {
            try? await home.database.close()
            throw error
        }
    }

    /// Opens the same store a second time, as another process would, with empty caches.
    func another<T>(cost: PasswordCost = .forTests, _ body: (AccountsHome) async throws -> T) async throws -> T {
        let other = try await Self.open(stores, clock, .open, cost)
        do {
            let result = try await body(other)
            try await other.database.close()
            return result
        } catch {
            try? await other.database.close()
            throw error
        }
    }

    private static func open(
        _ stores: TestStores, _ clock: TestClock, _ registration: AccountsSettings.Registration, _ cost: PasswordCost
    ) async throws -> AccountsHome {
        let database = try await stores.open(clock: clock.wall)
        try await database.migrate(AccountsFeature.migrations)
        try stores.keepTables()
        let settings = AccountsSettings(issuer: { issuer }, registration: registration, passwordCost: cost)
        return AccountsHome(stores: stores, clock: clock, context: .forTests(database, clock: clock.wall), settings: settings)
    }

    func secret(named name: String) async throws -> Secret<[UInt8]> {
        try await AccountsFeature.secret(named: name, database, clock: clock.wall, entropy: .system)
    }

    var store: AccountStore { AccountStore(database: database) }

    func signUp(_ email: String = "ada@example.org", password: String = "correct horse", name: String? = nil) async throws -> SignedIn {
        try await feature.register(RegisterInput(email: email, password: password, name: name))
    }

    func refresh(_ token: AuthToken) async throws -> AuthToken { try await feature.refresh(RefreshInput(refreshToken: token.refreshToken)) }

    func viewer(_ token: AuthToken) async throws -> Viewer { try await feature.viewer(bearer: token.accessToken) }

    func deleteAccount(_ id: String) async throws {
        _ = try await database.write { tx in try tx.run("DELETE FROM account WHERE id = \(id)") }
    }

    func count(_ sql: SQL) async throws -> Int { try await database.read { tx in try tx.row(sql)?.get("n") ?? -1 } }
}

/// The problem that `body` throws.
func problem(_ body: () async throws -> some Any, sourceLocation: SourceLocation = #_sourceLocation) async -> Problem? {
    do {
        _ = try await body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        return nil
    } catch {
        guard let problem = error as? Problem else {
            Issue.record("\(error) is no Problem", sourceLocation: sourceLocation)
            return nil
        }
        return problem
    }
}

/// The parts of a JWT, without checking its signature.
struct Opened {
    let header: [String: String]
    let claims: [String: Any]

    init(_ token: String) throws {
        let parts = token.split(separator: ".").map { Data(Base64URL.decode($0) ?? []) }
        header = try #require(JSONSerialization.jsonObject(with: parts[0]) as? [String: String])
        claims = try #require(JSONSerialization.jsonObject(with: parts[1]) as? [String: Any])
    }
}
