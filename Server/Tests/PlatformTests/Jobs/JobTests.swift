import Database
import Jobs
import TestKit
import Testing

@Suite("Jobs", .serialized)
struct JobTests {
    @Test("Jobs are done as promised, on either engine", arguments: JobSuite.checks, Engine.allCases)
    func holds(_ check: JobSuite.Check, _ engine: Engine) async throws {
        let stores = try TestStores(engine)
        try await check.run { store in try await stores.open(store) }
    }
}
