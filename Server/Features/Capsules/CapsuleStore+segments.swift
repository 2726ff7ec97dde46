import Core
import Database
import Foundation
import Intelligence
import KeepsakeWire
import Live

/// The transcripts of the segments that have been transcribed.
extension CapsuleStore {
    /// The error when another attempt has stored this segment already, or the capsule was deleted.
    struct Superseded: Error, CustomStringConvertible {
        let description = "another attempt has transcribed this segment"
    }

    /// Deletes the segments of other engines, because a transcript comes from one engine only.
    /// - Returns: how far the recording has been transcribed, in milliseconds.
    func transcribedUpTo(_ capsule: StoredCapsule, engine: String) async throws -> Int64 {
        try await database.write { tx in
            try tx.run("DELETE FROM capsule_segment WHERE capsule = \(capsule.id) AND owner = \(capsule.owner) AND engine <> \(engine)")
            return try tx.row(Self.lastSegment(of: capsule))?.get("ends_ms") ?? 0
        }
    }

    static func lastSegment(of capsule: StoredCapsule) -> SQL {
        """
        SELECT ends_ms FROM capsule_segment WHERE capsule = \(capsule.id) AND owner = \(capsule.owner)
        ORDER BY starts_ms DESC LIMIT 1
        """
    }

    /// - Parameters:
    ///   - start: where the segment starts, which is the previous segment's end; in milliseconds.
    ///   - end: where the segment ends, in milliseconds.
    /// - Throws: `Superseded` unless the previous segment is the last one stored.
    func keep(_ segment: SegmentTranscript, from start: Int64, to end: Int64, of capsule: StoredCapsule, engine: String) async throws {
        let offset = Double(start) / 1_000
        func moved(_ time: Double) -> Double { ((time + offset) * 1_000).rounded() / 1_000 }
        let words = try Self.column(
            segment.words.map {
                SpokenWord(text: $0.text, start: moved($0.start), end: moved($0.end), confidence: $0.confidence)
            })
        // The progress stays below 1, because 1 means completed.
        let progress = min(0.99, (Double(end) * 1_000 / Double(capsule.duration) * 100).rounded() / 100)
        try await database.write { tx in
            try tx.lock(Self.lock(capsule.id))
            let last: Int64 = try tx.row(Self.lastSegment(of: capsule))?.get("ends_ms") ?? 0
            guard last == start, let now = try self.capsule(capsule.id, owner: capsule.owner, tx) else { throw Superseded() }
            try tx.run(
                """
                INSERT INTO capsule_segment (capsule, starts_ms, ends_ms, owner, engine, language, text, words)
                VALUES (\(capsule.id), \(start), \(end), \(capsule.owner), \(engine), \(segment.language), \(segment.text), \(words))
                """)
            // A capsule that failed and is transcribed again emits no event about its progress, only one about its completion.
            guard now.status == .transcribing else { return }
            try events.emit(.capsuleUpdated, CapsuleEvent(capsule.id, now.status, progress: progress), to: capsule.owner, tx)
        }
    }

    /// Joins the transcripts of all segments.
    func result(_ capsule: StoredCapsule, engine: String) async throws -> TranscriptionResult {
        let rows = try await database.read { tx in try tx.rows(Self.segments(of: capsule)) }
        var texts: [String] = []
        var words: [SpokenWord] = []
        var language: String?
        for row in rows {
            texts.append(try row.get("text"))
            words += try Self.words(row.get("words"))
            language = try language ?? row.get("language", as: String?.self)
        }
        let text = RecordingTranscription.joined(texts)
        let extract = Extract(text)
        return TranscriptionResult(
            engine: engine, language: language, transcript: StoredTranscript(text: text, words: words), summary: extract.summary,
            topics: extract.topics)
    }

    static func segments(of capsule: StoredCapsule) -> SQL {
        """
        SELECT language, text, words FROM capsule_segment WHERE capsule = \(capsule.id) AND owner = \(capsule.owner)
        ORDER BY starts_ms
        """
    }
}
