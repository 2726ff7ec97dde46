package import Blobs
package import Core
package import Database

/// An installation that is copied or backed up.
package struct TransferSource: Sendable {
    let database: any Database
    let store: any BlobStore
    let rules: TableRules
    let identifiers: Identifiers
    /// The version of keepsake.
    let program: String

    /// - Parameter database: migrated.
    package init(database: any Database, store: any BlobStore, rules: TableRules, identifiers: Identifiers, program: String) {
        self.database = database
        self.store = store
        self.rules = rules
        self.identifiers = identifiers
        self.program = program
    }

    var clock: WallClock { identifiers.clock }

    func installation() async throws -> String {
        try await TransferState(database: database, clock: clock).installation(candidate: identifiers.next())
    }

    /// Runs `body` while no node deletes bytes that a snapshot names.
    func holding<T: Sendable>(
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        do {
            return try await BlobHold(database: database, clock: clock, id: identifiers.next()).during(sleep: sleep, body)
        } catch is BlobHold.Lost {
            throw TransferFailure(
                .unavailable,
                """
                For half an hour the command could not tell the servers to keep deleted files: the database was not available, this \
                machine was suspended, or its clock was set. Run the command again; it does not copy files again.
                """)
        }
    }

    /// Writes all rows into `folder`, in one transaction.
    /// - Throws: also when a newer version of the program migrates the database meanwhile: the rows would not match the snapshot's list of
    ///   migrations and could not be restored.
    func snapshot(_ id: String, of installation: String, into folder: String) async throws -> Snapshot {
        let createdAt = clock.now
        let tables = try await rules.tables(of: database)
        let migrations = try await migrations()
        let written = try await Snapshot.writeRows(tables, of: database, into: folder)
        guard try await self.migrations() == migrations, try await rules.tables(of: database) == tables else {
            throw TransferFailure(.unavailable, "The database was migrated meanwhile. Run the command again.")
        }
        return Snapshot(
            id: id, installation: installation, createdAt: createdAt, program: program, migrations: migrations, tables: written)
    }

    private func migrations() async throws -> [String] {
        try await database.read { tx in
            try tx.rows("SELECT name FROM schema_migration").map { try $0.get("name", as: String.self) }
        }.sorted()
    }

    /// - Returns: `nil` when the bytes do not exist. A remote store is not asked: there, the first read throws `BlobError.missing`.
    func open(_ blob: BlobRow) async throws -> (any ByteSource)? {
        // One request for all bytes. `open` would receive the first ones, and the rest would be a second request.
        if store.isRemote { return BlobBytes(try await store.openShared(blob.key, byteCount: blob.byteCount)) }
        do {
            return BlobBytes(try await store.open(blob.key))
        } catch BlobError.missing {
            return nil
        }
    }

    /// The blobs of `keys` that are still alive: their bytes should exist.
    func living(_ keys: [BlobKey]) async throws -> [BlobKey] {
        let ledger = BlobLedger(clock: clock)
        return try await database.read { tx in try keys.filter { try ledger.row($0, tx)?.state == .live } }
    }
}
