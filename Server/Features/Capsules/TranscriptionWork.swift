import Blobs
import Core
import Database
import Intelligence
import Jobs
import KeepsakeWire
import Media
import MediaFrames
import MediaTools
import Search

/// Runs the transcription job, which stores the transcript of each segment. After a crash the next attempt resumes after the last stored
/// segment.
struct TranscriptionWork: Sendable {
    let store: CapsuleStore
    let blobs: any BlobStore
    let files: BlobFiles
    let library: MediaLibrary
    let recordings: RecordingTranscription
    /// Returns the engine that may transcribe the owner's recordings; `nil` when there is none.
    let transcriber: @Sendable (_ owner: String) async throws -> (any Transcriber)?

    func run(_ run: JobRun<TranscribeCapsule>) async throws {
        let id = run.payload.capsule
        let owner = try run.requireOwner()
        // Without an open capsule there is nothing to do: it was deleted meanwhile, or is completed.
        guard let capsule = try await store.capsule(id, owner: owner), capsule.status != .completed else { return }
        do {
            var result = CapsuleStore.TranscriptionResult(engine: "off")
            if let transcriber = try await transcriber(owner) {
                try await store.begin(id, owner: owner)
                result = try await listen(to: capsule, transcriber)
            }
            let found = result
            let words = SearchWords(found.transcript.map { [SearchDocument.Text(field: "transcript", text: $0.text)] } ?? [])
            try await run.complete { [store] tx in try store.finish(id, owner: owner, found, words, tx) }
        } catch {
            // The job has not failed if another attempt has it, or the server is stopping.
            guard !Task.isCancelled, !(error is LeaseLost), !(error is CapsuleStore.Superseded), !(error is CancellationError) else {
                throw error
            }
            throw Self.failure(error)
        }
    }

    /// Marks the capsule as failed, in the transaction that parks its job.
    func whenParked(_ job: TranscribeCapsule, _ owner: String?, _ reason: String, _ tx: WriteTransaction) throws {
        guard let owner else { return }
        try store.fail(job.capsule, owner: owner, reason: reason, tx)
    }

    private func listen(to capsule: StoredCapsule, _ transcriber: any Transcriber) async throws -> CapsuleStore.TranscriptionResult {
        guard let media = capsule.media, let blob = try await library.blob(media, owner: capsule.owner) else {
            throw JobFailure.permanent("the recording was deleted")
        }
        let start = try await store.transcribedUpTo(capsule, engine: transcriber.name)
        try await files.withFile(of: blob, in: blobs, for: capsule.owner) { descriptor in
            try await recordings.transcribe(descriptor, of: capsule.owner, from: start, by: transcriber) { segment, from, to in
                try await store.keep(segment, from: from, to: to, of: capsule, engine: transcriber.name)
            }
        }
        return try await store.result(capsule, engine: transcriber.name)
    }

    /// Maps an error to the failure that the job's row stores.
    private static func failure(_ error: any Error) -> JobFailure {
        switch error {
        case let failure as JobFailure: failure
        case TranscriberFailure.refused(let reason): .permanent(reason)
        case TranscriberFailure.unavailable(let reason, let after): .temporary(reason, after: after ?? .zero)
        case let failure as MediaFailure: .temporary("the recording was not decoded: \(failure)", after: .zero)
        case BlobError.missing: .temporary("the recording's bytes are missing, or on another node", after: .zero)
        default: .temporary("\(error)", after: .zero)
        }
    }
}
