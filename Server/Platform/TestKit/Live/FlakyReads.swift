internal import Core
internal import Database
internal import Synchronization

/// A database whose reads fail on demand.
final class FlakyReads: DatabaseDecorator {
    let base: any Database
    private let state = Mutex((isFailing: false, failures: 0))

    init(_ base: any Database) { self.base = base }

    func fail(_ fails: Bool) { state.withLock { $0.isFailing = fails } }
    var failures: Int { state.withLock { $0.failures } }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        try state.withLock { state in
            guard state.isFailing else { return }
            state.failures += 1
            throw DatabaseError.unavailable("told to")
        }
        return try await base.read(body)
    }
}
