import Foundation
import TestKit

/// Measures durable rows per second: group commit on SQLite compared with single commits, and PostgreSQL compared with pgbench.
/// `make bench` runs it.
@main
struct Main {
    static func main() async throws {
        print(try await GroupCommitMeasurement.run(in: ".", rounds: 9))
        print(try await PgbenchMeasurement.run(on: TestSchema.server, rounds: 7))
    }
}
