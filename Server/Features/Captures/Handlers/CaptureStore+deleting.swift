import Core
import Database
import Live
import Media
import Search
import Web

/// Deletes captures with every trace of them.
extension CaptureStore {
    /// The most captures that one write deletes, so that other writes do not wait long.
    static let deletedAtOnce = 50
    /// The captures of a span from which those of one write are chosen, if the summaries of some hours do not fit.
    private static let readForDeletion = 400
    /// The most hours that are left out of one write.
    private static let mostLeftOut = 8

    /// Deletes the captures of a span in several writes.
    /// - Parameter beforeEachWrite: throws to stop the deletion; what earlier writes deleted stays deleted.
    /// - Returns: how many captures were deleted.
    func deleteAll(in range: TimeRange, owner: String, beforeEachWrite: () async throws -> Void) async throws -> Int {
        var deleted = 0
        while true {
            let ids = try await ids(in: range, owner: owner)
            guard !ids.isEmpty else { return deleted }
            try await beforeEachWrite()
            deleted += try await delete(ids, owner: owner)
        }
    }

    /// The captures of a span that one write deletes: the first ones, as far as `DeletionStep` allows their rows and the summaries of their
    /// hours, which the write changes, too. The summary of an hour may have 0.5 MB, and captures of the same time may belong to many hours,
    /// each in a time zone that the user had. A capture whose hour does not fit is left out, and others of the hours that fit are chosen.
    func ids(in range: TimeRange, owner: String) async throws -> [String] {
        let (from, to) = (range.from ?? Timestamp(microseconds: .min), range.to ?? Timestamp(microseconds: .max))
        return try await database.read { tx in
            let (ids, hasLeftOut) = try firstIDs(among: Self.deletedAtOnce, from, to, owner, tx)
            return hasLeftOut ? try firstIDs(among: Self.readForDeletion, from, to, owner, tx).ids : ids
        }
    }

    /// - Parameter count: the captures from which the ids are chosen.
    /// - Returns: at most `deletedAtOnce` ids, and whether captures were left out because the summaries of their hours do not fit.
    private func firstIDs(
        among count: Int, _ from: Timestamp, _ to: Timestamp, _ owner: String, _ tx: ReadTransaction
    ) throws -> (ids: [String], hasLeftOut: Bool) {
        let captures: [(id: String, hour: CaptureHour)] = try tx.deletionStep(limit: count) {
            Self.captures(from: from, to: to, owner: owner, limit: $0)
        } element: { row in
            let id: String = try row.next("id")
            let (zone, day): (String, String) = (try row.next("zone"), try row.next("day"))
            return (id, CaptureHour(zone: zone, day: day, hour: try row.next("hour"), start: try row.next("hour_start")))
        }
        var ids: [String] = []
        var (hours, leftOut, byteCount): (Set<CaptureHour>, Set<CaptureHour>, Int64) = ([], [], 0)
        for capture in captures where ids.count < Self.deletedAtOnce && !leftOut.contains(capture.hour) {
            if !hours.contains(capture.hour) {
                // A row's bytes are behind its long text, so finding them may take the time of reading it.
                let ofHour: Int64 = try tx.row(Self.hour(capture.hour, "row_bytes", owner: owner))?.get("row_bytes") ?? 0
                guard hours.isEmpty || byteCount + ofHour <= DeletionStep.byteCount else {
                    leftOut.insert(capture.hour)
                    if leftOut.count == Self.mostLeftOut { break }
                    continue
                }
                hours.insert(capture.hour)
                byteCount += ofHour
            }
            ids.append(capture.id)
        }
        return (ids, !leftOut.isEmpty)
    }

    static func captures(from: Timestamp, to: Timestamp, owner: String, limit: Int) -> SQL {
        """
        SELECT id, zone, day, hour, hour_start, row_bytes FROM capture
        WHERE owner = \(owner) AND at >= \(from) AND at < \(to) ORDER BY at, id LIMIT \(limit)
        """
    }

    /// Deletes captures with their files, their words in the index, their mentions, and what summaries say of them. Also deletes contacts
    /// that no capture mentions any more and the user has not edited.
    /// - Returns: how many of them existed.
    func delete(_ ids: [String], owner: String) async throws -> Int {
        let uploads: [String] = try await database.list(Self.uploads(for: ids, owner: owner)) { row in try row.next("media") }
        try await forgetMost(of: uploads, besides: Set(ids), owner: owner)
        try await removeFaces(of: ids, owner: owner)
        let hasMany = try await database.read { tx in try tx.row(Self.tombstone(at: maxTombstones, of: owner)) != nil }
        let lifetime = hasMany ? CaptureRules.shortTombstoneLifetime : CaptureRules.tombstoneLifetime
        return try await database.write { tx in
            for id in Set(ids).sorted() { try tx.lock(Self.lock(id, of: owner)) }
            let wholes = try wholes(Array(Set(ids)), owner: owner, tx)
            guard !wholes.isEmpty else { return 0 }
            try lockSummaries(of: owner, tx)
            var growth: Int64 = 0
            var mentions: MentionChanges = [:]
            var files: Set<String> = []
            var named: Set<String> = []
            for (capture, uploads) in wholes.sorted(by: { $0.capture.id < $1.capture.id }) {
                growth += try mention([], in: capture, &mentions, tx) - capture.rowBytes
                files.formUnion(uploads.map(\.media))
                named.formUnion([capture.photo.media, capture.audio.media].compactMap { $0 })
                try search.remove(kind: StoredCapture.kind, id: capture.id, owner: owner, tx)
                try tx.run("DELETE FROM capture WHERE owner = \(owner) AND id = \(capture.id)")
                try tx.run(Self.removal(ofFace: capture.id, owner: owner))
                try tx.run(
                    """
                    INSERT INTO capture_tombstone (hash, owner, expires_at)
                    VALUES (\(CaptureRules.tombstone(capture.id, of: owner)), \(owner), \(clock.now + lifetime))
                    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at
                    """)
                try events.emit(.captureDeleted, CaptureEvent(id: capture.id), to: owner, tx)
            }
            growth += try updateCounts(by: mentions, owner: owner, tx)
            try unquote(wholes.map(\.capture), areDeleted: true, owner: owner, tx)
            files.formUnion(try unused(named.subtracting(files), owner: owner, tx))
            // These come last, because they lock the account's usage.
            try library.erase(files.sorted(), owner: owner, tx)
            try library.note(rowBytes: growth, owner: owner, tx)
            return wholes.count
        }
    }

    /// Selects the uploaded files of those captures that exist.
    static func uploads(for captures: [String], owner: String) -> SQL {
        """
        SELECT capture_file.media FROM capture JOIN capture_file ON capture_file.owner = capture.owner AND capture_file.capture = capture.id
        WHERE capture.owner = \(owner) AND capture.id IN (\(sql: .list(captures)))
        """
    }

    /// Removes the photos of captures from all contacts, in separate writes: contacts may have long notes, which are rewritten.
    func removeFaces(of captures: [String], owner: String) async throws {
        guard !captures.isEmpty else { return }
        while true {
            try Task.checkCancellation()
            let contacts = try await database.read { tx in
                try tx.deletionStep(limit: Self.facesOfPhoto) { Self.contacts(showing: captures, owner: owner, limit: $0) }
            }
            guard !contacts.isEmpty else { return }
            try await database.write { tx in
                try lockSummaries(of: owner, tx)
                try tx.run(Self.removal(ofFaces: captures, from: contacts, owner: owner))
            }
        }
    }

    static func contacts(showing captures: [String], owner: String, limit: Int) -> SQL {
        "SELECT id, row_bytes FROM contact WHERE owner = \(owner) AND face_capture IN (\(sql: .list(captures))) LIMIT \(limit)"
    }

    static func removal(ofFaces captures: [String], from contacts: [String], owner: String) -> SQL {
        """
        UPDATE contact SET face_capture = NULL
        WHERE id IN (\(sql: .list(contacts))) AND owner = \(owner) AND face_capture IN (\(sql: .list(captures)))
        """
    }

    /// Removes the picture from the contacts that show the capture's picture.
    static func removal(ofFace capture: String, owner: String) -> SQL {
        "UPDATE contact SET face_capture = NULL WHERE owner = \(owner) AND face_capture = \(capture)"
    }

    /// Selects from `files` those that no capture refers to, and that were uploaded for the id of a capture that does not exist. A client
    /// may upload a file before it sends the capture.
    private func unused(_ files: Set<String>, owner: String, _ tx: ReadTransaction) throws -> Set<String> {
        try files.filter { file in
            guard let upload = try tx.first(Self.upload(of: file, owner: owner), CaptureFileRow.init),
                try capture(upload.capture, owner: owner, tx) == nil
            else { return false }
            return try tx.row(Self.naming(file, owner: owner, limit: 1)) == nil
        }
    }

    /// Finds a row if the account has at least `count`.
    static func tombstone(at count: Int, of owner: String) -> SQL {
        "SELECT hash FROM capture_tombstone WHERE owner = \(owner) ORDER BY hash LIMIT 1 OFFSET \(count - 1)"
    }

    /// Deletes the ids of captures that were deleted long ago.
    func sweepTombstones() async throws { try await database.sweep { Self.expiredTombstones(before: clock.now, limit: $0) } }

    static func expiredTombstones(before now: Timestamp, limit: Int) -> SQL {
        """
        DELETE FROM capture_tombstone WHERE hash IN (
            SELECT hash FROM capture_tombstone WHERE expires_at <= \(now) ORDER BY expires_at LIMIT \(limit))
        """
    }

    // MARK: Accounts

    /// - Returns: how many rows were deleted of an account that is being deleted.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        let captures = try tx.deletionStep(limit: limit) { Self.first(of: owner, limit: $0) }
        for id in captures { try tx.send("DELETE FROM capture WHERE owner = \(owner) AND id = \(id)") }
        if !captures.isEmpty { return captures.count }
        // Names are deleted before their contacts. The deletion of a contact would delete all of its names with it, and it may have any
        // number.
        var count = 0
        for (table, key) in Self.shortTables where count < limit {
            count += try tx.run(Self.erasure(in: table, key, of: owner, limit: limit - count))
        }
        if count > 0 { return count }
        for (table, key) in Self.longTables {
            let count = try tx.deletionStep(limit: limit, { Self.sizes(in: table, key, of: owner, limit: $0) }) { _ in }.count
            guard count > 0 else { continue }
            try tx.run(Self.erasure(in: table, key, of: owner, limit: count))
            return count
        }
        return 0
    }

    /// Tables whose rows may be long, and the columns of their keys after the owner. The row of an hour lists the ids of its captures.
    static let longTables: [(table: SQL, key: SQL)] = [("capture_hour", "day, start, hour"), ("capture_day", "day"), ("contact", "id")]
    static let shortTables: [(table: SQL, key: SQL)] = [("contact_name", "name"), ("capture_tombstone", "hash")]

    static func first(of owner: String, limit: Int) -> SQL {
        "SELECT id, row_bytes FROM capture WHERE owner = \(owner) ORDER BY at, id LIMIT \(limit)"
    }

    /// Reads the counted bytes of the rows that `erasure` deletes.
    static func sizes(in table: SQL, _ key: SQL, of owner: String, limit: Int) -> SQL {
        "SELECT row_bytes FROM \(sql: table) WHERE owner = \(owner) ORDER BY \(sql: key) LIMIT \(limit)"
    }

    static func erasure(in table: SQL, _ key: SQL, of owner: String, limit: Int) -> SQL {
        """
        DELETE FROM \(sql: table) WHERE owner = \(owner) AND (owner, \(sql: key)) IN (
            SELECT owner, \(sql: key) FROM \(sql: table) WHERE owner = \(owner) ORDER BY \(sql: key) LIMIT \(limit))
        """
    }
}
