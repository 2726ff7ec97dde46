package import Core
package import Database
import Foundation

/// Stores the progress of resumable uploads, and which connection may continue each. All SQL of resumable uploads is here.
///
/// To append, a connection first calls `takeUp`, which increments the upload's **epoch**. A connection with an older epoch can no longer
/// save, so two connections of one client never mix their bytes.
package struct UploadJournal: Sendable {
    /// How long an upload can be resumed: bytes that were staged longer ago are not published.
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
                // state: JSON from the body's parser; it contains the session's checkpoint.
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

    /// The right to continue an upload, valid until another connection resumes it.
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
        /// Bytes of the body that are durable; the client need not send them again.
        package let offset: Int64
        package let state: State
    }

    /// - Parameter purpose: a constant of the route; `takeUp` must pass the same one.
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

    /// Takes over an upload: every older `Hold` becomes invalid.
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

    /// The durable offset in bytes, without taking the upload over; `nil` as for `takeUp`.
    package func offset(_ id: String, owner: String, purpose: String) async throws -> Int64? {
        try await database.read { [clock] tx in
            try tx.row(Self.offset(id, owner, purpose, after: clock.now - Self.lifetime))?.get("offset_bytes")
        }
    }

    /// Saves the progress; afterwards the client may be told `offset`.
    /// - Throws: `Problem(.conflict)` when another connection has taken the upload over; then nothing is saved.
    package func save<State: Codable & Sendable>(_ hold: Hold, offset: Int64, state: State) async throws {
        let text = try Self.encode(state)
        let saved = try await database.write { tx in try tx.run(Self.save(hold, offset, text)) }
        guard saved == 1 else { throw Self.fenced }
    }

    /// Ends the upload, as part of the write that makes its rows.
    /// - Throws: `Problem(.conflict)` when another connection has taken the upload over. The other one makes the rows, so this write must
    ///   not.
    package func end(_ hold: Hold, _ tx: WriteTransaction) throws {
        guard try tx.run(Self.end(hold)) == 1 else { throw Self.fenced }
    }

    /// Ends the upload, before its bytes are deleted.
    /// - Returns: `false` when another connection has taken the upload over and now owns its bytes, or when the upload has ended.
    package func abandon(_ hold: Hold) async throws -> Bool { try await database.write { tx in try tx.run(Self.end(hold)) } == 1 }

    private static var fenced: Problem { Problem(.conflict, "Another connection has resumed this upload.") }

    /// Whether `error` says that another connection has taken the upload over. The bytes may then be that connection's, so they must stay.
    static func isFenced(_ error: any Error) -> Bool { (error as? Problem)?.message == fenced.message }

    /// Deletes uploads that are too old to resume; the blob store deletes their bytes as leftovers.
    package func sweep() async throws {
        try await database.sweep { Self.forget(before: clock.now - Self.lifetime, limit: $0) }
    }

    private static func encode(_ state: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
    }

    // MARK: Statements

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

    package static func forget(before end: Timestamp, limit: Int) -> SQL {
        "DELETE FROM upload WHERE id IN (SELECT id FROM upload WHERE created_at < \(end) ORDER BY created_at LIMIT \(limit))"
    }
}
