import Blobs
import Core
import Database
import Jobs
import KeepsakeWire
import Live
import Media
import Search
import Web

/// All SQL of the table `capsule` and of the tables that belong to it.
struct CapsuleStore: Sendable {
    let database: any Database
    let library: MediaLibrary
    let search: SearchIndex
    let events: EventLog
    let jobs: JobQueue
    let clock: WallClock

    /// The kind of a capsule in the search index and in stored responses.
    static let kind = "capsule"

    /// - Parameter answering: makes the response inside the transaction, so that the response is stored together with the row.
    /// - Throws: `.tooLarge` when the row exceeds the owner's quota.
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

    /// - Returns: `nil` when the capsule does not exist or belongs to another account.
    func capsule(_ id: String, owner: String) async throws -> StoredCapsule? {
        try await database.read { tx in try capsule(id, owner: owner, tx) }
    }

    /// The name of the lock for writes that read a capsule and then change it.
    static func lock(_ id: String) -> String { "capsule " + id }

    /// As `capsule`, but also `nil` once the account is closed or suspended, and if the owner has recovered the account since the link was
    /// made, because an intruder may have made it. An upload by link has no credential that the server could refuse then.
    func uploadable(_ id: String, by link: UploadLink) async throws -> StoredCapsule? {
        try await database.read { tx in try uploadable(id, by: link, tx) }
    }

    private func uploadable(_ id: String, by link: UploadLink, _ tx: ReadTransaction) throws -> StoredCapsule? {
        let madeAt = link.expiresAt - PutAudio.lifetime
        return try tx.first(Self.uploadable(id, owner: link.owner, linkMadeAt: madeAt), StoredCapsule.init)
    }

    static func uploadable(_ id: String, owner: String, linkMadeAt: Timestamp) -> SQL {
        """
        \(sql: StoredCapsule.table.select) JOIN account ON account.id = capsule.owner
        WHERE capsule.id = \(id) AND capsule.owner = \(owner) AND account.closed_at IS NULL AND account.suspended_at IS NULL
            AND (account.recovered_at IS NULL OR account.recovered_at < \(linkMadeAt))
        """
    }

    /// - Returns: the capsule with its transcript; `nil` in the same cases as `capsule`.
    func whole(_ id: String, owner: String) async throws -> (StoredCapsule, StoredTranscript?)? {
        try await database.read { tx in
            guard let capsule = try capsule(id, owner: owner, tx) else { return nil }
            return (capsule, try transcripts(of: [capsule], tx)[id])
        }
    }

    /// Attaches the recording to a capsule, once. A retry with the same bytes changes nothing.
    /// - Parameter link: the link that the client used instead of a credential.
    /// - Returns: the response, and the staged blobs that duplicate stored bytes; `nil` when the owner has no such capsule.
    /// - Throws: `.conflict` when the capsule has another recording; `.tooLarge` when the recording exceeds the owner's quota.
    func attach<Answer: Sendable>(
        _ file: MediaLibrary.File, to id: String, owner: String, by link: UploadLink? = nil,
        answering: @escaping @Sendable (StoredCapsule, WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey])? {
        try await database.write { tx in
            try tx.lock(Self.lock(id))
            let found = if let link { try uploadable(id, by: link, tx) } else { try capsule(id, owner: owner, tx) }
            guard var capsule = found else { return nil }
            if capsule.hasRecording {
                guard capsule.sha256 == file.sha256 else { throw Problem.hasSound }
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

    /// Enqueues a capsule's transcription. Changes nothing if the transcription was enqueued before.
    /// - Returns: the capsule, and its transcript if there is one; `nil` when the owner has no such capsule.
    /// - Throws: `.conflict` when the capsule has no recording.
    func complete(_ id: String, owner: String) async throws -> (StoredCapsule, StoredTranscript?)? {
        try await database.write { tx in
            try tx.lock(Self.lock(id))
            guard var capsule = try capsule(id, owner: owner, tx) else { return nil }
            guard capsule.status == .uploading else { return (capsule, try transcripts(of: [capsule], tx)[id]) }
            guard capsule.media != nil else { throw Problem(.conflict, "The capsule has no audio yet. Upload it first.") }
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

    /// Deletes the capsule, its recording, its transcript and the stored responses that name them.
    /// - Returns: whether the owner had such a capsule.
    func delete(_ id: String, owner: String) async throws -> Bool {
        if let media = try await capsule(id, owner: owner)?.media { try await library.prepareErasing([media], owner: owner) }
        return try await database.write { tx in
            try tx.lock(Self.lock(id))
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
