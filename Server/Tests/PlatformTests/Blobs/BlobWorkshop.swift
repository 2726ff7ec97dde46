import Blobs
import Core
import Database
import Foundation
import NIOCore
import TestKit

/// A store, a database and a clock for one test.
final class BlobWorkshop: Sendable {
    let folder: TemporaryFolder
    let clock: TestClock
    let store: LocalBlobStore
    let stores: TestStores
    let database: any Database
    let ledger: BlobLedger

    init(_ engine: Engine) async throws {
        folder = try TemporaryFolder()
        clock = TestClock()
        store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true, clock: clock.wall)
        stores = try TestStores(engine)
        database = try await stores.open(clock: clock.wall)
        ledger = BlobLedger(clock: clock.wall)
        try await database.migrate(
            BlobLedger.migrations + [
                Migration(
                    "test/001",
                    [
                        "CREATE TABLE picture (id BIGINT NOT NULL PRIMARY KEY, blob TEXT COLLATE \"C\")",
                        "CREATE INDEX picture_by_blob ON picture (blob)",
                    ])
            ])
    }

    static let pictures = BlobReferences(table: "picture", column: "blob")

    /// Publishes bytes and writes their row.
    func adopt(_ bytes: [UInt8], owner: String = "ada") async throws -> BlobKey {
        let staged = try await BlobStoreSuite.put(bytes, in: store)
        return try await database.write { [ledger] tx in try ledger.adopt(staged, owner: owner, tx).key }
    }

    @discardableResult
    func release(_ key: BlobKey) async throws -> Int? { try await database.write { [ledger] tx in try ledger.release(key, tx) } }

    func row(_ key: BlobKey) async throws -> BlobLedger.Entry? { try await database.read { [ledger] tx in try ledger.row(key, tx) } }

    func refer(_ picture: Int, to key: BlobKey) async throws {
        try await database.write { tx in try tx.run("INSERT INTO picture (id, blob) VALUES (\(picture), \(key))") }
    }

    func path(_ key: BlobKey) -> String { folder.path + "/blobs/\(key.text.prefix(2))/\(key)" }

    var staged: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/blobs/tmp")) ?? [] }

    func exists(_ key: BlobKey) -> Bool { FileManager.default.fileExists(atPath: path(key)) }
}

/// A staged blob whose bytes count as published already.
func stagedBlob(_ text: String, at time: Timestamp = Timestamp(seconds: 1_780_315_200)) -> StagedBlob {
    StagedBlob(
        key: BlobKey(entropy: .system), byteCount: Int64(text.utf8.count), sha256: BlobStoreSuite.sha256(Array(text.utf8)), stagedAt: time)
}
