import Core
import Crypto
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Brings a snapshot's row files to the local disk.
struct SnapshotFiles: Sendable {
    private let repository: BackupRepository

    init(_ repository: BackupRepository) { self.repository = repository }

    /// Reads all row files. Only the one with the list of blobs stays in `folder`: there may be many snapshots, and one may have many rows.
    /// - Throws: `TransferFailure` with `.damaged` when a file is missing or is not what was stored.
    func check(_ snapshot: Snapshot, into folder: String) async throws {
        for table in snapshot.tables {
            try await fetch(snapshot, [table.name], into: folder)
            guard table.name != BlobRow.table else { continue }
            _ = try await NIOThreadPool.singleton.runIfActive { try LocalFile.remove(Snapshot.path(of: table.name, in: folder)) }
        }
    }

    /// - Parameter names: the tables; `nil` for all.
    /// - Throws: `TransferFailure` with `.damaged` when a file is missing or is not what was stored.
    func fetch(_ snapshot: Snapshot, _ names: Set<String>? = nil, into folder: String) async throws {
        let pool = NIOThreadPool.singleton
        try await pool.runIfActive { try LocalFile.makeFolders(folder) }
        for table in snapshot.tables where names?.contains(table.name) ?? true {
            let name = BackupNames.rows(table.name, snapshot.id)
            guard let (_, bytes) = try await repository.place.read(name) else {
                throw TransferFailure(.damaged, "\(name) in \(repository.place.description) is missing.")
            }
            let path = Snapshot.path(of: table.name, in: folder)
            let descriptor = try await pool.runIfActive { try LocalFile.open(path, O_WRONLY | O_CREAT | O_TRUNC) }
            var hash = SHA256()
            do {
                while let piece = try await bytes.next() {
                    piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
                    try await pool.runIfActive { try piece.withUnsafeReadableBytes { try LocalFile.write(descriptor, $0, path) } }
                }
            } catch {
                LocalFile.close(descriptor)
                throw error
            }
            LocalFile.close(descriptor)
            guard Hex.encode(hash.finalize()) == table.sha256 else {
                throw TransferFailure(.damaged, "\(name) in \(repository.place.description) is damaged.")
            }
        }
    }
}
