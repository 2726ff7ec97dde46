import TestKit
import Testing

@Suite("Blob stores")
struct BlobStoreTests {
    @Test("Every store passes every check of the suite", arguments: BlobEngine.allCases, BlobStoreSuite.checks)
    func conforms(_ engine: BlobEngine, _ check: BlobStoreSuite.Check) async throws {
        let place = try BlobLocation(engine)
        try await check.run { clock in try await place.open(clock) }
    }
}
