package import Database

/// The checks that every engine must pass. Any test target can run them:
///
///     @Test(arguments: DatabaseSuite.checks)
///     func holds(_ check: DatabaseSuite.Check) async throws { try await check.run(opener) }
package enum DatabaseSuite: ConformanceSuite {
    /// Opens the store called `store`, which is empty the first time. Opening it again gives a second handle on the same store,
    /// as another process would have. The suite closes every handle.
    package typealias Opener = @Sendable (_ store: String) async throws -> any Database

    package struct Check: Sendable, CustomStringConvertible {
        /// States what the check verifies.
        package let description: String
        let body: @Sendable (_ open: Opener, _ store: String) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (_ open: Opener, _ store: String) async throws -> Void) {
            self.description = description
            self.body = body
        }

        package func run(_ open: Opener) async throws {
            // Letters and underscores only, so that every engine accepts the name.
            try await body(open, String(description.lowercased().map { $0.isASCII && $0.isLetter ? $0 : "_" }.prefix(60)))
        }
    }

    package static let checks: [Check] = values + statements + transactions + migrations

    package typealias Failure = ConformanceFailure

    /// A check on one fresh store with `schema` in it.
    static func check(
        _ description: String, _ schema: [String], _ body: @escaping @Sendable (any Database) async throws -> Void
    ) -> Check {
        Check(description) { open, store in
            let database = try await open(store)
            do {
                try await database.migrate([Migration("suite/001", schema)])
                try await body(database)
            } catch {
                try? await database.close()
                throw error
            }
            try await database.close()
        }
    }
}
