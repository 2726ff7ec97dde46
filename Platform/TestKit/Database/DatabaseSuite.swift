package import Database

/// What every engine must do, as checks that any test target can run:
///
///     @Test(arguments: DatabaseSuite.checks)
///     func holds(_ check: DatabaseSuite.Check) async throws { try await check.run(opener) }
package enum DatabaseSuite {
    /// Opens the store called `store`, which is empty the first time. Opening it again gives a second handle on the same store,
    /// as another process would have. The suite closes every handle.
    package typealias Opener = @Sendable (_ store: String) async throws -> any Database

    package struct Check: Sendable, CustomStringConvertible {
        /// A sentence about the engine.
        package let description: String
        let body: @Sendable (_ open: Opener, _ store: String) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (_ open: Opener, _ store: String) async throws -> Void) {
            self.description = description
            self.body = body
        }

        package func run(_ open: Opener) async throws {
            // Letters and underscores: a name any engine can take.
            try await body(open, String(description.lowercased().map { $0.isASCII && $0.isLetter ? $0 : "_" }.prefix(60)))
        }
    }

    package static let checks: [Check] = values + statements + transactions + migrations

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    static func expect(_ holds: Bool, _ what: @autoclosure () -> String, line: Int = #line) throws {
        guard holds else { throw Failure(description: "\(what()) (line \(line))") }
    }

    static func expectEqual<T: Equatable>(_ a: T, _ b: T, line: Int = #line) throws {
        guard a == b else { throw Failure(description: "\(a) is not \(b) (line \(line))") }
    }

    /// - Returns: what `body` threw.
    static func expectThrows(line: Int = #line, _ body: () async throws -> some Any) async throws -> any Error {
        do {
            _ = try await body()
        } catch {
            return error
        }
        throw Failure(description: "nothing was thrown (line \(line))")
    }

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
