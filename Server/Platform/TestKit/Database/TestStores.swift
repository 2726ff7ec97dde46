package import Core
package import Database
internal import DatabaseEngines
internal import Foundation
internal import Synchronization

/// Empty stores of one engine for one test, gone when this is let go: files in a folder, or schemas of the PostgreSQL that
/// `make services` starts.
package final class TestStores: Sendable {
    package let engine: Engine
    private let folder: String
    private let schemas = Mutex<[String: TestSchema]>([:])

    package init(_ engine: Engine) throws {
        self.engine = engine
        folder = FileManager.default.temporaryDirectory.appending(path: "keepsake-stores-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// As `KEEPSAKE_DATABASE` takes it. The same name is the same store.
    package func address(_ store: String = "main") throws -> String {
        switch engine {
        case .sqlite: return "sqlite:\(folder)/\(store).sqlite"
        case .postgres:
            return try schemas.withLock { schemas in
                if let known = schemas[store] { return known.address }
                let new = try TestSchema()
                schemas[store] = new
                return new.address
            }
        }
    }

    /// A handle on the store, as another process would have it. Few connections: a test is not a crowd.
    package func open(_ store: String = "main", clock: WallClock = .system, connections: Int = 4) async throws -> any Database {
        guard let address = DatabaseAddress(try address(store)) else { throw TestSchema.Failure(description: "not an address") }
        return try await address.open(clock: clock, connections: connections)
    }
}
