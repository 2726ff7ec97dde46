import Accounts
import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import Live
import Media
import Web

/// A capture that arrived on a socket.
struct NewCapture: Sendable {
    let owner: String
    let id: String
    let message: CaptureMessage
    /// SHA-256 of the transcription, and the hash under which a tombstone of the capture would be stored. The socket that received the
    /// capture computes them, because the writer's thread is shared by all captures.
    let sent: String?
    let tombstone: String

    init(owner: String, id: String, message: CaptureMessage) {
        self.owner = owner
        self.id = id
        self.message = message
        sent = message.transcription.map(CaptureRules.digest)
        tombstone = CaptureRules.tombstone(id, of: owner)
    }

    var key: Key { Key(owner: owner, id: id) }

    struct Key: Hashable, Comparable, Sendable {
        let owner: String
        let id: String

        static func < (a: Key, b: Key) -> Bool { (a.owner, a.id) < (b.owner, b.id) }
    }
}

/// What becomes of a capture: `nil` once it is durable, otherwise why it is refused.
typealias CaptureOutcome = CaptureRefusal?

/// The write that precedes an acknowledgement: the row, its event and its job.
extension CaptureStore {
    /// The captures of these accounts need writes of their own. An account may have reached its quota or, on PostgreSQL, have stored
    /// nothing before, so that the write must check its quota exactly. Or another write has locked the account's usage, and the captures
    /// of other accounts must not wait for that write.
    struct OwnersApart: Error {
        let owners: Set<String>
    }

    /// The most captures in a write while other requesters wait; the write then takes a few milliseconds.
    static let shortWriteCount = 32

    /// Stores captures of any number of accounts in one write. A capture that is refused does not affect the others.
    /// - Parameters:
    ///   - batch: captures with different keys.
    ///   - exactly: whether all captures are of one account. If so, the write waits for other writes of this account and checks its quota
    ///     exactly.
    /// - Returns: one outcome for each capture, in the order of `batch`; `delaysOthers`: whether other requesters wait for the write. Then
    ///   only the first `shortWriteCount` captures are stored, and only their outcomes returned. `locksRows`: as
    ///   `WriteTransaction.locksRows`.
    /// - Throws: `OwnersApart`, only if `exactly` is `false`; then nothing was stored.
    func take(
        _ batch: [NewCapture], exactly: Bool = false
    ) async throws -> (outcomes: [CaptureOutcome], delaysOthers: Bool, locksRows: Bool) {
        // The captures are stored in a fixed order, so that two writes that contain the same captures do not deadlock.
        let order = batch.indices.sorted { batch[$0].key < batch[$1].key }
        let (part, taken, delaysOthers, locksRows) = try await database.write { tx in
            let delaysOthers = tx.delaysOthers
            let part = delaysOthers ? order.filter { $0 < Self.shortWriteCount } : order
            return (part, try write(part.map { batch[$0] }, exactly: exactly, tx), delaysOthers, tx.locksRows)
        }
        var outcomes = [CaptureOutcome](repeating: nil, count: part.count)
        for (index, outcome) in zip(part, taken) { outcomes[index] = outcome }
        return (outcomes, delaysOthers, locksRows)
    }

    private func write(_ batch: [NewCapture], exactly: Bool, _ tx: WriteTransaction) throws -> [CaptureOutcome] {
        let owners = Set(batch.map(\.owner)).sorted()
        let zones = try accounts.timeZones(of: owners, tx)
        var outcomes: [CaptureOutcome] = []
        var rows: [StoredCapture] = []
        var naming: [String: Set<String>] = [:]
        let now = clock.now
        for capture in batch {
            guard let zone = zones[capture.owner] else {
                outcomes.append(CaptureRefusal(code: .failedToSave, detail: "The account is closed.", capture: capture.id))
                continue
            }
            outcomes.append(nil)
            rows.append(try row(capture, in: zone, now: now, &naming, tx))
        }
        if tx.locksRows {
            let apart = try lockStored(rows, waiting: exactly, tx)
            if !apart.isEmpty { throw OwnersApart(owners: apart) }
            // A write that waits for the usage has inserted nothing yet. Otherwise writes of other nodes that hold the same captures, and
            // captures of other accounts, would wait for it.
            if exactly, let owner = owners.first { try library.lockUsage(of: owner, tx) }
        }
        var inserted = try insert(rows, tx)
        // The insert waits for a deletion that runs at the same time. So this check follows the insert: before it, the deletion would not
        // be visible yet.
        let buried = try removeBuried(&inserted, of: batch, tx)
        var growth: [String: Int64] = [:]
        for row in rows where inserted.contains(NewCapture.Key(owner: row.owner, id: row.id)) {
            growth[row.owner, default: 0] += row.rowBytes
        }
        var fresh: [StoredCapture] = []
        var next = rows[...]
        for (index, capture) in batch.enumerated() where outcomes[index] == nil {
            guard let row = next.popFirst() else { break }
            if buried.contains(capture.key) {
                outcomes[index] = CaptureRefusal(
                    code: .idInUse, detail: "A capture with this id was deleted. Use a new id.", capture: capture.id)
            } else if inserted.contains(capture.key) {
                fresh.append(row)
            } else {
                outcomes[index] = try fill(row, from: capture.message, &growth, tx)
            }
            // A refused capture takes over no files.
            if allowsAnonymous, outcomes[index] == nil { try takeOver(capture.id, for: capture.owner, tx) }
        }
        try enqueueFirst(fresh, tx)
        try events.emit(.captureReceived, all: fresh.map { (CaptureEvent(id: $0.id), $0.owner) }, tx)
        // The usage is locked after the captures, because every other write that changes a capture locks its account's usage last.
        if !exactly, tx.locksRows, !growth.isEmpty {
            let owners = Set(growth.keys)
            let apart = owners.subtracting(try library.tryLockUsage(of: owners.sorted(), tx))
            if !apart.isEmpty { throw OwnersApart(owners: apart) }
        }
        for (owner, byteCount) in growth.sorted(by: { $0.key < $1.key }) {
            try countGrowth(byteCount, of: owner, exactly: exactly, tx)
        }
        return outcomes
    }

    /// Counts by how much the rows of an account have grown in this write.
    /// - Throws: `OwnersApart`, only if `exactly` is `false`.
    private func countGrowth(_ byteCount: Int64, of owner: String, exactly: Bool, _ tx: WriteTransaction) throws {
        if exactly || byteCount <= 0 {
            try library.count(rowBytes: byteCount, owner: owner, tx)
        } else if tx.locksRows {
            try library.send(rowBytes: byteCount, owner: owner, otherwise: OwnersApart(owners: [owner]), tx)
        } else {
            // The exact check costs no more, because here it needs no round trips. With it, the first capture of an account needs no write
            // of its own. Otherwise, when many new accounts send captures at the same time, those writes, two at a time, would wait behind
            // long shared ones for more than a second.
            do {
                try library.count(rowBytes: byteCount, owner: owner, tx)
            } catch let problem as Problem where problem.kind == .tooLarge {
                throw OwnersApart(owners: [owner])
            }
        }
    }

    private func row(
        _ capture: NewCapture, in zone: TimeZone, now: Timestamp, _ naming: inout [String: Set<String>], _ tx: WriteTransaction
    ) throws -> StoredCapture {
        let message = capture.message
        var row = StoredCapture(
            owner: capture.owner, id: capture.id, at: message.at, hour: CaptureHour(message.at, in: zone), status: .received,
            photo: try link(message.photoURL, .photo, of: capture, &naming, tx),
            audio: try link(message.audioURL, .audio, of: capture, &naming, tx), sent: capture.sent, transcription: message.transcription,
            transcriptionEngine: message.transcription == nil ? nil : StoredCapture.clientEngine, version: 1, createdAt: now, rowBytes: 0)
        row.rowBytes = row.countedBytes
        return row
    }

    /// If the URL is a link of this server to the owner's media, the capture refers to that file, unless too many captures refer to it
    /// already. Any other URL is only stored: the server never fetches it.
    /// - Parameter naming: for each file that this write has looked up, the captures that refer to it.
    private func link(
        _ url: String?, _ kind: CaptureFileRow.Kind, of capture: NewCapture, _ naming: inout [String: Set<String>], _ tx: WriteTransaction
    ) throws -> CaptureLink {
        guard let url else { return CaptureLink() }
        func isOwner(_ name: String) -> Bool { name == capture.owner || (allowsAnonymous && name == Authentication.anonymous) }
        var named: String?
        switch OurLink(url) {
        case .upload(let owner, let id, let linked) where isOwner(owner):
            // An upload belongs to the capture with the same id anyway, whichever of the two arrives first.
            if id == capture.id, linked == kind { return CaptureLink(url: url) }
            if allowsAnonymous { try takeOver(id, for: capture.owner, tx) }
            let file = try tx.first(Self.file(linked, of: id, owner: capture.owner), CaptureFileRow.init)
            named = linked == kind ? file?.media : nil
        case .file(let owner, let id) where isOwner(owner):
            let file = try library.files([id], owner: capture.owner, tx).first
            named = file.flatMap { $0.type.kind == kind.media ? $0.id : nil }
        default: break
        }
        guard let media = named, try mayName(media, kind, capture, &naming, tx) else { return CaptureLink(url: url) }
        return CaptureLink(media: media, url: url)
    }

    /// Whether the capture names the file already, or fewer than `namingLimit` captures do. On PostgreSQL, concurrent writes do not see
    /// each other's captures and may exceed the limit by the size of a write.
    private func mayName(
        _ file: String, _ kind: CaptureFileRow.Kind, _ capture: NewCapture, _ naming: inout [String: Set<String>], _ tx: ReadTransaction
    ) throws -> Bool {
        let statement = Self.ids(naming: file, as: kind, owner: capture.owner, limit: Self.namingLimit)
        var ids = try naming[file] ?? Set(tx.list(statement) { (row: inout RowReader) -> String in try row.next("id") })
        let may = ids.count < Self.namingLimit || ids.contains(capture.id)
        if may { ids.insert(capture.id) }
        naming[file] = ids
        return may
    }

    /// Locks those of the captures that are stored already. Otherwise the insert and `fill` would wait for another write, such as a
    /// deletion, that has locked one of them.
    /// - Parameter waits: whether to wait for other writes. All writes lock captures before they insert any, so none waits for another one
    ///   that waits for it.
    /// - Returns: the accounts of the captures that another write has locked; none if `waits`.
    private func lockStored(_ rows: [StoredCapture], waiting waits: Bool, _ tx: WriteTransaction) throws -> Set<String> {
        guard !rows.isEmpty else { return [] }
        let wanted = rows.map { NewCapture.Key(owner: $0.owner, id: $0.id) }
        func keys(_ statement: SQL) throws -> Set<NewCapture.Key> {
            Set(
                try tx.list(statement) { (row: inout RowReader) in
                    NewCapture.Key(owner: try row.next("owner"), id: try row.next("id"))
                })
        }
        let stored = try keys(Self.stored(wanted))
        guard !stored.isEmpty else { return [] }
        if waits {
            for key in stored.sorted() { try tx.lock(Self.lock(key.id, of: key.owner)) }
            // Some writes lock only the rows.
            _ = try keys(Self.stored(stored.sorted()) + " ORDER BY capture.owner, capture.id FOR NO KEY UPDATE OF capture")
            return []
        }
        let owners = Dictionary(stored.map { (Self.lock($0.id, of: $0.owner), $0.owner) }) { first, _ in first }
        let locked = Set(try tx.tryLock(owners.keys.sorted()).compactMap { owners[$0] })
        guard locked.isEmpty else { return locked }
        // Some writes lock only the rows.
        let free = try keys(Self.stored(stored.sorted()) + " FOR NO KEY UPDATE OF capture SKIP LOCKED")
        return Set(stored.subtracting(free).map(\.owner))
    }

    /// Those of the captures that are stored. The keys are padded (`SQL.padded`), so the result may contain one several times. Only
    /// PostgreSQL runs this statement.
    /// - Parameter keys: at least one.
    static func stored(_ keys: [NewCapture.Key]) -> SQL {
        """
        WITH wanted (owner, id) AS (VALUES \(sql: .series(SQL.padded(keys).map { "(\($0.owner), \($0.id))" })))
        SELECT capture.owner, capture.id FROM wanted
        JOIN capture ON capture.owner = wanted.owner AND capture.id = wanted.id
        """
    }

    private func insert(_ rows: [StoredCapture], _ tx: WriteTransaction) throws -> Set<NewCapture.Key> {
        var inserted: Set<NewCapture.Key> = []
        var rest = rows[...]
        // Inserts use only these few sizes, because an engine keeps each different statement prepared.
        for size in [64, 16, 4, 1] {
            while rest.count >= size {
                let statement =
                    StoredCapture.table.insert(rest.prefix(size)) + " ON CONFLICT (owner, id) DO NOTHING RETURNING owner, id"
                for row in try tx.rows(statement) {
                    inserted.insert(NewCapture.Key(owner: try row.get("owner"), id: try row.get("id")))
                }
                rest = rest.dropFirst(size)
            }
        }
        return inserted
    }

    /// Removes the new rows whose ids are those of deleted captures.
    /// - Returns: their keys.
    private func removeBuried(
        _ inserted: inout Set<NewCapture.Key>, of batch: [NewCapture], _ tx: WriteTransaction
    ) throws -> Set<NewCapture.Key> {
        let hashes = Dictionary(
            batch.map { ($0.tombstone, NewCapture.Key(owner: $0.owner, id: $0.id)) }.filter { inserted.contains($0.1) }
        ) { first, _ in first }
        guard !hashes.isEmpty else { return [] }
        let buried = Set(try tx.rows(Self.tombstones(hashes.keys.sorted())).compactMap { hashes[try $0.get("hash")] })
        for key in buried.sorted() { try tx.run("DELETE FROM capture WHERE owner = \(key.owner) AND id = \(key.id)") }
        inserted.subtract(buried)
        return buried
    }

    /// The statement names no owner, because the captures of one write belong to many: each hash is of an owner and an id
    /// (`CaptureRules.tombstone`).
    static func tombstones(_ hashes: [String]) -> SQL { "SELECT hash FROM capture_tombstone WHERE hash IN (\(sql: .list(hashes)))" }

    /// Compares a repeated capture with the stored one, and adds what was missing.
    private func fill(
        _ new: StoredCapture, from message: CaptureMessage, _ growth: inout [String: Int64], _ tx: WriteTransaction
    ) throws -> CaptureOutcome {
        try tx.lock(Self.lock(new.id, of: new.owner))
        guard var row = try capture(new.id, owner: new.owner, tx) else {
            return CaptureRefusal(code: .failedToSave, detail: "The capture was being deleted. Send it again.", capture: new.id)
        }
        let old = row
        func isOther(_ old: String?, _ new: String?) -> Bool {
            guard let old, let new else { return false }
            return OurLink.canonical(old) != OurLink.canonical(new)
        }
        let isOtherText = row.sent != nil && new.sent != nil && row.sent != new.sent
        guard row.at == new.at, !isOtherText, !isOther(row.photo.url, new.photo.url), !isOther(row.audio.url, new.audio.url) else {
            return CaptureRefusal(code: .idInUse, detail: "Another capture has this id.", capture: new.id)
        }
        if row.sent == nil, let sent = new.sent {
            row.sent = sent
            // The user's own correction stays.
            if row.transcriptionEngine != StoredCapture.userEngine {
                row.transcription = new.transcription
                row.transcriptionEngine = new.transcriptionEngine
            }
        }
        if row.photo.url == nil, new.photo.url != nil { row.photo = new.photo }
        if row.audio.url == nil, new.audio.url != nil { row.audio = new.audio }
        guard row != old else { return nil }
        let isAnalysedAgain =
            row.transcription != old.transcription || row.photo.media != old.photo.media || row.audio.media != old.audio.media
        row.rowBytes = row.countedBytes
        growth[row.owner, default: 0] += row.rowBytes - old.rowBytes
        try change(&row, isAnalysedAgain: isAnalysedAgain, tx)
        return nil
    }

    /// Gives a socket's user what was uploaded for the capture without a credential.
    private func takeOver(_ capture: String, for owner: String, _ tx: WriteTransaction) throws {
        let anonymous = Authentication.anonymous
        guard owner != anonymous else { return }
        for file in try tx.list(Self.files(of: [capture], owner: anonymous), CaptureFileRow.init) {
            try tx.lock(Self.lock(capture, of: anonymous))
            guard try tx.first(Self.file(file.kind, of: capture, owner: owner), CaptureFileRow.init) == nil,
                try tx.run(Self.removal(of: file)) == 1
            else { continue }
            guard try library.hand(file.media, from: anonymous, to: owner, tx) else { continue }
            try tx.run(
                CaptureFileRow.table.insert(
                    CaptureFileRow(owner: owner, capture: capture, kind: file.kind, media: file.media, type: file.type)))
        }
    }

    static func removal(of file: CaptureFileRow) -> SQL {
        """
        DELETE FROM capture_file WHERE owner = \(file.owner) AND capture = \(file.capture) AND kind = \(file.kind.rawValue)
            AND media = \(file.media)
        """
    }
}

extension CaptureFileRow.Kind {
    var media: MediaType.Kind {
        switch self {
        case .photo: .image
        case .audio: .audio
        }
    }
}

extension StoredCapture {
    /// Names in `transcription_engine` that are not engines.
    static let clientEngine = "client"
    static let userEngine = "user"
}
