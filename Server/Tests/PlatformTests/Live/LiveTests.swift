import TestKit
import Testing

@Suite("The event log")
struct LiveTests {
    @Test("Every engine keeps and delivers events as it must", arguments: Engine.allCases, LiveSuite.checks)
    func conforms(_ engine: Engine, _ check: LiveSuite.Check) async throws {
        let stores = try TestStores(engine)
        try await check.run { store in try await stores.open(store) }
    }
}
