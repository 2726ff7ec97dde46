import Blobs
import Core
import Database
import Jobs
import Media
import Search

/// All SQL of the table `chat_file`.
struct ChatFileStore: Sendable {
    let database: any Database
    let library: MediaLibrary
    let jobs: JobQueue
    let clock: WallClock
    private let search = SearchIndex()

    init(database: any Database, library: MediaLibrary, jobs: JobQueue, clock: WallClock) {
        self.database = database
        self.library = library
        self.jobs = jobs
        self.clock = clock
    }

    /// Stores an uploaded file. If its text is pending, a job will read it.
    /// - Parameter answering: makes the response inside the transaction.
    /// - Returns: the response, and the staged blobs that duplicate stored bytes.
    /// - Throws: `.tooLarge` when the file exceeds the owner's quota.
    func add<Answer: Sendable>(
        _ file: ChatFile, text: String?, _ words: SearchWords, _ bytes: MediaLibrary.File,
        answering: @escaping @Sendable (WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey]) {
        let document = Self.document(file, text)
        return try await database.write { tx in
            let isPending = file.textState == .pending
            if isPending { try lockReading(of: file.owner, tx) }
            // If another file is pending already, its job enqueues the job for this file later.
            let isNext = try isPending && tx.row(Self.firstPending(of: file.owner)) == nil
            let surplus = try library.add([bytes], rowBytes: 0, owner: file.owner, tx)
            try tx.send(ChatFile.table.insert(file, with: ["row_bytes": file.rowBytes(text: text), "text": text]))
            try search.put(document, words, tx)
            if isNext { try enqueueReading(file.id, owner: file.owner, tx) }
            return (try answering(tx), surplus)
        }
    }

    static func document(_ file: ChatFile, _ text: String?) -> SearchDocument {
        SearchDocument(
            kind: ChatFile.searchKind, id: file.id, owner: file.owner, at: file.createdAt, texts: [("name", file.name), ("text", text)])
    }

    // MARK: Reading

    /// - Returns: `nil` when the file does not exist or belongs to another account.
    func file(_ id: String, owner: String) async throws -> ChatFile? {
        try await database.first(Self.some([id], owner: owner), ChatFile.init)
    }

    /// The files that exist and belong to the owner, in the order of `ids`, without duplicates.
    func find(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [ChatFile] {
        guard !ids.isEmpty else { return [] }
        let found = try tx.list(Self.some(ids, owner: owner), ChatFile.init)
        let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        var seen: Set<String> = []
        return ids.compactMap { seen.insert($0).inserted ? byID[$0] : nil }
    }

    static func some(_ ids: [String], owner: String) -> SQL {
        "\(sql: ChatFile.table.select) WHERE id IN (\(sql: .list(ids))) AND \(sql: .owned(by: owner))"
    }

    /// - Returns: `nil` when nothing was read in the file, or it belongs to another account.
    func text(_ id: String, owner: String) async throws -> String? {
        try await database.read { tx in
            try tx.row("SELECT text FROM chat_file WHERE id = \(id) AND owner = \(owner)")?.get("text", as: String?.self)
        }
    }

    /// Whether a job still reads the text of one of the files.
    func isAnyPending(_ ids: [String], owner: String) async throws -> Bool {
        guard !ids.isEmpty else { return false }
        return try await database.read { tx in try tx.row(Self.pending(among: ids, owner: owner)) != nil }
    }

    /// One of the files whose text is pending.
    static func pending(among ids: [String], owner: String) -> SQL {
        // A plain comparison of `text_state` could make PostgreSQL look for the ids in the index of all pending files.
        """
        SELECT id FROM chat_file
        WHERE id IN (\(sql: .list(ids))) AND \(sql: .owned(by: owner))
            AND CASE WHEN text_state = \(ChatFile.TextState.pending.rawValue) THEN 1 ELSE 0 END = 1
        LIMIT 1
        """
    }

    // MARK: Turns

    // Accounts take turns: a job reads one file, and enqueues the job for the account's next file when it is done. So an account with many
    // files has one job in the queue, like an account with one file.

    /// Stores the text that the job read from a file, or that the file has no text, and enqueues the job that reads the owner's next file.
    /// Stores nothing if the file was deleted or read meanwhile.
    /// - Parameter words: the words of the file's name and text, split before the write; if `nil`, the write splits them.
    func finishReading(_ text: String?, of id: String, owner: String, words: SearchWords? = nil, _ tx: WriteTransaction) throws {
        try lockReading(of: owner, tx)
        try keep(text, of: id, owner: owner, words, tx)
        if let next = try tx.row(Self.firstPending(of: owner)) { try enqueueReading(next.get("id"), owner: owner, tx) }
    }

    /// Enqueues a job for each account that has files to read. An account lacks its job only when an operator removed it, or a backup was
    /// restored.
    func resumeReading() async throws {
        var last = ""
        while let owner = try await database.read({ [last] tx in
            try tx.row(Self.firstPending(after: last))?.get("owner", as: String.self)
        }) {
            // The owner was read without the lock. A job of this file may be ending; `enqueue` waits for it.
            try await database.write { tx in
                if let next = try tx.row(Self.firstPending(of: owner)) { try enqueueReading(next.get("id"), owner: owner, tx) }
            }
            last = owner
        }
    }

    /// Serializes uploads and the ends of jobs. Without this lock, an upload could rely on a job that ends at the same time and does not
    /// see the new file.
    private func lockReading(of owner: String, _ tx: WriteTransaction) throws { try tx.lock("chat reading " + owner) }

    /// Does nothing when the file has a job already.
    private func enqueueReading(_ id: String, owner: String, _ tx: WriteTransaction) throws {
        try jobs.enqueue(ReadChatFile(file: id), key: id, owner: owner, tx)
    }

    /// The file that was uploaded first among those whose text is pending.
    static func firstPending(of owner: String) -> SQL {
        "SELECT id FROM chat_file WHERE owner = \(owner) AND text_state = 1 ORDER BY created_at, id LIMIT 1"
    }

    /// The next account, after `owner`, that has a file whose text is pending.
    static func firstPending(after owner: String) -> SQL {
        "SELECT owner FROM chat_file WHERE owner > \(owner) AND text_state = 1 ORDER BY owner LIMIT 1"
    }

    // MARK: Changes

    /// Marks the files as sent, so that `sweep` does not delete them. Call it in the write that stores the message.
    /// - Throws: `noSuchChatFile` when one of them does not exist any more.
    func markSent(_ ids: [String], owner: String, at time: Timestamp, _ tx: WriteTransaction) throws {
        for id in Set(ids).sorted() {
            let changed = try tx.run(
                "UPDATE chat_file SET sent_at = COALESCE(sent_at, \(time)) WHERE id = \(id) AND owner = \(owner)")
            guard changed == 1 else { throw Problem.noSuchChatFile }
        }
    }

    private func keep(_ text: String?, of id: String, owner: String, _ words: SearchWords?, _ tx: WriteTransaction) throws {
        // The update locks the row, so a deletion that runs at the same time comes before or after all of this.
        let row = try tx.row(
            """
            UPDATE chat_file SET text = \(text), text_state = \((text == nil ? ChatFile.TextState.none : .ready).rawValue)
            WHERE id = \(id) AND owner = \(owner) AND text_state = \(ChatFile.TextState.pending.rawValue) RETURNING row_bytes
            """)
        guard let row, let file = try find([id], owner: owner, tx).first else { return }
        let counted: Int64 = try row.get("row_bytes")
        let bytes = file.rowBytes(text: text)
        try tx.send("UPDATE chat_file SET row_bytes = \(bytes) WHERE id = \(id) AND owner = \(owner)")
        if text != nil {
            let document = Self.document(file, text)
            try search.put(document, words ?? SearchWords(document.texts), tx)
        }
        try library.adjust(rowBytes: bytes - counted, of: id, owner: owner, tx)
    }

    /// - Returns: whether the owner had this file.
    func delete(_ id: String, owner: String) async throws -> Bool {
        // Another file of the library may have this id.
        guard try await file(id, owner: owner) != nil else { return false }
        try await library.prepareErasing([id], owner: owner)
        return try await database.write { tx in
            guard try !find([id], owner: owner, tx).isEmpty else { return false }
            try library.erase([id], owner: owner, tx)
            return true
        }
    }

    /// Deletes the row of a file that is deleted from the library.
    static func drop(_ id: String, owner: String, _ tx: WriteTransaction) throws {
        guard try tx.run("DELETE FROM chat_file WHERE id = \(id) AND owner = \(owner)") == 1 else { return }
        try SearchIndex().remove(kind: ChatFile.searchKind, id: id, owner: owner, tx)
    }

    /// Deletes files that were uploaded long ago and never sent in a message, 100 at a time.
    func sweep() async throws {
        let before = clock.now - ChatFileRules.unsentLife
        while true {
            let files = try await database.list(Self.unsent(before: before, limit: 100)) { row in
                (id: try row.next("id") as String, owner: try row.next("owner") as String)
            }
            for file in files { try await eraseUnsent(file.id, owner: file.owner) }
            if files.count < 100 { return }
        }
    }

    private func eraseUnsent(_ id: String, owner: String) async throws {
        try await library.prepareErasing([id], owner: owner)
        try await database.write { tx in
            // The update locks the row, so no message can send the file at the same time.
            guard try tx.run("UPDATE chat_file SET sent_at = NULL WHERE id = \(id) AND owner = \(owner) AND sent_at IS NULL") == 1 else {
                return
            }
            try library.erase([id], owner: owner, tx)
        }
    }

    static func unsent(before time: Timestamp, limit: Int) -> SQL {
        "SELECT id, owner FROM chat_file WHERE sent_at IS NULL AND created_at < \(time) ORDER BY created_at, id LIMIT \(limit)"
    }
}
