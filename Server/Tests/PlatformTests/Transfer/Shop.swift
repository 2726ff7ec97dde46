import Blobs
import Core
import Crypto
import Database
import Foundation
import NIOCore
import Synchronization
import TestKit
import Transfer

/// A small schema with everything that is difficult to copy: unique values, keys that the engine generates, foreign keys with and without
/// CASCADE, a full-text index, every type of column, and blobs.
enum ShopTables: TableOwner {
    static let migrations = [
        Migration(
            "shop/001-person",
            [
                """
                CREATE TABLE person (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    email TEXT COLLATE "C" UNIQUE,
                    is_new SMALLINT NOT NULL,
                    score DOUBLE PRECISION,
                    picture BYTEA
                )
                """,
                """
                CREATE TABLE pairing (
                    first TEXT COLLATE "C" NOT NULL REFERENCES person (id) ON DELETE CASCADE,
                    at BIGINT NOT NULL,
                    words TEXT,
                    PRIMARY KEY (first, at)
                )
                """,
                """
                CREATE TABLE file (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    owner TEXT COLLATE "C" NOT NULL REFERENCES person (id) ON DELETE CASCADE,
                    blob TEXT COLLATE "C" NOT NULL REFERENCES blob (key)
                )
                """,
                "CREATE TABLE lease (id TEXT PRIMARY KEY NOT NULL COLLATE \"C\")",
                "CREATE TABLE pass (id TEXT PRIMARY KEY NOT NULL COLLATE \"C\", n BIGINT NOT NULL)",
                "INSERT INTO pass (id, n) VALUES ('one', 0)",
                "CREATE TABLE ticket (id TEXT PRIMARY KEY NOT NULL COLLATE \"C\")",
            ]),
        Migration(
            "shop/002-document",
            sqlite: [
                document("INTEGER PRIMARY KEY AUTOINCREMENT"),
                "CREATE VIRTUAL TABLE word USING fts5(tokens, tokenize = 'ascii', columnsize = 0)",
                "CREATE TABLE forgotten (number INTEGER PRIMARY KEY)",
                "CREATE TRIGGER forget AFTER DELETE ON document BEGIN INSERT INTO forgotten (number) VALUES (OLD.number); END",
            ],
            postgres: [
                document("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
                "ALTER TABLE document ADD COLUMN lexemes tsvector",
            ]),
    ]
    static let localTables = ["lease"]
    static let revocableTables = ["ticket"]

    private static func document(_ number: String) -> String {
        """
        CREATE TABLE document (
            number \(number), owner TEXT COLLATE "C" NOT NULL REFERENCES person (id) ON DELETE CASCADE, tokens TEXT NOT NULL
        )
        """
    }

    static let words = TokenTable(rows: "document", index: "word", forgotten: "forgotten") { row in
        try row.get("tokens", as: String.self).split(separator: " ").map(String.init)
    }

    static let rules = TableRules([BlobLedger.self, TransferState.self, ShopTables.self], indexes: [words])
}

/// An installation with the small schema.
final class Shop: Sendable {
    let stores: TestStores
    let database: any Database
    let store: LocalBlobStore
    let clock: TestClock
    private let folder: String

    /// - Parameter folder: the folder of the blobs and of the row files.
    init(_ engine: Engine, in folder: String, clock: TestClock = TestClock(), isMigrated: Bool = true) async throws {
        self.clock = clock
        self.folder = folder
        stores = try TestStores(engine)
        database = try await stores.open(clock: clock.wall)
        store = try await LocalBlobStore.open(folder: folder, removingLeftovers: false, clock: clock.wall)
        if isMigrated { try await database.migrate(ShopTables.rules.migrations) }
    }

    func close() async throws {
        try await database.close()
        await store.close()
    }

    var source: TransferSource {
        TransferSource(
            database: database, store: store, rules: ShopTables.rules, identifiers: Identifiers(clock: clock.wall, entropy: .system),
            program: "test")
    }

    func copy(to target: Shop) -> CopyInstallation {
        CopyInstallation(source, to: target.database, target.store, workFolder: workFolder)
    }

    var workFolder: String { folder + "/work" }

    // MARK: Content

    /// Adds people, each with every kind of data that a person can have.
    func fill(_ range: Range<Int>) async throws {
        var staged: [(number: Int, blob: StagedBlob)] = []
        for number in range {
            let writer = try await store.stage()
            try await writer.append(ByteBuffer(bytes: (0..<1_000 + number * 37).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }))
            staged.append((number, try await writer.finish()))
        }
        try await store.publish(staged.map(\.blob))
        let ledger = BlobLedger(clock: clock.wall)
        try await database.write { [staged] tx in
            for (number, blob) in staged {
                // The owner names the file, because `key(of:)` looks up a blob's key by its owner.
                let key = try ledger.adopt(blob, owner: "file-\(number)", tx).key
                try Self.add(number, key, tx)
            }
            try tx.run("INSERT INTO lease (id) VALUES (\("lease-\(range.lowerBound)"))")
        }
    }

    /// Adds one person with a large file.
    func add(_ number: Int, byteCount: Int) async throws {
        let writer = try await store.stage()
        var left = byteCount
        while left > 0 {
            try await writer.append(ByteBuffer(repeating: UInt8(left & 255), count: min(left, 1_000_000)))
            left -= min(left, 1_000_000)
        }
        let staged = try await writer.finish()
        try await store.publish([staged])
        let ledger = BlobLedger(clock: clock.wall)
        try await database.write { tx in
            try Self.add(number, try ledger.adopt(staged, owner: "file-\(number)", tx).key, tx)
        }
    }

    private static func add(_ number: Int, _ key: BlobKey, _ tx: WriteTransaction) throws {
        let id = "person-\(number)"
        try tx.run(
            """
            INSERT INTO person (id, email, is_new, score, picture) VALUES (
                \(id), \("\(number)@example.org"), \(number % 2), \(number % 3 == 0 ? nil : Double(number) / 3),
                \([UInt8(number & 255), 0, 255]))
            """)
        for at in 0..<3 {
            let words = at == 0 ? nil : "ä\u{1F600} 'quoted' \"twice\" \\ \(number)\n"
            try tx.run("INSERT INTO pairing (first, at, words) VALUES (\(id), \(at - 1), \(words))")
        }
        try tx.run("INSERT INTO file (id, owner, blob) VALUES (\("file-\(number)"), \(id), \(key))")
        try tx.run("INSERT INTO ticket (id) VALUES (\(id))")
        let tokens = ["number\(number)", "even\(number % 2)"]
        let row = try tx.row("INSERT INTO document (owner, tokens) VALUES (\(id), \(tokens.joined(separator: " "))) RETURNING number")
        let document: Int64 = try row?.get("number") ?? 0
        for statement in tx.tokenSearch.replacement(in: ShopTables.words, number: document, tokens: tokens) { try tx.run(statement) }
    }

    private func key(of file: String) async throws -> BlobKey {
        let row = try await database.read { tx in try tx.row("SELECT key FROM blob WHERE owner = \(file)") }
        guard let row else { throw BlobError.closed }
        return try row.get("key")
    }

    /// Deletes the person and everything that is theirs; the blob becomes dead.
    func remove(_ number: Int) async throws {
        let key = try await key(of: "file-\(number)")
        let ledger = BlobLedger(clock: clock.wall)
        try await database.write { tx in
            try tx.run("DELETE FROM ticket WHERE id = \("person-\(number)")")
            try tx.run("DELETE FROM person WHERE id = \("person-\(number)")")
            try ledger.release(key, tx)
        }
    }

    func search(_ token: String) async throws -> [String] {
        try await database.read { tx in
            let match = tx.tokenSearch.matches(
                "document", in: ShopTables.words, TokenQuery([[TokenPhrase([token])]]), limit: 1_000)
            return try tx.rows("SELECT owner FROM document WHERE \(sql: match) ORDER BY owner").map { try $0.get("owner") }
        }
    }

    /// All rows of all tables that are copied, and the bytes of all live blobs.
    func content() async throws -> [String: [[SQLValue]]] {
        var content: [String: [[SQLValue]]] = [:]
        for table in try await ShopTables.rules.tables(of: database) {
            content[table.name] = try await database.read { tx in
                try tx.rows(table.statements.rows(after: nil, limit: 100_000)).map(\.values)
            }
        }
        var bytes: [[SQLValue]] = []
        let live = try await database.read { tx in
            try tx.rows("SELECT key, sha256 FROM blob WHERE state = 'live' ORDER BY key").map {
                (try $0.get("key", as: BlobKey.self), try $0.get("sha256", as: String.self))
            }
        }
        for (key, sha256) in live {
            let reader = try await store.open(key)
            var hash = SHA256()
            for try await chunk in reader.chunks(in: 0..<reader.byteCount) { hash.update(data: Array(chunk.readableBytesView)) }
            bytes.append([.text(key.text), .text(Hex.encode(hash.finalize()) == sha256 ? "right" : "wrong")])
        }
        content["bytes"] = bytes
        return content
    }
}

/// Deleted accounts, as a feature would list them.
final class DeletedPeople: Sendable {
    private let list = Mutex<[BackupRepository.Deletion]>([])

    func add(_ account: String, _ time: Timestamp) { list.withLock { $0.append(BackupRepository.Deletion(account: account, at: time)) } }
    func after(_ limit: Timestamp) -> [BackupRepository.Deletion] { list.withLock { $0.filter { $0.at >= limit } } }
}

/// Empty folders for one test, deleted with this object.
final class Folders {
    private let root = FileManager.default.temporaryDirectory.appending(path: "keepsake-transfer-\(UUID().uuidString)").path

    init(_ count: Int) throws {
        for number in 0..<count { try FileManager.default.createDirectory(atPath: self[number], withIntermediateDirectories: true) }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    subscript(_ number: Int) -> String { "\(root)/\(number)" }
}
