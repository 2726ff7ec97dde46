import Blobs
import Core
import Database
import FeatureKit
import Jobs
import Live
import Media
import Search
import Web

/// All SQL of the feature.
struct __Thing__Store: Sendable {
    let database: any Database
    let library: MediaLibrary
    let search: SearchIndex
    let events: EventLog
    let jobs: JobQueue

    /// Stores the __thing__ and its file in one transaction.
    /// - Parameter answering: makes the response inside the write, so that the same transaction can store the response.
    /// - Returns: the response, and the staged blobs that duplicate stored bytes.
    func add<Answer: Sendable>(
        _ __thing__: __Thing__, file: MediaLibrary.File, answering: @escaping @Sendable (WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey]) {
        try await database.write { tx in
            let surplus = try library.add([file], rowBytes: __thing__.rowBytes, owner: __thing__.owner, tx)
            try tx.run(__Thing__.table.insert(__thing__, with: ["row_bytes": __thing__.rowBytes]))
            try search.put(__thing__.document, tx)
            try jobs.enqueue(Count__Thing__Words(id: __thing__.id), key: __thing__.id, owner: __thing__.owner, tx)
            try events.emit("__thing__.added", __Thing__Event(id: __thing__.id), to: __thing__.owner, tx)
            return (try answering(tx), surplus)
        }
    }

    /// - Returns: `nil` when the __thing__ does not exist or belongs to another account.
    func __thing__(_ id: String, owner: String) async throws -> __Thing__? {
        try await database.read { tx in try tx.first(Self.one(id, owner: owner), __Thing__.init) }
    }

    /// A page of the owner's __things__, newest first.
    func list(owner: String, _ request: PageRequest<TimeKey>) async throws -> Page<__Thing__, TimeKey> {
        let rows = try await database.list(Self.page(owner: owner, after: request.after, limit: request.rowLimit), __Thing__.init)
        return Page(rows, limit: request.limit) { TimeKey(at: $0.createdAt, id: $0.id) }
    }

    /// - Returns: whether the owner had this __thing__.
    func delete(_ id: String, owner: String) async throws -> Bool {
        try await database.write { tx in
            guard let __thing__ = try tx.first(Self.one(id, owner: owner), __Thing__.init) else { return false }
            guard try tx.run("DELETE FROM __thing__ WHERE id = \(id) AND owner = \(owner)") == 1 else { return false }
            // Delete stored responses before you change the account's usage: all writes take these two locks in this order.
            let answerBytes = try IdempotencyStore.forget(__thing__.resource, of: owner, tx)
            try library.erase([__thing__.file].compactMap { $0 }, owner: owner, tx)
            try library.note(rowBytes: -__thing__.rowBytes - answerBytes, owner: owner, tx)
            try search.remove(kind: __Thing__.kind, id: id, owner: owner, tx)
            try events.emit("__thing__.deleted", __Thing__Event(id: id), to: owner, tx)
            return true
        }
    }

    /// Runs the job. It reads the row again in the write that ends the job, so that the count fits the current title.
    func countWords(_ run: JobRun<Count__Thing__Words>) async throws {
        guard let owner = run.owner else { throw JobFailure.permanent("the job names no owner") }
        try await run.complete { tx in
            // The row may have been deleted meanwhile.
            guard let __thing__ = try tx.first(Self.one(run.payload.id, owner: owner), __Thing__.init) else { return }
            let count = __Thing__Rules.wordCount(__thing__.title)
            try tx.run("UPDATE __thing__ SET word_count = \(count) WHERE id = \(__thing__.id) AND owner = \(owner)")
        }
    }

    /// - Returns: how many rows it deleted. The media library deletes their files.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try tx.run(
            """
            DELETE FROM __thing__ WHERE owner = \(owner)
                AND id IN (SELECT id FROM __thing__ WHERE owner = \(owner) ORDER BY created_at, id LIMIT \(limit))
            """)
    }

    // MARK: For the timeline and for search

    func timeline(_ request: EntryKind.Request, _ tx: ReadTransaction) throws -> [__Thing__] {
        // A __thing__ has no tags, so a filter by tag finds none.
        if request.tag != nil { return [] }
        return try tx.list(Self.timelinePage(request), __Thing__.init)
    }

    func entries(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [__Thing__] {
        try tx.list("\(sql: __Thing__.table.select) WHERE id IN (\(sql: .list(ids))) AND owner = \(owner)", __Thing__.init)
    }

    // MARK: Statements

    private static let byTime = TwoWayKeyset("__thing__.created_at", "__thing__.id")

    static func one(_ id: String, owner: String) -> SQL {
        "\(sql: __Thing__.table.select) WHERE id = \(id) AND owner = \(owner)"
    }

    static func page(owner: String, after key: TimeKey?, limit: Int) -> SQL {
        "\(sql: __Thing__.table.select) WHERE owner = \(owner)" + byTime[.descending].page(after: key?.sql, limit: limit)
    }

    static func timelinePage(_ request: EntryKind.Request) -> SQL {
        "\(sql: __Thing__.table.select) WHERE owner = \(request.owner)\(sql: request.range("created_at"))"
            + byTime[request.order].page(after: request.after?.sql, limit: request.limit)
    }

    static func dropping(_ file: String, owner: String) -> SQL {
        "UPDATE __thing__ SET file = NULL WHERE file = \(file) AND owner = \(owner)"
    }
}

/// The payload of this feature's events. It only identifies the __thing__; clients read the content from the API.
struct __Thing__Event: Codable, Sendable {
    let id: String
}
