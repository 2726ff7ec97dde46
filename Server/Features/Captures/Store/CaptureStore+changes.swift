import Blobs
import Core
import Database
import Foundation
import Jobs
import KeepsakeWire
import Live
import Media
import Search

/// Changes of stored captures.
extension CaptureStore {
    /// Writes all columns that may change. Call it under `lock`, with `rowBytes` set; the caller counts these bytes.
    /// - Parameter isAnalysedAgain: whether the capture is processed again from its first step.
    func change(_ row: inout StoredCapture, isAnalysedAgain: Bool, _ tx: WriteTransaction) throws {
        if isAnalysedAgain {
            row.version += 1
            row.status = .received
            row.error = nil
        }
        try tx.run(
            """
            UPDATE capture SET status = \(row.status.rawValue), photo_media = \(row.photo.media), photo_url = \(row.photo.url),
                audio_media = \(row.audio.media), audio_url = \(row.audio.url), sent = \(row.sent), transcription = \(row.transcription),
                transcription_engine = \(row.transcriptionEngine), analysis = \(row.analysisText), error = \(row.error),
                version = \(row.version), row_bytes = \(row.rowBytes)
            WHERE owner = \(row.owner) AND id = \(row.id)
            """)
        if isAnalysedAgain { try enqueueFirst([row], tx) }
    }

    /// Enqueues the first job of captures: a recording without a transcription is transcribed first.
    func enqueueFirst(_ rows: [StoredCapture], _ tx: WriteTransaction) throws {
        try jobs.enqueue(
            all: rows.filter { !$0.needsTranscription }.map { (AnalyseCapture(capture: $0.id, version: $0.version), $0.owner) }, tx)
        try jobs.enqueue(
            all: rows.filter(\.needsTranscription).map { (TranscribeCapture(capture: $0.id, version: $0.version), $0.owner) }, tx)
    }

    /// Replaces the transcription by the user's own and processes the capture again.
    /// - Parameter words: the words of `texts(of:)`, split before the write.
    /// - Returns: `nil` when the owner has no such capture.
    /// - Throws: `.tooLarge` when the words exceed the quota.
    func correct(_ id: String, owner: String, to transcription: String?, _ words: SearchWords) async throws -> Whole? {
        try await database.write { tx in
            try tx.lock(Self.lock(id, of: owner))
            guard var row = try capture(id, owner: owner, tx) else { return nil }
            let old = row
            row.transcription = transcription
            row.transcriptionEngine = StoredCapture.userEngine
            if row != old {
                // The old analysis is removed, because it would still contain the old words.
                row.analysisText = nil
                row.rowBytes = row.countedBytes
                try change(&row, isAnalysedAgain: true, tx)
                try search.put(row.document(nil), words, tx)
                try lockSummaries(of: owner, tx)
                try unquote([row], areDeleted: false, owner: owner, tx)
                try events.emit(.captureChanged, CaptureEvent(id: id), to: owner, tx)
                try library.count(rowBytes: row.rowBytes - old.rowBytes, owner: owner, tx)
            }
            return (row, try files(of: [id], owner: owner, tx)[id] ?? [])
        }
    }

    // MARK: Files

    /// Stores an uploaded file for a capture, in place of an earlier one of the same kind. If the capture has arrived already, it is
    /// processed again.
    /// - Returns: the response, and the staged blobs that duplicate stored bytes.
    /// - Throws: `.gone` when a capture of this id was deleted; `.tooLarge` when the file exceeds the owner's quota.
    func attach<Answer: Sendable>(
        _ file: MediaLibrary.File, _ kind: CaptureFileRow.Kind, type: MediaType, to id: String, owner: String,
        answering: @escaping @Sendable (WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey]) {
        // More than `namingLimit` captures refer to the earlier file only if they were stored before that limit existed. Those beyond the
        // limit lose the file here, and so do captures whose texts are too long for one write. The others lose it in the write below, so
        // only if the new file is stored.
        if let old = try await self.file(kind, of: id, owner: owner) {
            try await forgetMost(of: old.media, except: Self.namingLimit, owner: owner)
        }
        return try await database.write { tx in
            try tx.lock(Self.lock(id, of: owner))
            guard try tx.row(Self.tombstones([CaptureRules.tombstone(id, of: owner)])) == nil else { throw Problem.captureDeleted }
            let old = try tx.first(Self.file(kind, of: id, owner: owner), CaptureFileRow.init)
            let kept: [BlobKey]
            if let old {
                guard let replaced = try library.replace(old.media, with: file, owner: owner, tx) else {
                    throw Problem(.conflict, "The earlier file was being deleted. Try again.", retryAfter: .seconds(1))
                }
                kept = replaced.surplus
            } else {
                kept = try library.add([file], rowBytes: 0, owner: owner, tx)
            }
            // The row of the replaced file was deleted with its media. This deletes a row of this kind that may be left.
            try tx.run("DELETE FROM capture_file WHERE owner = \(owner) AND capture = \(id) AND kind = \(kind.rawValue)")
            try tx.run(
                CaptureFileRow.table.insert(
                    CaptureFileRow(owner: owner, capture: id, kind: kind, media: file.id, type: type.rawValue)))
            if var row = try capture(id, owner: owner, tx) {
                if kind == .audio, row.isTranscribedByEngine { (row.transcription, row.transcriptionEngine) = (nil, nil) }
                let oldBytes = row.rowBytes
                row.rowBytes = row.countedBytes
                try change(&row, isAnalysedAgain: true, tx)
                try library.note(rowBytes: row.rowBytes - oldBytes, owner: owner, tx)
            }
            return (try answering(tx), kept)
        }
    }
}

extension StoredCapture {
    /// Whether the capture's jobs have not ended yet.
    var isPending: Bool { status == .received || status == .processing }

    /// Whether the capture names a recording and has no transcription. The job checks whether the recording exists.
    var needsTranscription: Bool { transcription == nil && transcriptionEngine == nil && (audio.url != nil || audio.media != nil) }

    var isTranscribedByEngine: Bool {
        guard let engine = transcriptionEngine else { return true }
        return engine != Self.clientEngine && engine != Self.userEngine
    }
}
