package import Core
package import Database
import Foundation

/// What is kept of uploads that may be interrupted: how far each has come, and who may go on with it. All SQL of resumable uploads.
///
/// Whoever wants to append first takes the upload up, which gives a new **epoch**; whoever held an older one can no longer save, so two
/// connections of one impatient client never mix.
package struct UploadJournal: Sendable {
    /// An upload can be gone on with for so long: bytes that were staged longer ago are not published.
    package static let lifetime = BlobLimits.publishing

    private let database: any Database
    private let clock: WallClock

    package init(database: any Database, clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    package static let migrations = [
        Migration(
            "blobs/002-upload",
            [
                // state: JSON of whoever parses the body, with the session's checkpoint in it.
                """
                CREATE TABLE upload (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    owner TEXT COLLATE "C" NOT NULL,
                    purpose TEXT COLLATE "C" NOT NULL,
                    epoch BIGINT NOT NULL,
                    offset_bytes BIGINT NOT NULL,
                    state TEXT NOT NULL,
                    created_at BIGINT NOT NULL,
                    CONSTRAINT upload_offset CHECK (offset_bytes >= 0)
                )
                """,
                "CREATE INDEX upload_by_owner ON upload (owner, created_at)",
                "CREATE INDEX upload_by_age ON upload (created_at)",
            ])
    ]

    /// A hold on an upload.
    package struct Hold: Sendable, Equatable {
        package let id: String
        package let owner: String
        package let epoch: Int64

        package init(id: String, owner: String, epoch: Int64) {
            self.id = id
            self.owner = owner
            self.epoch = epoch
        }
    }

    package struct Entry<State: Sendable>: Sendable {
        package let hold: Hold
        /// Bytes of the body that are durable, and that a client need not send again.
        package let offset: Int64
        package let state: State
    }

    /// - Parameter purpose: what it is for, a constant of the route: only the same one takes it up.
    package func create<State: Codable & Sendable>(_ id: String, owner: String, purpose: String, state: State) async throws -> Hold {
        let text = try Self.encode(state)
        try await database.write { [clock] tx in
            try tx.run(
                """
                INSERT INTO upload (id, owner, purpose, epoch, offset_bytes, state, created_at)
                VALUES (\(id), \(owner), \(purpose), 1, 0, \(text), \(clock.now))
                """)
        }
        return Hold(id: id, owner: owner, epoch: 1)
    }

    /// Takes an upload up: from now on nobody else's hold is good.
    /// - Returns: `nil` when there is no such upload of this owner, or it is too old.
    package func takeUp<State: Codable & Sendable>(
        _ id: String, owner: String, purpose: String, as type: State.Type = State.self
    ) async throws -> Entry<State>? {
        let row = try await database.write { [clock] tx in try tx.row(Self.takeUp(id, owner, purpose, after: clock.now - Self.lifetime)) }
        guard let row else { return nil }
        return Entry(
            hold: Hold(id: id, owner: owner, epoch: try row.get("epoch")), offset: try row.get("offset_bytes"),
            state: try JSONDecoder().decode(State.self, from: Data(try row.get("state", as: String.self).utf8)))
    }

    /// How far it has come, without taking it up: for a client that asks.
    package func offset(_ id: String, owner: String, purpose: String) async throws -> Int64? {
        try await database.read { [clock] tx in
            try tx.row(Self.offset(id, owner, purpose, after: clock.now - Self.lifetime))?.get("offset_bytes")
        }
    }

    /// Keeps how far it has come; after this answer a client may be told `offset`.
    /// - Throws: `Problem(.conflict)` when another has taken it up meanwhile; then nothing is kept.
    package func save<State: Codable & Sendable>(_ hold: Hold, offset: Int64, state: State) async throws {
        let text = try Self.encode(state)
        let saved = try await database.write { tx in try tx.run(Self.save(hold, offset, text)) }
        guard saved == 1 else { throw Self.fenced }
    }

    /// Ends the upload, as part of the write that makes its rows.
    /// - Throws: `Problem(.conflict)` when another has taken it up meanwhile: it makes the rows, this write does not.
    package func end(_ hold: Hold, _ tx: WriteTransaction) throws {
        guard try tx.run(Self.end(hold)) == 1 else { throw Self.fenced }
    }

    private static var fenced: Problem { Problem(.conflict, "This upload was taken up on another connection.") }

    /// Forgets uploads that nobody can go on with; their bytes are the blob store's leftovers.
    package func sweep() async throws {
        while try await database.write({ [clock] tx in try tx.run(Self.forget(before: clock.now - Self.lifetime)) }) == Self.sweepCount {}
    }

    private static func encode(_ state: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
    }

    // MARK: Statements

    private static let sweepCount = 500

    package static func takeUp(_ id: String, _ owner: String, _ purpose: String, after limit: Timestamp) -> SQL {
        """
        UPDATE upload SET epoch = epoch + 1
        WHERE id = \(id) AND owner = \(owner) AND purpose = \(purpose) AND created_at >= \(limit)
        RETURNING epoch, offset_bytes, state
        """
    }

    package static func offset(_ id: String, _ owner: String, _ purpose: String, after limit: Timestamp) -> SQL {
        "SELECT offset_bytes FROM upload WHERE id = \(id) AND owner = \(owner) AND purpose = \(purpose) AND created_at >= \(limit)"
    }

    package static func save(_ hold: Hold, _ offset: Int64, _ state: String) -> SQL {
        """
        UPDATE upload SET offset_bytes = \(offset), state = \(state)
        WHERE id = \(hold.id) AND owner = \(hold.owner) AND epoch = \(hold.epoch)
        """
    }

    package static func end(_ hold: Hold) -> SQL {
        "DELETE FROM upload WHERE id = \(hold.id) AND owner = \(hold.owner) AND epoch = \(hold.epoch)"
    }

    package static func forget(before limit: Timestamp) -> SQL {
        "DELETE FROM upload WHERE id IN (SELECT id FROM upload WHERE created_at < \(limit) ORDER BY created_at LIMIT \(sweepCount))"
    }
}
