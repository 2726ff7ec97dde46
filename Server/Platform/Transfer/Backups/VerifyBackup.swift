import Blobs
import Core
import Crypto
import NIOCore

/// Reads everything that a backup needs for a restore, and compares it with its hashes.
package struct VerifyBackup: Sendable {
    private let repository: BackupRepository
    private let workFolder: String

    package init(_ repository: BackupRepository, workFolder: String) {
        self.repository = repository
        self.workFolder = workFolder
    }

    package struct Report: Sendable {
        package internal(set) var snapshots = 0
        package internal(set) var rows: Int64 = 0
        package internal(set) var blobs = 0
        package internal(set) var bytes: Int64 = 0
        /// The first problems, one line each.
        package internal(set) var problems: [String] = []
        package internal(set) var problemCount = 0

        mutating func add(_ problem: String) {
            problemCount += 1
            if problems.count < 1000 { problems.append(problem) }
        }
    }

    /// - Parameter id: one snapshot; `nil` for all of them. A file that several snapshots name is read once.
    package func run(_ id: String?, progress: @escaping @Sendable (TransferStep) -> Void = { _ in }) async throws -> Report {
        var report = Report()
        let all = try await repository.snapshots()
        let ids = id.map { [$0] } ?? all
        let folder = try await WorkFolder.make(in: workFolder, entropy: repository.entropy)
        let result: Result<Void, any Error>
        do {
            var opened: [(Snapshot, String)] = []
            for id in ids {
                do {
                    let snapshot = try await repository.snapshot(id)
                    let path = folder.path + "/" + id
                    try await SnapshotFiles(repository).check(snapshot, into: path)
                    report.rows += snapshot.tables.reduce(0) { $0 + $1.rowCount }
                    report.snapshots += 1
                    if !snapshot.damaged.isEmpty {
                        let count = snapshot.damaged.count
                        let files = count == 1 ? "1 file was" : "\(count) files were"
                        report.add("\(id): \(files) damaged at the source when the backup was made")
                    }
                    opened.append((snapshot, path))
                } catch let failure as TransferFailure where failure.kind == .damaged {
                    report.add("\(id): \(failure.description)")
                }
            }
            progress(.total(rows: 0, bytes: opened.map(\.0.blobByteCount).max() ?? 0))
            try await checkBlobs(opened, &report, progress)
            for name in try await repository.place.names(in: BackupNames.deletions) {
                do {
                    _ = try await repository.deletions(name)
                } catch let failure as TransferFailure where failure.kind == .damaged {
                    report.add(failure.description)
                }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await folder.remove()
        try result.get()
        return report
    }

    /// The most files that are read at the same time. Most files are small, and reading one mostly waits for the response of a bucket.
    private static let filesAtOnce = 8
    private static let pageCount = 256

    private func checkBlobs(
        _ snapshots: [(Snapshot, String)], _ report: inout Report, _ progress: @escaping @Sendable (TransferStep) -> Void
    ) async throws {
        var union = try BlobUnion(snapshots)
        while true {
            var page: [BlobRow] = []
            while page.count < Self.pageCount, let blob = try union.next() { page.append(blob) }
            guard !page.isEmpty else { return }
            report.blobs += page.count
            report.bytes += page.reduce(0) { $0 + $1.byteCount }
            let found = try await together(page, atMost: Self.filesAtOnce) { blob -> String? in
                try await problem(of: blob, progress).map { "\(blob.key): \($0)" }
            }
            for problem in found.compactMap({ $0 }).sorted() { report.add(problem) }
        }
    }

    private func problem(of blob: BlobRow, _ progress: @Sendable (TransferStep) -> Void) async throws -> String? {
        guard let (_, bytes) = try await repository.place.read(BackupNames.blob(blob.key)) else { return "its bytes are missing" }
        var hash = SHA256()
        var count: Int64 = 0
        do {
            while let piece = try await bytes.next() {
                piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
                count += Int64(piece.readableBytes)
                progress(.bytes(piece.readableBytes))
            }
        } catch let failure as TransferFailure where failure.kind == .damaged {
            return "cannot be read: \(failure.description)"
        }
        guard count != blob.byteCount || Hex.encode(hash.finalize()) != blob.sha256 else { return nil }
        return "its bytes differ from those that were stored"
    }
}

/// The live blobs that several snapshots name, each once, in the order of their keys. If a snapshot is known to lack the bytes of a blob,
/// its reference to that blob does not count.
struct BlobUnion {
    private final class Cursor {
        var rows: BlobRows
        var page: ArraySlice<BlobRow> = []
        let absent: Set<BlobKey>

        init(_ snapshot: Snapshot, _ folder: String) throws {
            rows = try BlobRows(snapshot, in: folder)
            absent = Set(snapshot.missing + snapshot.damaged)
        }

        func first() throws -> BlobRow? {
            while true {
                if page.isEmpty { page = try rows.page(256)[...] }
                guard let row = page.first else { return nil }
                guard absent.contains(row.key) else { return row }
                page.removeFirst()
            }
        }
    }

    private let cursors: [Cursor]

    init(_ snapshots: [(Snapshot, String)]) throws { cursors = try snapshots.map { try Cursor($0.0, $0.1) } }

    mutating func next() throws -> BlobRow? {
        var least: BlobRow?
        for cursor in cursors {
            if let row = try cursor.first(), row.key < least?.key ?? row.key || least == nil { least = row }
        }
        guard let least else { return nil }
        for cursor in cursors where try cursor.first()?.key == least.key { cursor.page.removeFirst() }
        return least
    }
}
