import TestKit
import Testing

@Suite("The event log")
struct LiveTests {
    @Test("Every engine passes each check of the event log suite", arguments: Engine.allCases, LiveSuite.checks)
    func conforms(_ engine: Engine, _ check: LiveSuite.Check) async throws {
        let stores = try TestStores(engine)
        try await check.run { store in try await stores.open(store) }
    }
}
