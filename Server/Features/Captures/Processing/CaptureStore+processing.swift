import Core
import Database
import Intelligence
import Jobs
import KeepsakeWire
import Live
import Media
import Search

/// The effects of the pipeline's jobs. Each applies only to the version that its job has read, so repeating it changes nothing.
extension CaptureStore {
    /// What a job works on.
    struct Subject: Sendable {
        let capture: StoredCapture
        let photo: MediaLibrary.StoredFile?
        let sound: MediaLibrary.StoredFile?
        /// The names of the owner's contacts.
        let contacts: [String]
    }

    /// - Returns: `nil` when the capture was deleted or has changed since.
    func subject(_ id: String, version: Int64, owner: String) async throws -> Subject? {
        try await database.read { tx in
            guard let (capture, uploads) = try whole(id, owner: owner, tx), capture.version == version else { return nil }
            func media(_ kind: CaptureFileRow.Kind, _ link: CaptureLink) -> String? {
                uploads.first { $0.kind == kind }?.media ?? link.media
            }
            let (photo, sound) = (media(.photo, capture.photo), media(.audio, capture.audio))
            let files = try library.files([photo, sound].compactMap { $0 }, owner: owner, tx)
            return Subject(
                capture: capture, photo: files.first { $0.id == photo }, sound: files.first { $0.id == sound },
                contacts: try contactNames(of: owner, tx))
        }
    }

    func begin(_ id: String, version: Int64, owner: String) async throws {
        try await database.run(
            """
            UPDATE capture SET status = 'processing'
            WHERE owner = \(owner) AND id = \(id) AND version = \(version) AND status = 'received'
            """)
    }

    /// Stores the transcription, and enqueues the analysis.
    /// - Parameters:
    ///   - engine: the transcriber's name, or `off`.
    ///   - error: why nothing was transcribed.
    func keepTranscription(
        _ text: String?, engine: String, error: String?, of id: String, version: Int64, owner: String, _ tx: WriteTransaction
    ) throws {
        try apply(to: id, version: version, owner: owner, tx) { row in
            row.transcription = text.map { String($0.prefix(CaptureMessage.transcriptionLength)) }.flatMap { $0.isEmpty ? nil : $0 }
            row.transcriptionEngine = engine
            row.error = error
            row.status = .processing
        } then: { row in
            try jobs.enqueue(all: [(AnalyseCapture(capture: id, version: version), owner)], tx)
        }
    }

    /// Enqueues the transcription of a capture whose recording arrived after the capture itself.
    func transcribeFirst(_ id: String, version: Int64, owner: String, _ tx: WriteTransaction) throws {
        try jobs.enqueue(all: [(TranscribeCapture(capture: id, version: version), owner)], tx)
    }

    /// Enqueues the analysis of a capture that has a picture.
    func analysePicture(_ id: String, version: Int64, owner: String, _ tx: WriteTransaction) throws {
        try jobs.enqueue(all: [(AnalysePicture(capture: id, version: version), owner)], tx)
    }

    /// Stores the analysis, and enqueues the filing of the capture (`file`).
    func keep(_ analysis: CaptureAnalysis, of id: String, version: Int64, owner: String, _ tx: WriteTransaction) throws {
        try apply(to: id, version: version, owner: owner, tx) { row in
            row.analysis = analysis
            row.status = .processing
        } then: { row in
            try jobs.enqueue(all: [(FileCapture(capture: id, version: version), owner)], tx)
        }
    }

    /// Stores the local analysis in place of the configured engine's, unless a retry of that engine has succeeded meanwhile.
    func keep(standIn analysis: CaptureAnalysis, of id: String, version: Int64, owner: String, _ tx: WriteTransaction) throws {
        guard try !isAnalysed(id, version: version, owner: owner, tx) else { return }
        try keep(analysis, of: id, version: version, owner: owner, tx)
    }

    /// Whether the configured engine's analysis of this version has been filed. Locks the capture.
    private func isAnalysed(_ id: String, version: Int64, owner: String, _ tx: WriteTransaction) throws -> Bool {
        try tx.lock(Self.lock(id, of: owner))
        guard let row = try capture(id, owner: owner, tx), row.version == version, let analysis = row.analysis else { return false }
        return row.status == .processed && analysis.error == nil
    }

    /// Notes that no analysis could be made, and files the capture with what is known, for example an analysis of an earlier version.
    func fail(_ id: String, version: Int64, owner: String, reason: String, _ tx: WriteTransaction) throws {
        guard try !isAnalysed(id, version: version, owner: owner, tx) else { return }
        try apply(to: id, version: version, owner: owner, tx) { row in
            row.status = .failed
            row.error = reason
        } then: { row in
            try jobs.enqueue(all: [(FileCapture(capture: id, version: version), owner)], tx)
        }
    }

    func standIn(for id: String, version: Int64, owner: String, error: String, _ tx: WriteTransaction) throws {
        try jobs.enqueue(all: [(StandInForAnalysis(capture: id, version: version, error: error), owner)], tx)
    }

    /// The capture's analysis was replaced after the capture was read.
    struct Replaced: Error {}

    /// Updates contacts, search and the capture's hour, and notifies all sockets.
    /// - Parameters:
    ///   - seen: the capture as it was read before the write.
    ///   - words: the words of the capture's texts, split before the write.
    /// - Throws: `Replaced` when the capture's texts have changed since then.
    func file(_ seen: StoredCapture, _ words: SearchWords, _ tx: WriteTransaction) throws {
        let (id, owner) = (seen.id, seen.owner)
        try tx.lock(Self.lock(id, of: owner))
        guard var row = try capture(id, owner: owner, tx), row.version == seen.version else { return }
        guard row.transcription == seen.transcription, row.analysisText == seen.analysisText else { throw Replaced() }
        try lockSummaries(of: owner, tx)
        let (analysis, oldBytes) = (row.analysis, row.rowBytes)
        var growth = try mention(analysis?.mentionedNames ?? [], in: row, tx)
        try search.put(row.document(analysis), words, tx)
        if row.status != .failed { row.status = .processed }
        row.rowBytes = row.countedBytes
        growth += row.rowBytes - oldBytes
        try tx.run(
            """
            UPDATE capture SET status = \(row.status.rawValue), row_bytes = \(row.rowBytes) WHERE owner = \(owner) AND id = \(id)
            """)
        try touch(row.hour, owner: owner, tx)
        try events.emit(.captureProcessed, ProcessedEvent(id: id, date: row.hour.day), to: owner, tx)
        // This may exceed the quota: the server keeps the analysis of every capture that it acknowledged.
        try library.note(rowBytes: growth, owner: owner, tx)
    }

    private func apply(
        to id: String, version: Int64, owner: String, _ tx: WriteTransaction, _ change: (inout StoredCapture) -> Void,
        then: (StoredCapture) throws -> Void
    ) throws {
        try tx.lock(Self.lock(id, of: owner))
        guard var row = try capture(id, owner: owner, tx), row.version == version else { return }
        change(&row)
        // This statement does not change `row_bytes`: `file` counts the bytes when it ends the processing.
        try tx.run(
            """
            UPDATE capture SET status = \(row.status.rawValue), transcription = \(row.transcription),
                transcription_engine = \(row.transcriptionEngine), analysis = \(row.analysisText), error = \(row.error)
            WHERE owner = \(owner) AND id = \(id)
            """)
        try then(row)
    }
}

/// The payload of `capture.processed`.
struct ProcessedEvent: Codable, Sendable {
    let id: String
    /// The user's day on which the capture was made.
    let date: String
}
