import Blobs
import Core
import Database
import Foundation
import Logging
import NIOCore
import S3Blobs
import TestKit

/// A store, a database and a clock for one test.
final class BlobFixture: Sendable {
    let pair: StoragePair
    let folder: TemporaryFolder
    let clock: TestClock
    let store: any BlobStore
    let stores: TestStores
    let database: any Database
    let ledger: BlobLedger

    init(_ pair: StoragePair) async throws {
        self.pair = pair
        folder = try TemporaryFolder()
        // An object store dates its objects by its own clock.
        clock = pair == .embedded ? TestClock() : TestClock(WallClock.system.now)
        stores = try TestStores(pair)
        var options = BlobAddress.Options(scratchFolder: folder.path + "/scratch")
        options.removingLeftovers = true
        store = try await stores.blobs(in: folder.path).open(options, clock: clock.wall, logger: .silent)
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
    func storeBlob(_ bytes: [UInt8], owner: String = "ada") async throws -> BlobKey {
        let staged = try await BlobStoreSuite.put(bytes, in: store)
        return try await database.write { [ledger] tx in try ledger.adopt(staged, owner: owner, tx).key }
    }

    @discardableResult
    func release(_ key: BlobKey) async throws -> Int? { try await database.write { [ledger] tx in try ledger.release(key, tx) } }

    func row(_ key: BlobKey) async throws -> BlobLedger.Entry? { try await database.read { [ledger] tx in try ledger.row(key, tx) } }

    func refer(_ picture: Int, to key: BlobKey) async throws {
        try await database.write { tx in try tx.run("INSERT INTO picture (id, blob) VALUES (\(picture), \(key))") }
    }

    // MARK: Bytes

    /// The precision of the dates that the store gives to blobs. For an object store, the value also covers the delay of its requests.
    var instant: Duration { pair == .embedded ? .microseconds(1) : .minutes(1) }

    /// The path of published bytes. Only a store of local files has one.
    func path(_ key: BlobKey) -> String { folder.path + "/blobs/\(key.text.prefix(2))/\(key)" }

    private func name(_ key: BlobKey) -> String { "blobs/\(key)" }

    /// The bytes that are staged but not published: temporary files, or unfinished multipart uploads.
    func staged() async throws -> [String] {
        guard pair == .embedded else {
            return try await stores.objects().list().filter { $0.byteCount == 0 || !$0.name.hasPrefix("blobs/") }.map(\.name)
        }
        return (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/blobs/tmp")) ?? []
    }

    func exists(_ key: BlobKey) async throws -> Bool {
        guard pair == .embedded else { return try await stores.objects().list().contains { $0.name == name(key) } }
        return FileManager.default.fileExists(atPath: path(key))
    }

    /// Damages published bytes.
    func change(_ key: BlobKey, _ change: (inout Data) -> Void) async throws {
        let file = URL(filePath: path(key))
        var bytes = pair == .embedded ? try Data(contentsOf: file) : Data(try await stores.objects().get(name(key)))
        change(&bytes)
        if pair == .embedded { try bytes.write(to: file) } else { try await stores.objects().put(name(key), Array(bytes)) }
    }

    /// Deletes published bytes without calling the store, to simulate an accident.
    func deleteBytes(_ key: BlobKey) async throws {
        if pair == .embedded {
            try FileManager.default.removeItem(atPath: path(key))
        } else {
            try await stores.objects().delete(name(key))
        }
    }

    /// Adds empty blobs without rows.
    func addUnreferencedBlobs(_ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let text = BlobKey(entropy: .system).text
                let name = number % 2 == 0 ? "00" + text.dropFirst(2) : text
                if pair == .embedded {
                    let parent = "\(folder.path)/blobs/\(name.prefix(2))"
                    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
                    _ = FileManager.default.createFile(atPath: "\(parent)/\(name)", contents: Data())
                } else {
                    if number >= 16 { try await group.next() }
                    group.addTask { [stores] in try await stores.objects().put("blobs/\(name)", []) }
                }
            }
            try await group.waitForAll()
        }
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

/// The description of a staged blob. The text's bytes are in no store.
func stagedBlob(_ text: String, at time: Timestamp = Timestamp(seconds: 1_780_315_200)) -> StagedBlob {
    StagedBlob(
        key: BlobKey(entropy: .system), byteCount: Int64(text.utf8.count), sha256: BlobStoreSuite.sha256(Array(text.utf8)), stagedAt: time)
}
