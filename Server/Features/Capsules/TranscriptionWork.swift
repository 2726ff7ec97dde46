import Blobs
import Core
import Database
import Intelligence
import Jobs
import KeepsakeWire
import Media
import MediaFrames
import MediaTools

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs the transcription job: decodes the recording, cuts it into segments where it is silent, transcribes each segment and stores its
/// transcript. After a crash the next attempt resumes after the last stored segment.
struct TranscriptionWork: Sendable {
    let store: CapsuleStore
    let blobs: any BlobStore
    let library: MediaLibrary
    let workers: MediaWorkers
    /// `nil` when transcription is off.
    let transcriber: (any Transcriber)?

    /// How much of the recording is decoded at a time: 10 MB of samples.
    static let decodedLength: Duration = .seconds(300)

    func run(_ run: JobRun<TranscribeCapsule>) async throws {
        let id = run.payload.capsule
        guard let owner = run.owner else { throw JobFailure.permanent("the job names no owner") }
        // The capsule was deleted meanwhile, or is done.
        guard let capsule = try await store.capsule(id, owner: owner), capsule.status != .completed else { return }
        do {
            var result = CapsuleStore.TranscriptionResult(engine: "off")
            if let transcriber {
                try await store.begin(id, owner: owner)
                result = try await listen(to: capsule, transcriber)
            }
            let found = result
            try await run.complete { [store] tx in try store.finish(id, owner: owner, found, tx) }
        } catch {
            // Another attempt has the job, or the server stops: the job has not failed.
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
        guard let descriptor = try await blobs.open(blob).duplicateDescriptor() else { throw BlobError.missing(blob) }
        defer { close(descriptor) }
        var at = try await store.transcribedUpTo(capsule, engine: transcriber.name)
        let segmenter = SpeechSegmenter(longest: transcriber.longestSegment)
        while true {
            // Decodes in the owner's name, because the worker queue is fair among accounts.
            let samples = try await Requester(account: capsule.owner, network: nil).run { [at] in
                try await workers.speech(descriptor, from: .milliseconds(at), lasting: Self.decodedLength)
            }
            // Fewer samples than requested: the recording has ended.
            let isEnd = Speech(samples: samples).milliseconds < Self.decodedLength.wholeMicroseconds / 1_000
            for piece in segmenter.cut(samples, isEnd: isEnd) {
                try Task.checkCancellation()
                let speech = Speech(samples: Array(samples[piece.bytes]))
                guard speech.milliseconds > 0 else { continue }
                let segment =
                    piece.isSilent ? SegmentTranscript(text: "", language: nil, words: []) : try await transcriber.transcribe(speech)
                try await store.keep(segment, from: at, to: at + speech.milliseconds, of: capsule, engine: transcriber.name)
                at += speech.milliseconds
            }
            if isEnd { return try await store.result(capsule, engine: transcriber.name) }
        }
    }

    /// Maps an error to the failure that the job's row stores.
    private static func failure(_ error: any Error) -> JobFailure {
        switch error {
        case let failure as JobFailure: failure
        case TranscriberFailure.refused(let reason): .permanent(reason)
        case TranscriberFailure.unavailable(let reason, let after): .temporary(reason, after: after ?? .zero)
        case let failure as MediaFailure: .temporary("the recording was not decoded: \(failure)", after: .zero)
        case BlobError.missing: .temporary("the recording's bytes are not on this node", after: .zero)
        default: .temporary("\(error)", after: .zero)
        }
    }
}
