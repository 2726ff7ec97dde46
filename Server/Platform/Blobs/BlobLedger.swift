package import Core
package import Database

/// Counts the references to each blob. It holds all SQL of this module that features call. A row is `live` while something refers to the
/// blob. After that it is `dead` for ever, and the garbage collector deletes first the bytes and then the row.
package struct BlobLedger: Sendable {
    private let clock: WallClock

    package init(clock: WallClock) { self.clock = clock }

    package static let migrations = [
        Migration(
            "blobs/001-blob",
            [
                """
                CREATE TABLE blob (
                    key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
                    owner TEXT COLLATE "C" NOT NULL,
                    sha256 TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
                    byte_count BIGINT NOT NULL CHECK (byte_count >= 0),
                    refs BIGINT NOT NULL CHECK (refs >= 0),
                    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('live', 'dead')),
                    dead_at BIGINT,
                    created_at BIGINT NOT NULL,
                    CHECK ((state = 'live' AND refs > 0 AND dead_at IS NULL) OR (state = 'dead' AND refs = 0 AND dead_at IS NOT NULL))
                )
                """,
                // The index is not unique: on PostgreSQL two uploads of the same bytes may commit concurrently.
                "CREATE INDEX blob_live_bytes ON blob (owner, sha256, byte_count) WHERE state = 'live'",
                "CREATE INDEX blob_dead ON blob (dead_at, key) WHERE state = 'dead'",
            ]),
        Migration("blobs/003-blob-owner", ["CREATE INDEX blob_by_owner ON blob (owner, key)"]),
        BlobHold.migration,
    ]

    package struct Adoption: Sendable, Hashable {
        /// The key that the caller's row must refer to.
        package let key: BlobKey
        /// Whether the owner already had these bytes. If so, delete the staged copy after the commit.
        package let isSurplus: Bool
    }

    /// Adds one reference to published bytes. The same bytes of the same owner are stored once.
    /// - Parameter isShared: `false` stores the bytes even if the owner has them, as a separate blob that can be given to another owner.
    package func adopt(_ staged: StagedBlob, owner: String, isShared: Bool = true, _ tx: WriteTransaction) throws -> Adoption {
        if isShared, let row = try tx.row(Self.share(staged, owner: owner)) {
            let key: BlobKey = try row.get("key")
            // A blob that is adopted again under its own key is not surplus: its bytes are in use.
            return Adoption(key: key, isSurplus: key != staged.key)
        }
        let entry = Entry(
            key: staged.key, owner: owner, sha256: staged.sha256, byteCount: staged.byteCount, references: 1, state: .live, deadAt: nil,
            createdAt: clock.now)
        try tx.send(Entry.table.insert(entry))
        return Adoption(key: staged.key, isSurplus: false)
    }

    /// As `adopt` for one blob, for several in a fixed order, so that two transactions that adopt the same bytes cannot deadlock.
    /// - Returns: the adoptions in the order of `blobs`.
    package func adopt(_ blobs: [StagedBlob], owner: String, isShared: Bool = true, _ tx: WriteTransaction) throws -> [Adoption] {
        let order = blobs.indices.sorted { blobs[$0].sha256 < blobs[$1].sha256 }
        let adoptions = try order.map { ($0, try adopt(blobs[$0], owner: owner, isShared: isShared, tx)) }
        return adoptions.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Drops one reference; without references the blob becomes dead.
    /// - Returns: the number of remaining references; `nil` when no live blob has that key, which is an error of the caller.
    @discardableResult
    package func release(_ key: BlobKey, _ tx: WriteTransaction) throws -> Int? {
        try tx.row(Self.giveBack(key, now: clock.now)).map { try $0.get("refs") }
    }

    /// Gives a live blob to another account, with all its references.
    /// - Parameter references: the corrected number of references, which the caller may pass only if it has locked the blob with `lock`;
    ///   `nil` keeps the number.
    package func hand(_ key: BlobKey, to owner: String, references: Int? = nil, _ tx: WriteTransaction) throws {
        try tx.run(Self.hand(key, to: owner, references: references))
    }

    /// Gives a live blob to another account, with all its references and one more.
    /// - Returns: `false` when no live blob has that key.
    package func share(_ key: BlobKey, with owner: String, _ tx: WriteTransaction) throws -> Bool {
        try tx.run(Self.share(key, with: owner)) == 1
    }

    package struct Entry: Sendable, Hashable {
        package enum State: String, Sendable, CaseIterable {
            case live
            case dead
        }

        package let key: BlobKey
        package let owner: String
        package let sha256: String
        package let byteCount: Int64
        package let references: Int
        package let state: State
        package let deadAt: Timestamp?
        package let createdAt: Timestamp
    }

    /// - Returns: `nil` when there is no such row, live or dead.
    package func row(_ key: BlobKey, _ tx: ReadTransaction) throws -> Entry? { try tx.first(Self.entry(key), Entry.init) }
}

extension BlobLedger.Entry: TableRow {
    package static let table = Table<BlobLedger.Entry>("blob")

    package init(_ row: inout RowReader, writing blob: BlobLedger.Entry?) throws {
        key = try row.next("key", blob?.key)
        owner = try row.next("owner", blob?.owner)
        sha256 = try row.next("sha256", blob?.sha256)
        byteCount = try row.next("byte_count", blob?.byteCount)
        references = try row.next("refs", blob?.references)
        state = try row.next("state", blob?.state)
        deadAt = try row.next("dead_at", blob?.deadAt)
        createdAt = try row.next("created_at", blob?.createdAt)
    }
}
