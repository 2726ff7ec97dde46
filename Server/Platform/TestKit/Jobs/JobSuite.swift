internal import Database

/// The checks that the job queue must pass on every engine. Any test target can run them:
///
///     @Test(arguments: JobSuite.checks)
///     func holds(_ check: JobSuite.Check) async throws { try await check.run(opener) }
package enum JobSuite: ConformanceSuite {
    /// See `DatabaseSuite.Opener`: opening a store again gives a second handle on it, as another node would have. The suite closes every
    /// handle.
    package typealias Opener = DatabaseSuite.Opener

    package struct Check: Sendable, CustomStringConvertible {
        /// States what the check verifies.
        package let description: String
        let body: @Sendable (JobFixture) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (JobFixture) async throws -> Void) {
            self.description = description
            self.body = body
        }

        package func run(_ open: @escaping Opener) async throws {
            // Letters and underscores only, so that every engine accepts the name.
            let store = "jobs_" + description.lowercased().map { $0.isASCII && $0.isLetter ? $0 : "_" }.prefix(55)
            let fixture = try await JobFixture(open, store: store)
            do {
                try await body(fixture)
            } catch {
                try? await fixture.database.close()
                throw error
            }
            try await fixture.database.close()
        }
    }

    package static let checks: [Check] = queue + attempts + losses + runners + turns + leaving + steering

    package typealias Failure = ConformanceFailure

    /// Polls `holds` every 5 ms until it is true, for at most a minute.
    static func eventually(_ what: String, line: Int = #line, _ holds: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await !holds() {
            guard ContinuousClock.now < end else { throw Failure(description: "never: \(what) (line \(line))") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
