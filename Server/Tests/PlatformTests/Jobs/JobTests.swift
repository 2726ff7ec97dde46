import Database
import Jobs
import TestKit
import Testing

@Suite("Jobs", .serialized)
struct JobTests {
    @Test("Jobs pass every check of the job suite on each engine", arguments: JobSuite.checks, Engine.allCases)
    func holds(_ check: JobSuite.Check, _ engine: Engine) async throws {
        let stores = try TestStores(engine)
        try await check.run { store in try await stores.open(store) }
    }
}
