import Foundation
import TestKit

/// Prints what durable rows cost: committed together on SQLite, against one by one; on PostgreSQL, against pgbench. `make bench`.
@main
struct Main {
    static func main() async throws {
        print(try await GroupCommitMeasurement.run(in: ".", rounds: 9))
        print(try await PgbenchMeasurement.run(on: TestSchema.server, rounds: 7))
    }
}
