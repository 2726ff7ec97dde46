internal import Synchronization

/// While PostgreSQL cannot be reached, only one caller in 200 ms tries to connect; the others get its error at once.
final class PostgresOutage: Sendable {
    private struct Failure {
        let until: ContinuousClock.Instant
        let error: any Error
    }
    private let failure = Mutex<Failure?>(nil)

    func connecting(_ connect: () throws -> PostgresConnection) throws -> PostgresConnection {
        if let known = failure.withLock({ $0 }), known.until > .now { throw known.error }
        do {
            let connection = try connect()
            failure.withLock { $0 = nil }
            return connection
        } catch {
            failure.withLock { $0 = Failure(until: .now + .milliseconds(200), error: error) }
            throw error
        }
    }
}
