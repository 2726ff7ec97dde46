import Blobs
import Core

/// Deletes snapshots that are too old, and files that no other snapshot names. The newest snapshot always stays.
package struct PruneBackups: Sendable {
    private let repository: BackupRepository
    private let workFolder: String

    package init(_ repository: BackupRepository, workFolder: String) {
        self.repository = repository
        self.workFolder = workFolder
    }

    package struct Report: Sendable {
        package internal(set) var kept = 0
        package internal(set) var snapshots: [String] = []
        package internal(set) var blobs = 0
    }

    /// - Parameter age: snapshots older than this are deleted.
    package func run(keeping age: Duration) async throws -> Report {
        let repository = repository
        _ = try await repository.snapshots()
        return try await BackupLock(repository: repository).during("prune") { requireLock in
            let folder = try await WorkFolder.make(in: workFolder, entropy: repository.entropy)
            let result: Result<Report, any Error>
            do {
                result = .success(try await prune(before: repository.clock.now - age, folder.path, requireLock))
            } catch {
                result = .failure(error)
            }
            await folder.remove()
            return try result.get()
        }
    }

    private func prune(
        before limit: Timestamp, _ folder: String, _ requireLock: @Sendable () async throws -> Void
    ) async throws -> Report {
        var report = Report()
        var kept: [(Snapshot, String)] = []
        let ids = try await repository.snapshots()
        // If a clock was ahead, the last snapshot is not the newest. So the last one whose time has come stays, too.
        let now = repository.clock.now.basicISO8601
        let newest = [ids.last, ids.last { $0.prefix(now.count) <= now }]
        // Everything is read before anything is deleted. If a snapshot that stays is damaged, an older one may be the last good one. If a
        // snapshot's list of files is damaged, the files that are missing in the list would be deleted.
        for id in ids {
            do {
                let snapshot = try await repository.snapshot(id)
                if snapshot.createdAt < limit, !newest.contains(id) {
                    report.snapshots.append(id)
                } else {
                    let path = folder + "/" + id
                    try await SnapshotFiles(repository).fetch(snapshot, [BlobRow.table], into: path)
                    kept.append((snapshot, path))
                }
            } catch let failure as TransferFailure where failure.kind == .damaged {
                throw TransferFailure(
                    .damaged,
                    """
                    \(failure.description) Nothing was deleted. Find an intact snapshot with keepsake backup verify, or make a new one; \
                    then delete \(BackupNames.snapshots)\(id) in the place, and prune again.
                    """)
            }
        }
        report.kept = kept.count
        try await requireLock()
        // The descriptions are deleted first, because a snapshot without its description does not exist.
        for id in report.snapshots { try await repository.place.delete(BackupNames.description(id)) }
        // The rows of snapshots that were never completed are deleted as well: no backup runs now.
        let complete = Set(kept.map(\.0.id))
        let listing = repository.place.list(BackupNames.snapshots)
        while case let entries = try await listing.next(), !entries.isEmpty {
            for entry in entries {
                guard let id = BackupNames.snapshot(of: entry.name), !complete.contains(id) else { continue }
                try await repository.place.delete(entry.name)
            }
        }
        report.blobs = try await deleteBlobs(besides: kept)
        try await deleteRecords(before: kept.map(\.0.createdAt).min())
        return report
    }

    private func deleteBlobs(besides kept: [(Snapshot, String)]) async throws -> Int {
        var union = try BlobUnion(kept)
        var named = try union.next()
        let stored = StoredBlobs(repository.place)
        var count = 0
        while let key = try await stored.next() {
            while let row = named, row.key < key { named = try union.next() }
            if named?.key == key { continue }
            try await repository.place.delete(BackupNames.blob(key))
            count += 1
        }
        return count
    }

    /// Deletes the records of deletions that no kept snapshot needs: those that end before the oldest snapshot. The newest record stays,
    /// because the next one begins where it ends.
    private func deleteRecords(before oldest: Timestamp?) async throws {
        guard let oldest else { return }
        for name in try await repository.place.names(in: BackupNames.deletions).dropLast() {
            if try await repository.deletions(name).through < oldest { try await repository.place.delete(name) }
        }
    }
}
