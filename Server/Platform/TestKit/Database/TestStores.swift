package import Core
package import Database
internal import DatabaseEngines
package import Foundation
package import S3Blobs
internal import Synchronization

/// Empty stores of one pair for one test: files in a folder, or schemas in the PostgreSQL and objects in the radosgw that `make services`
/// starts. Deinitialization deletes them.
package final class TestStores: Sendable {
    package let pair: StoragePair
    package let engine: Engine
    private let folder: String
    private let bucket = Mutex<TestBucket?>(nil)
    private let tables: String?
    private let schemas = Mutex<[String: TestSchema]>([:])

    package convenience init(_ engine: Engine, tables: String? = nil) throws { try self.init(StoragePair(engine), tables: tables) }

    /// - Parameter tables: as `kind` of `TestSchema.init(tables:)`; ignored with SQLite.
    package init(_ pair: StoragePair, tables: String? = nil) throws {
        self.pair = pair
        self.tables = tables
        engine = pair.engine
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
                let new = try TestSchema(tables: tables)
                schemas[store] = new
                return new.address
            }
        }
    }

    /// Puts a database file with tables in place of the SQLite database, before anything opens it. Only the file's owner may read it, as if
    /// the engine had made it.
    package func begin(with file: Data) throws {
        guard FileManager.default.createFile(atPath: folder + "/main.sqlite", contents: file, attributes: [.posixPermissions: 0o600]) else {
            throw TestSchema.Failure(description: "the database cannot be written")
        }
    }

    /// Lets later tests reuse the tables of PostgreSQL. Call it when all migrations have run in each store whose address was requested.
    /// - Parameter started: as in `TestSchema.keepTables`.
    package func keepTables(except started: [String] = []) throws {
        for schema in schemas.withLock({ Array($0.values) }) { try schema.keepTables(except: started) }
    }

    /// Where the test's blobs are: with `.shared` under a prefix of their own in radosgw's bucket, with `.embedded` in `folder`.
    /// - Parameter folder: the data folder of a server.
    package func blobs(in folder: String) throws -> BlobAddress {
        switch pair {
        case .embedded: .file(folder: folder)
        case .shared: try objects().address
        }
    }

    /// Environment variables of a program that is to use these stores. None with `.embedded`, because the program then keeps its database
    /// and its blobs in its data folder.
    package func environment() throws -> [String: String] {
        switch pair {
        case .embedded: [:]
        case .shared: try objects().environment.merging(["KEEPSAKE_DATABASE": address()]) { $1 }
        }
    }

    /// The objects of the pair `.shared`.
    package func objects() throws -> TestBucket {
        try bucket.withLock { bucket in
            if let bucket { return bucket }
            let new = try TestBucket()
            bucket = new
            return new
        }
    }

    /// Opens a handle on the store, as another process would. Four connections suffice for a test.
    package func open(_ store: String = "main", clock: WallClock = .system, connections: Int = 4) async throws -> any Database {
        guard let address = DatabaseAddress(try address(store)) else { throw TestSchema.Failure(description: "not an address") }
        return try await address.open(clock: clock, connections: connections)
    }
}
