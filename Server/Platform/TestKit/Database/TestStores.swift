package import Core
package import Database
internal import DatabaseEngines
internal import Foundation
internal import Synchronization

/// Empty stores of one engine for one test: files in a folder, or schemas in the PostgreSQL that `make services` starts. Deinitialization
/// deletes them.
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

    /// The store's address in the format of `KEEPSAKE_DATABASE`. The same name yields the same store.
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

    /// Opens a handle on the store, as another process would. Four connections suffice for a test.
    package func open(_ store: String = "main", clock: WallClock = .system, connections: Int = 4) async throws -> any Database {
        guard let address = DatabaseAddress(try address(store)) else { throw TestSchema.Failure(description: "not an address") }
        return try await address.open(clock: clock, connections: connections)
    }
}
