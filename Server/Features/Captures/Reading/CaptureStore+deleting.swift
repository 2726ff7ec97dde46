import Core
import Database
import Live
import Media
import Search
import Web

/// Deleting captures with every trace.
extension CaptureStore {
    /// The first captures of a span, at most `limit`, and at least one if there is any.
    /// - Parameter byteCount: the most bytes that they count against the quota together.
    func ids(in range: TimeRange, owner: String, limit: Int, byteCount: Int64) async throws -> [String] {
        let (from, to) = (range.from ?? Timestamp(microseconds: .min), range.to ?? Timestamp(microseconds: .max))
        let rows: [(id: String, rowBytes: Int64)] = try await database.list(Self.ids(from: from, to: to, owner: owner, limit: limit)) {
            row in (try row.next("id"), try row.next("row_bytes"))
        }
        var total: Int64 = 0
        return rows.prefix { row in
            defer { total += row.rowBytes }
            return total == 0 || total + row.rowBytes <= byteCount
        }.map(\.id)
    }

    static func ids(from: Timestamp, to: Timestamp, owner: String, limit: Int) -> SQL {
        "SELECT id, row_bytes FROM capture WHERE owner = \(owner) AND at >= \(from) AND at < \(to) ORDER BY at, id LIMIT \(limit)"
    }

    /// Deletes captures with their files, their words in the index, their mentions, and what summaries say of them. Contacts that no
    /// capture mentions any more go too, unless the user has edited them.
    /// - Returns: how many of them existed.
    func delete(_ ids: [String], owner: String) async throws -> Int {
        try await database.write { tx in
            for id in Set(ids).sorted() { try tx.lock(Self.lock(id, of: owner)) }
            let wholes = try wholes(Array(Set(ids)), owner: owner, tx)
            guard !wholes.isEmpty else { return 0 }
            try lockSummaries(of: owner, tx)
            var growth: Int64 = 0
            var files: Set<String> = []
            for (capture, uploads) in wholes.sorted(by: { $0.capture.id < $1.capture.id }) {
                growth += try mention([], in: capture, tx) - capture.rowBytes
                files.formUnion(uploads.map(\.media))
                files.formUnion(try ownFiles(of: capture, tx))
                try search.remove(kind: StoredCapture.kind, id: capture.id, owner: owner, tx)
                try tx.run("DELETE FROM capture WHERE owner = \(owner) AND id = \(capture.id)")
                try tx.run("UPDATE contact SET face_capture = NULL WHERE owner = \(owner) AND face_capture = \(capture.id)")
                try tx.run(
                    """
                    INSERT INTO capture_tombstone (hash, owner, expires_at)
                    VALUES (\(CaptureRules.tombstone(capture.id, of: owner)), \(owner), \(clock.now + CaptureRules.tombstoneLifetime))
                    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at
                    """)
                try events.emit(.captureDeleted, CaptureEvent(id: capture.id), to: owner, tx)
            }
            try unquote(wholes.map(\.capture), areDeleted: true, owner: owner, tx)
            // Last, because they lock the account's usage.
            try library.erase(files.sorted(), owner: owner, tx)
            try library.note(rowBytes: growth, owner: owner, tx)
            return wholes.count
        }
    }

    /// Files that were uploaded under an id of which there is no capture, and that only this capture names: a client may upload before it
    /// knows the capture's id.
    private func ownFiles(of capture: StoredCapture, _ tx: ReadTransaction) throws -> [String] {
        try [capture.photo.media, capture.audio.media].compactMap { $0 }.filter { media in
            let row = try tx.row("SELECT capture FROM capture_file WHERE media = \(media) AND owner = \(capture.owner)")
            guard let uploaded: String = try row?.get("capture"), try self.capture(uploaded, owner: capture.owner, tx) == nil else {
                return false
            }
            return try tx.row(Self.otherUser(of: media, than: capture)) == nil
        }
    }

    private static func otherUser(of media: String, than capture: StoredCapture) -> SQL {
        """
        SELECT id FROM capture WHERE photo_media = \(media) AND owner = \(capture.owner) AND id <> \(capture.id)
        UNION ALL SELECT id FROM capture WHERE audio_media = \(media) AND owner = \(capture.owner) AND id <> \(capture.id)
        """
    }

    /// Deletes the ids of captures that were deleted long ago, 500 at a time.
    func sweepTombstones() async throws {
        while try await database.run(Self.expiredTombstones(before: clock.now)) == 500 {}
    }

    static func expiredTombstones(before now: Timestamp) -> SQL {
        """
        DELETE FROM capture_tombstone WHERE hash IN (
            SELECT hash FROM capture_tombstone WHERE expires_at <= \(now) ORDER BY expires_at LIMIT 500)
        """
    }

    /// - Returns: how many rows of an account that is being deleted are gone.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        let captures: [String] = try tx.list("SELECT id FROM capture WHERE owner = \(owner) ORDER BY at, id LIMIT \(limit)") {
            try $0.next("id")
        }
        for id in captures { try tx.send("DELETE FROM capture WHERE owner = \(owner) AND id = \(id)") }
        if !captures.isEmpty { return captures.count }
        var count = 0
        for statement in Self.erasures(of: owner, limit: limit) where count < limit { count += try tx.run(statement) }
        return count
    }

    static func erasures(of owner: String, limit: Int) -> [SQL] {
        [
            """
            DELETE FROM capture_hour WHERE owner = \(owner) AND (owner, day, start, hour) IN (
                SELECT owner, day, start, hour FROM capture_hour WHERE owner = \(owner) ORDER BY day, start, hour LIMIT \(limit))
            """,
            """
            DELETE FROM capture_day WHERE owner = \(owner) AND (owner, day) IN (
                SELECT owner, day FROM capture_day WHERE owner = \(owner) ORDER BY day LIMIT \(limit))
            """,
            """
            DELETE FROM contact WHERE owner = \(owner) AND id IN (
                SELECT id FROM contact WHERE owner = \(owner) ORDER BY id LIMIT \(limit))
            """,
            """
            DELETE FROM contact_name WHERE owner = \(owner) AND (owner, name) IN (
                SELECT owner, name FROM contact_name WHERE owner = \(owner) ORDER BY name LIMIT \(limit))
            """,
            """
            DELETE FROM capture_tombstone WHERE owner = \(owner) AND hash IN (
                SELECT hash FROM capture_tombstone WHERE owner = \(owner) ORDER BY hash LIMIT \(limit))
            """,
        ]
    }
}
