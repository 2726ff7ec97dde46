package import Blobs
package import Core
package import Database

/// Copies a whole installation into another database and another store. A later run compares all rows, and writes and copies only what
/// changed since.
package struct CopyInstallation: Sendable {
    /// How many files of the target's store are looked up at the source. Keys are random, so the first ones are a random sample.
    private static let sampleCount = 100

    private let source: TransferSource
    private let database: any Database
    private let store: any BlobStore
    private let workFolder: String
    private let entropy: Entropy

    /// - Parameters:
    ///   - database: the target's database, already migrated.
    ///   - workFolder: holds files with all rows while the command runs.
    package init(
        _ source: TransferSource, to database: any Database, _ store: any BlobStore, workFolder: String, entropy: Entropy = .system
    ) {
        self.source = source
        self.database = database
        self.store = store
        self.workFolder = workFolder
        self.entropy = entropy
    }

    package struct Report: Sendable, Equatable {
        /// All rows and files of the installation.
        package internal(set) var rows: Int64 = 0
        package internal(set) var blobs = 0
        /// What this run did.
        package internal(set) var writtenRows = 0
        package internal(set) var deletedRows = 0
        package internal(set) var copiedBlobs = 0
    }

    /// - Parameters:
    ///   - isLast: whether nothing writes to the source any more, so that the target may be served afterwards.
    ///   - confirm: runs after everything was copied; when it throws, the target stays unfinished.
    package func run(
        isLast: Bool, progress: @escaping @Sendable (TransferStep) -> Void = { _ in }, confirm: () async throws -> Void = {}
    ) async throws -> Report {
        let installation = try await source.installation()
        let state = TransferState(database: database, clock: source.clock)
        _ = try await state.begin(
            .copy, from: installation, source.rules.tables(of: database), source.rules, confirm: requireOwnFiles)
        try await state.advance(to: .loading)
        let folder = try await WorkFolder.make(in: workFolder, entropy: entropy)
        let result: Result<Report, any Error>
        do {
            result = .success(try await source.holding { try await copy(installation, folder.path, isLast, progress) })
        } catch {
            result = .failure(error)
        }
        await folder.remove()
        let report = try result.get()
        try await confirm()
        if isLast { try await state.advance(to: .finished) }
        return report
    }

    /// Refuses a target store with another installation's files. Called only before the first run, because an interrupted run has stored
    /// files there. It accepts a store into which another program copied the source's files earlier: the source may have deleted some of
    /// these files since then, but it still has rows for most of them.
    private func requireOwnFiles() async throws {
        var keys: [BlobKey] = []
        for try await entries in store.list(olderThan: nil) {
            keys += entries.map(\.key)
            if keys.count >= Self.sampleCount { break }
        }
        let sample = Array(keys.prefix(Self.sampleCount))
        guard !sample.isEmpty else { return }
        let known = try await source.database.read { tx in try tx.rows(BlobLedger.known(among: sample)).count }
        guard known * 2 < sample.count else { return }
        throw TransferFailure(
            .refused,
            """
            The target's store has files that the source does not know. Use an empty store: if another installation uses this one, each \
            would delete the other's files, because its own database does not list them.
            """)
    }

    private func copy(
        _ installation: String, _ folder: String, _ isLast: Bool, _ progress: @escaping @Sendable (TransferStep) -> Void
    ) async throws -> Report {
        let snapshot = try await source.snapshot("copy", of: installation, into: folder)
        var report = Report()
        var byteCount: Int64 = 0
        var rows = try BlobRows(snapshot, in: folder)
        while case let page = try rows.page(512), !page.isEmpty {
            report.blobs += page.count
            byteCount += page.reduce(0) { $0 + $1.byteCount }
        }
        report.rows = snapshot.tables.reduce(0) { $0 + $1.rowCount }
        progress(.total(rows: report.rows, bytes: byteCount))
        let loader = SnapshotLoader(
            snapshot: snapshot, folder: folder, database: database, store: store, rules: source.rules, emptied: [],
            open: { [source] in try await source.open($0) },
            damaged: { keys in
                throw TransferFailure(
                    .damaged,
                    """
                    The bytes of these files are not those that were stored: \(keys.map(\.text).joined(separator: ", ")). Bring them back from \
                    a backup, or delete the files, and run the command again.
                    """)
            },
            missing: { [source] keys in
                // While the source is served, an account may be deleted, with its bytes. The next run deletes the rows too.
                let damaged = isLast ? keys : try await source.living(keys)
                guard damaged.isEmpty else {
                    throw TransferFailure(
                        .damaged,
                        """
                        The bytes of these files are missing at the source: \(damaged.map(\.text).joined(separator: ", ")). Bring them back \
                        from a backup, or delete the files, and run the command again.
                        """)
                }
            },
            progress: progress)
        let counts = try await loader.load()
        report.writtenRows = counts.rows.written
        report.deletedRows = counts.rows.deleted
        report.copiedBlobs = counts.blobs
        return report
    }
}
