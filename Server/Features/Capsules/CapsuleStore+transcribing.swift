import Core
import Database
import KeepsakeWire
import Live
import Media
import Search

/// The steps of the transcription job. Each step applies only to the status before it, so that repeating a step has no effect.
extension CapsuleStore {
    /// The result of transcribing a whole recording.
    struct TranscriptionResult: Sendable {
        var engine: String
        var language: String?
        /// `nil` when transcription is off.
        var transcript: StoredTranscript?
        var summary: String?
        var topics: [String] = []
    }

    func begin(_ id: String, owner: String) async throws {
        try await database.write { tx in
            let moved = try tx.run(
                """
                UPDATE capsule SET status = 'transcribing', updated_at = \(clock.now)
                WHERE id = \(id) AND owner = \(owner) AND status = 'processing'
                """)
            if moved == 1 { try events.emit(.capsuleUpdated, CapsuleEvent(id, .transcribing, progress: 0), to: owner, tx) }
        }
    }

    /// Completes the capsule, in the transaction that ends the job. A failed capsule may still complete, because an operator may retry its
    /// job.
    /// - Parameter split: the words of the transcript, which were split before the write.
    func finish(_ id: String, owner: String, _ result: TranscriptionResult, _ split: SearchWords, _ tx: WriteTransaction) throws {
        try tx.lock(Self.lock(id))
        guard var capsule = try capsule(id, owner: owner, tx), capsule.status != .completed else { return }
        let text = result.transcript?.text
        let words = try result.transcript.map { try Self.column($0.words) }
        let size = Int64((text?.utf8.count ?? 0) + (words?.utf8.count ?? 0))
        (capsule.summary, capsule.topics) = (result.summary, result.topics)
        let rowBytes = capsule.rowBytes(text: text, words: words)
        let counted: Int64? = try tx.row("SELECT row_bytes FROM capsule WHERE id = \(id) AND owner = \(owner)")?.get("row_bytes")
        // The bytes are added even if they exceed the quota: the server keeps the transcript of every recording that it accepted.
        try library.note(rowBytes: rowBytes - (counted ?? 0), owner: owner, tx)
        try tx.run(
            """
            UPDATE capsule SET status = 'completed', updated_at = \(clock.now), language = \(result.language), engine = \(result.engine),
                summary = \(result.summary), topics = \(TextList.encode(result.topics)), transcript_size = \(size), failure = NULL,
                row_bytes = \(rowBytes)
            WHERE id = \(id) AND owner = \(owner)
            """)
        try tx.run("DELETE FROM capsule_segment WHERE capsule = \(id) AND owner = \(owner)")
        if let text, let words {
            try tx.run(
                "INSERT INTO capsule_transcript (capsule, owner, text, words) VALUES (\(id), \(owner), \(text), \(words))")
            try search.put(
                SearchDocument(kind: Self.kind, id: id, owner: owner, at: capsule.createdAt, texts: [("transcript", text)]), split, tx)
        }
        try events.emit(.capsuleUpdated, CapsuleEvent(id, .completed), to: owner, tx)
    }

    /// - Parameter reason: the reason for operators; clients do not see it.
    func fail(_ id: String, owner: String, reason: String, _ tx: WriteTransaction) throws {
        let moved = try tx.run(
            """
            UPDATE capsule SET status = 'failed', updated_at = \(clock.now), failure = \(reason)
            WHERE id = \(id) AND owner = \(owner) AND status IN ('processing', 'transcribing')
            """)
        if moved == 1 { try events.emit(.capsuleUpdated, CapsuleEvent(id, .failed), to: owner, tx) }
    }
}
