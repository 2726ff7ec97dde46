package import Blobs
package import Core
import NIOCore

/// Makes a snapshot of an installation that may be served meanwhile, and stores the bytes that the place does not have yet.
///
/// The order matters. The rows are read first, in one transaction, and the bytes that they name are copied afterwards; a hold keeps them
/// from being deleted until then. In the opposite order, rows could name bytes that arrived after the files were copied.
package struct MakeBackup: Sendable {
    private let source: TransferSource
    private let repository: BackupRepository
    private let workFolder: String
    private let entropy: Entropy
    private let deletions: @Sendable (_ after: Timestamp) async throws -> [BackupRepository.Deletion]
    /// Runs between the rows and the bytes, for tests.
    private let afterRows: @Sendable () async throws -> Void
    /// False takes no hold. Only for the test that must fail without it.
    private let holds: Bool

    /// - Parameters:
    ///   - workFolder: holds files with all rows while the command runs.
    ///   - deletions: returns the accounts that were deleted after a time.
    package init(
        _ source: TransferSource, to repository: BackupRepository, workFolder: String, entropy: Entropy = .system,
        deletions: @escaping @Sendable (_ after: Timestamp) async throws -> [BackupRepository.Deletion],
        afterRows: @escaping @Sendable () async throws -> Void = {}, holds: Bool = true
    ) {
        self.source = source
        self.repository = repository
        self.workFolder = workFolder
        self.entropy = entropy
        self.deletions = deletions
        self.afterRows = afterRows
        self.holds = holds
    }

    package struct Report: Sendable {
        package let snapshot: String
        package let rows: Int64
        package let blobs: Int
        /// Files that this run stored; the others were stored by an earlier one.
        package let newBlobs: Int
        package let newBytes: Int64
        /// Files whose bytes at the source were damaged or missing; the snapshot does not have them.
        package let damaged: [BlobKey]
    }

    package func run(progress: @escaping @Sendable (TransferStep) -> Void = { _ in }) async throws -> Report {
        let installation = try await source.installation()
        try await repository.claim(for: installation)
        return try await BackupLock(repository: repository).during("backup") { requireLock in
            // The deletions are recorded even if the backup then fails: they must not be forgotten.
            try await recordDeletions()
            let folder = try await WorkFolder.make(in: workFolder, entropy: entropy)
            let result: Result<Report, any Error>
            do {
                result = .success(try await store(installation, folder.path, progress, requireLock))
            } catch {
                result = .failure(error)
            }
            await folder.remove()
            return try result.get()
        }
    }

    private func recordDeletions() async throws {
        let through = try await repository.deletionsThrough()
        let now = source.clock.now
        let found = try await deletions(Timestamp(microseconds: max(0, (through - BackupRepository.Deletion.overlap).microseconds)))
        try await repository.record(found, through: now)
    }

    private func store(
        _ installation: String, _ folder: String, _ progress: @escaping @Sendable (TransferStep) -> Void,
        _ requireLock: @Sendable () async throws -> Void
    ) async throws -> Report {
        let id = repository.newID(at: source.clock.now)
        let copy: @Sendable () async throws -> (Snapshot, BackupBlobs.Counts) = {
            var snapshot = try await source.snapshot(id, of: installation, into: folder)
            try await afterRows()
            let counts = try await BackupBlobs(source: source, repository: repository, progress: progress).store(snapshot, in: folder)
            snapshot.blobCount = counts.blobs
            snapshot.blobByteCount = counts.bytes
            let damaged = try await source.living(counts.missing) + counts.damaged
            snapshot.damaged = damaged
            let living = Set(damaged)
            snapshot.missing = counts.missing.filter { !living.contains($0) }
            return (snapshot, counts)
        }
        let (snapshot, counts) = holds ? try await source.holding(copy) : try await copy()
        for table in snapshot.tables {
            try await repository.place.write(
                BackupNames.rows(table.name, id), byteCount: table.byteCount,
                FileBytes(Snapshot.path(of: table.name, in: folder)))
        }
        // The deletions are recorded again: an account that was deleted meanwhile may have lost bytes that the snapshot names, so a restore
        // must repeat its deletion.
        try await recordDeletions()
        // If another machine took the lock while this one was suspended, a prune there may have deleted files that only this snapshot
        // names.
        try await requireLock()
        try await repository.write(snapshot)
        // A backup that lacks files is not recorded, so the operator is warned until a backup has everything.
        if snapshot.damaged.isEmpty {
            try await TransferState(database: source.database, clock: source.clock).recordBackup(at: snapshot.createdAt)
        }
        return Report(
            snapshot: id, rows: snapshot.tables.reduce(0) { $0 + $1.rowCount }, blobs: counts.blobs, newBlobs: counts.newBlobs,
            newBytes: counts.newBytes, damaged: snapshot.damaged)
    }
}
