import Database
import Synchronization

/// What other features do when a file is deleted from the library: `FileUse` drops their references to it, and these closures remove what
/// they derived from its content.
final class FileErasures: Sendable {
    typealias Erasure = @Sendable (_ id: String, _ owner: String, _ tx: WriteTransaction) throws -> Int64
    typealias Preparation = @Sendable (_ ids: [String], _ owner: String) async throws -> Void
    private let list = Mutex<[Erasure]>([])
    private let preparations = Mutex<[Preparation]>([])

    func add(_ erasure: @escaping Erasure) { list.withLock { $0.append(erasure) } }
    func add(preparation: @escaping Preparation) { preparations.withLock { $0.append(preparation) } }

    /// Runs before the write that deletes the files.
    func prepare(_ ids: [String], _ owner: String) async throws {
        guard !ids.isEmpty else { return }
        for prepare in preparations.withLock({ $0 }) { try await prepare(ids, owner) }
    }

    /// - Returns: bytes by which the owner's rows have grown.
    func run(_ id: String, _ owner: String, _ tx: WriteTransaction) throws -> Int64 {
        try list.withLock { $0 }.reduce(0) { try $0 + $1(id, owner, tx) }
    }
}
