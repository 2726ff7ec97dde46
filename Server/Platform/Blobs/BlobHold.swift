package import Core
package import Database

/// Keeps the garbage collectors of all nodes from deleting bytes during a backup or a copy, which takes a snapshot of the rows and then
/// copies the bytes that they name. A hold is a row, so it works between processes and nodes. It expires unless it is renewed, so a killed
/// backup does not stop the deletion for long.
///
/// A deleted account's bytes are deleted at once, even under a hold. A backup or a copy must expect that, see `BlobLedger.row`.
package struct BlobHold: Sendable {
    /// How long a hold lasts after it was taken or renewed.
    package static let lifetime = Duration.minutes(30)
    /// How often its holder renews it.
    package static let renewal = Duration.minutes(5)
    /// How far in the future a hold may end: the clock of the machine that made it may be a little ahead.
    private static let mostAhead = Duration.days(1)

    private let database: any Database
    private let clock: WallClock
    private let id: String

    /// - Parameter id: a new id for each run.
    package init(database: any Database, clock: WallClock, id: String) {
        self.database = database
        self.clock = clock
        self.id = id
    }

    static let migration = Migration(
        "blobs/004-hold", [#"CREATE TABLE blob_hold (id TEXT COLLATE "C" PRIMARY KEY NOT NULL, expires_at BIGINT NOT NULL)"#])

    /// Runs `body` while no node deletes bytes. Take the snapshot of the rows inside `body`: blobs that are alive in it then keep their bytes
    /// until `body` returns.
    /// - Throws: `Lost` when the hold expired because it could not be renewed in time: then bytes may be missing.
    package func during<T: Sendable>(
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        try await database.write { [id, clock] tx in
            try tx.run(Self.removeExpired(clock.now))
            try tx.run(Self.take(id, until: clock.now + Self.lifetime))
        }
        let result: Result<T, any Error>
        do {
            result = .success(
                try await withThrowingTaskGroup(of: T?.self) { group in
                    group.addTask { try await body() }
                    group.addTask {
                        try await renew(sleep)
                        return nil
                    }
                    defer { group.cancelAll() }
                    while let one = try await group.next() {
                        if let one { return one }
                    }
                    throw Lost()
                })
        } catch {
            result = .failure(error)
        }
        // This removal may fail: the hold expires by itself.
        _ = try? await database.run(Self.remove(id))
        return try result.get()
    }

    package struct Lost: Error {}

    private func renew(_ sleep: @Sendable (Duration) async throws -> Void) async throws {
        var until = clock.now + Self.lifetime
        while true {
            try await sleep(Self.renewal)
            let now = clock.now
            guard now < until else { throw Lost() }
            do {
                guard try await database.run(Self.renew(id, until: now + Self.lifetime, now: now)) == 1 else { throw Lost() }
                until = now + Self.lifetime
            } catch let error as DatabaseError {
                // The database may be back before the hold expires.
                if error == .closed { throw error }
            }
        }
    }

    /// Whether a backup or a copy holds the bytes now.
    package static func isHeld(at now: Timestamp, _ tx: ReadTransaction) throws -> Bool { try tx.row(held(now)) != nil }

    // MARK: Statements. The table has one row for each running backup.

    static func held(_ now: Timestamp) -> SQL { "SELECT id FROM blob_hold WHERE expires_at > \(now) LIMIT 1" }

    static func take(_ id: String, until: Timestamp) -> SQL { "INSERT INTO blob_hold (id, expires_at) VALUES (\(id), \(until))" }

    static func renew(_ id: String, until: Timestamp, now: Timestamp) -> SQL {
        "UPDATE blob_hold SET expires_at = \(until) WHERE id = \(id) AND expires_at > \(now)"
    }

    static func remove(_ id: String) -> SQL { "DELETE FROM blob_hold WHERE id = \(id)" }

    /// Also removes holds that end later than any valid hold. A machine whose clock was ahead made them, and no bytes are deleted while one
    /// of them exists.
    static func removeExpired(_ now: Timestamp) -> SQL {
        "DELETE FROM blob_hold WHERE expires_at <= \(now) OR expires_at > \(now + mostAhead)"
    }
}
