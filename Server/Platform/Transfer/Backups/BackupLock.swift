import Core

/// Lets one backup or prune at a time work in a place: a prune would delete files that a running backup relies on. The lock is a file that
/// its holder renews; after a crash it expires.
struct BackupLock: Sendable {
    private static let lifetime = Duration.minutes(10)
    private static let renewal = Duration.minutes(2)

    private struct Holder: Codable, Equatable {
        let id: String
        let what: String
        let until: Timestamp
    }

    let repository: BackupRepository

    /// - Parameters:
    ///   - what: names this run in the message to another one, for example `backup`.
    ///   - body: calls `requireLock` before it changes what another run relies on. `requireLock` throws when another run has taken the
    ///     lock.
    func during<T: Sendable>(
        _ what: String, _ body: @escaping @Sendable (_ requireLock: @escaping @Sendable () async throws -> Void) async throws -> T
    ) async throws -> T {
        let id = Hex.encode(repository.entropy.bytes(16))
        let requireLock: @Sendable () async throws -> Void = { guard try await holder()?.id == id else { throw lost } }
        try await take(id, what)
        let result: Result<T, any Error>
        do {
            result = .success(
                try await withThrowingTaskGroup(of: T?.self) { group in
                    group.addTask { try await body(requireLock) }
                    group.addTask {
                        while true {
                            try await Task.sleep(for: Self.renewal)
                            try await requireLock()
                            try await repository.place.write(BackupNames.busy, try BackupRepository.encode(next(id, what)))
                        }
                    }
                    defer { group.cancelAll() }
                    while let one = try await group.next() {
                        if let one { return one }
                    }
                    throw lost
                })
        } catch {
            result = .failure(error)
        }
        if (try? await holder()?.id) == id { try? await repository.place.delete(BackupNames.busy) }
        return try result.get()
    }

    private var lost: TransferFailure {
        TransferFailure(.unavailable, "Another run took the place over, because this one was suspended for minutes. Run the command again.")
    }

    private func next(_ id: String, _ what: String) -> Holder { Holder(id: id, what: what, until: repository.clock.now + Self.lifetime) }

    private func holder() async throws -> Holder? {
        guard let bytes = try await repository.place.text(BackupNames.busy) else { return nil }
        return try repository.decode(Holder.self, bytes, BackupNames.busy)
    }

    private func take(_ id: String, _ what: String) async throws {
        let mine = try BackupRepository.encode(next(id, what))
        if let other = try await holder() {
            guard other.until <= repository.clock.now else {
                throw TransferFailure(
                    .unavailable,
                    """
                    A \(other.what) is running in \(repository.place.description). If it was killed, wait ten minutes, or delete the file \
                    \(BackupNames.busy) there.
                    """)
            }
            try await repository.place.delete(BackupNames.busy)
        }
        // Where a place cannot create exclusively, the last writer holds the lock.
        if try await repository.place.create(BackupNames.busy, mine), try await holder()?.id == id { return }
        throw TransferFailure(.unavailable, "Another backup or prune has just begun in \(repository.place.description).")
    }
}
