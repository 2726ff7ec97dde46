import Core
import Database
import Foundation
import TestKit

/// Moods that are written straight into an installation of SQLite and files while no server runs: statements insert the rows, and the files
/// are written without a sync. 100,000 moods with 10 GB take minutes this way; with requests they would take an hour. A copy finds the same
/// rows and files as if requests had made them. In turn, a mood has no photo, one photo and two photos. Each has two tags and a row with
/// its words for searches. SQLite's search index does not get these words, because a copy makes the target's index from the rows.
struct StoredMoods {
    /// The installation's folder.
    let folder: String
    let account: String
    private(set) var count = 0
    private(set) var fileCount = 0
    private(set) var byteCount = 0
    private let identifiers = Identifiers(clock: .system, entropy: .system)

    /// Sizes that files have equally often: 103 KB on average.
    private static let sizes = [2_000, 60_000, 120_000, 230_000]
    /// Every 20,000th file has this size, which an object store receives in three parts.
    private static let largeByteCount = 12 << 20
    private static let batchCount = 500

    init(folder: String, account: String) {
        self.folder = folder
        self.account = account
    }

    /// - Parameters:
    ///   - database: the installation's database, which is already migrated.
    ///   - show: called after each batch with the number of moods that are stored.
    mutating func add(_ more: Int, to database: any Database, show: (Int) -> Void) async throws {
        // Marks the passes over older rows as done, as they are after a server's first start.
        try await database.write { tx in
            try tx.send("UPDATE media_index_pass SET is_done = 1")
            try tx.send("UPDATE row_pass SET is_done = 1")
        }
        let end = count + more
        while count < end {
            var batch: [Mood] = []
            for _ in 0..<min(Self.batchCount, end - count) {
                batch.append(try next())
                count += 1
            }
            try await database.write { [account, batch] tx in
                for mood in batch { try mood.insert(owner: account, tx) }
                let files = batch.flatMap(\.files)
                let byteCount = files.reduce(0) { $0 + $1.byteCount }
                try tx.send(
                    """
                    INSERT INTO media_usage (account, byte_count, file_count)
                    VALUES (\(account), \(byteCount), \(files.count))
                    ON CONFLICT (account) DO UPDATE SET byte_count = media_usage.byte_count + excluded.byte_count,
                        file_count = media_usage.file_count + excluded.file_count
                    """)
            }
            show(count)
        }
    }

    /// Writes the files of the next mood.
    private mutating func next() throws -> Mood {
        var files: [Mood.File] = []
        for _ in 0..<count % 3 {
            let size = fileCount % 20_000 == 7 ? Self.largeByteCount : Self.sizes[fileCount % Self.sizes.count]
            let bytes = BlobStoreSuite.bytes(size, seed: UInt64.random(in: .min ... .max))
            let file = Mood.File(
                id: identifiers.next(), key: Hex.encode(Entropy.system.bytes(20)), sha256: BlobStoreSuite.sha256(bytes), byteCount: size)
            let parent = "\(folder)/blobs/\(file.key.prefix(2))"
            try FileManager.default.createDirectory(
                atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let path = "\(parent)/\(file.key)"
            guard FileManager.default.createFile(atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]) else {
                throw Command.Failed(description: "\(path) cannot be written")
            }
            files.append(file)
            fileCount += 1
            byteCount += size
        }
        return Mood(id: identifiers.next(), at: identifiers.clock.now, number: count, files: files)
    }

    private struct Mood: Sendable {
        struct File: Sendable {
            let id: String
            let key: String
            let sha256: String
            let byteCount: Int
        }

        let id: String
        let at: Timestamp
        let number: Int
        let files: [File]

        func insert(owner: String, _ tx: WriteTransaction) throws {
            for file in files {
                try tx.send(
                    """
                    INSERT INTO blob (key, owner, sha256, byte_count, refs, state, created_at)
                    VALUES (\(file.key), \(owner), \(file.sha256), \(file.byteCount), 1, 'live', \(at))
                    """)
                try tx.send(
                    """
                    INSERT INTO media (id, owner, blob, name, type, sha256, byte_count, category, tags, created_at, row_bytes)
                    VALUES (\(file.id), \(owner), \(file.key), 'photo.jpg', 'image/jpeg', \(file.sha256), \(file.byteCount), 'mood', '[]',
                        \(at), 0)
                    """)
            }
            let note = "Day \(number): a walk by the lake, and nobody was in a hurry."
            let tags = ["campaign", "tag\(number % 100)"]
            let (tagList, pictures) = (Self.list(tags), Self.list(files.map(\.id)))
            let types: String? = files.isEmpty ? nil : Self.list(files.map { $0.id + " image/jpeg" })
            try tx.send(
                """
                INSERT INTO moment (id, owner, kind, created_at, happened_at, category, tags, mood, note, interests, pictures, files,
                    row_bytes)
                VALUES (\(id), \(owner), 'mood', \(at), \(at), 'general', \(tagList), 'happy', \(note), '[]',
                    \(pictures), \(types), 0)
                """)
            for tag in tags {
                try tx.send(
                    """
                    INSERT INTO moment_tag (moment, owner, kind, tag, category, created_at, happened_at)
                    VALUES (\(id), \(owner), 'mood', \(tag), 'general', \(at), \(at))
                    """)
            }
            for (position, file) in files.enumerated() {
                try tx.send(
                    """
                    INSERT INTO moment_file (moment, position, role, media, owner)
                    VALUES (\(id), \(position), 'picture', \(file.id), \(owner))
                    """)
            }
            let words = "happy\nday \(number) a walk by the lake and nobody was in a hurry\n" + tags.joined(separator: "\n")
            try tx.send(
                """
                INSERT INTO search_document (owner, kind, id, at, place, texts, tokens)
                VALUES (\(owner), 'mood', \(id), \(at), \(number), \(note), \(words))
                """)
            try tx.send(
                """
                INSERT INTO search_head (number, head)
                SELECT number, tokens FROM search_document WHERE owner = \(owner) AND kind = 'mood' AND id = \(id)
                """)
        }

        /// A JSON array, as rows hold it. The texts need no escapes.
        private static func list(_ texts: [String]) -> String { "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
    }
}
