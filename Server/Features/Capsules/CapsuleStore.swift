import Blobs
import Core
import Database
import Jobs
import KeepsakeWire
import Live
import Media
import Search
import Web

/// All SQL of the room.
struct CapsuleStore: Sendable {
    let database: any Database
    let library: MediaLibrary
    let search: SearchIndex
    let events: EventLog
    let jobs: JobQueue
    let clock: WallClock

    /// As the index and answers name it.
    static let kind = "capsule"

    /// - Parameter answering: makes the answer, within the write, so that it can be kept with the row.
    /// - Throws: `.tooLarge` when the owner's quota does not hold the row.
    func add<Answer: Sendable>(
        _ capsule: StoredCapsule, answering: @escaping @Sendable (WriteTransaction) throws -> Answer
    ) async throws -> Answer {
        try await database.write { tx in
            let rowBytes = capsule.rowBytes(text: nil, words: nil)
            _ = try library.add([], rowBytes: rowBytes, owner: capsule.owner, tx)
            try tx.run(StoredCapsule.table.insert(capsule, with: ["row_bytes": rowBytes]))
            try events.emit(.capsuleCreated, CapsuleEvent(capsule.id, capsule.status), to: capsule.owner, tx)
            return try answering(tx)
        }
    }

    /// - Returns: `nil` when there is no such capsule or it is somebody else's.
    func capsule(_ id: String, owner: String) async throws -> StoredCapsule? {
        try await database.read { tx in try capsule(id, owner: owner, tx) }
    }

    /// - Returns: as `capsule`, with what was said in it.
    func whole(_ id: String, owner: String) async throws -> (StoredCapsule, StoredTranscript?)? {
        try await database.read { tx in
            guard let capsule = try capsule(id, owner: owner, tx) else { return nil }
            return (capsule, try transcripts(of: [capsule], tx)[id])
        }
    }

    /// Gives a capsule its sound, once. The same bytes again are the retry of somebody who missed the answer, and change nothing.
    /// - Returns: the answer, and which staged bytes turned out to be there already; `nil` when there is no such capsule of this owner.
    /// - Throws: `.conflict` when it has another sound; `.tooLarge` when the owner's quota does not hold it.
    func attach<Answer: Sendable>(
        _ file: MediaLibrary.File, to id: String, owner: String,
        answering: @escaping @Sendable (StoredCapsule, WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey])? {
        try await database.write { tx in
            try tx.lock("capsule " + id)
            guard var capsule = try capsule(id, owner: owner, tx) else { return nil }
            if let sha256 = capsule.sha256 {
                guard sha256 == file.sha256 else { throw Problem.hasSound }
                try library.pass(over: file, owner: owner, tx)
                return (try answering(capsule, tx), surplus: [file.stagedKey])
            }
            let surplus = try library.add([file], rowBytes: 0, owner: owner, tx)
            capsule.media = file.id
            capsule.sha256 = file.sha256
            capsule.waveform = file.peaks
            capsule.byteCount = file.byteCount
            capsule.duration = file.durationMilliseconds.map { max(1, $0 * 1_000) } ?? capsule.duration
            capsule.updatedAt = clock.now
            try tx.run(
                """
                UPDATE capsule SET media = \(file.id), sha256 = \(file.sha256), waveform = \(capsule.waveform),
                    byte_count = \(capsule.byteCount), duration_us = \(capsule.duration), updated_at = \(capsule.updatedAt)
                WHERE id = \(id) AND owner = \(owner)
                """)
            try events.emit(.capsuleUpdated, CapsuleEvent(id, capsule.status), to: owner, tx)
            return (try answering(capsule, tx), surplus)
        }
    }

    /// Lets a capsule be processed. One that is, or was, stays as it is.
    /// - Returns: the capsule as it now is; `nil` when there is no such capsule of this owner.
    /// - Throws: `.conflict` when there is no sound.
    func complete(_ id: String, owner: String) async throws -> (StoredCapsule, StoredTranscript?)? {
        try await database.write { tx in
            try tx.lock("capsule " + id)
            guard var capsule = try capsule(id, owner: owner, tx) else { return nil }
            guard capsule.status == .uploading else { return (capsule, try transcripts(of: [capsule], tx)[id]) }
            guard capsule.media != nil else { throw Problem(.conflict, "The capsule has no sound yet: upload it first.") }
            capsule.status = .processing
            capsule.updatedAt = clock.now
            try tx.run(
                """
                UPDATE capsule SET status = 'processing', updated_at = \(capsule.updatedAt)
                WHERE id = \(id) AND owner = \(owner) AND status = 'uploading'
                """)
            try jobs.enqueue(TranscribeCapsule(capsule: id), key: id, owner: owner, tx)
            try events.emit(.capsuleUpdated, CapsuleEvent(id, capsule.status), to: owner, tx)
            return (capsule, nil)
        }
    }

    /// Takes the capsule, its sound, what was said in it and the stored answers that tell of it away together.
    /// - Returns: whether there was such a capsule of this owner.
    func delete(_ id: String, owner: String) async throws -> Bool {
        try await database.write { tx in
            try tx.lock("capsule " + id)
            guard let capsule = try capsule(id, owner: owner, tx) else { return false }
            let answerBytes = try IdempotencyStore.forget(capsule.resource, of: owner, tx)
            if let media = capsule.media { try library.erase([media], owner: owner, tx) }
            try search.remove(kind: Self.kind, id: id, owner: owner, tx)
            let deleted = try tx.row("DELETE FROM capsule WHERE id = \(id) AND owner = \(owner) RETURNING row_bytes")
            try library.note(rowBytes: -(deleted?.get("row_bytes") ?? 0) - answerBytes, owner: owner, tx)
            try events.emit(.capsuleDeleted, CapsuleEvent(id, capsule.status), to: owner, tx)
            return true
        }
    }

    // MARK: Inside a transaction

    func capsule(_ id: String, owner: String, _ tx: ReadTransaction) throws -> StoredCapsule? {
        try tx.first("\(sql: StoredCapsule.table.select) WHERE id = \(id) AND owner = \(owner)", StoredCapsule.init)
    }
}
