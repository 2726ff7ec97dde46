import Accounts
import Blobs
import Core
import Database
import Intelligence
import Jobs
import Media
import MediaTools
import Search
import Web

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs the jobs of the pipeline.
struct CaptureProcessing: Sendable {
    let store: CaptureStore
    let blobs: any BlobStore
    let files: BlobFiles
    /// Separate from `files`, because a transcription keeps its file for minutes.
    let recordingFiles: BlobFiles
    let recordings: RecordingTranscription
    let engines: Engines
    /// The jobs wait, for a bounded time, while captures wait for their acknowledgement.
    let inbox: CaptureInbox
    /// Splitting a long text into words keeps a processor busy for a tenth of a second. Accounts take turns.
    let splitting = FairWork(FairSemaphore.Limits(permits: 1, permitsPerKey: 1, waiting: 1_024, waitingPerKey: 64))

    func transcribe(_ run: JobRun<TranscribeCapture>) async throws {
        let (id, version) = (run.payload.capture, run.payload.version)
        let owner = try run.requireOwner()
        guard let subject = try await store.subject(id, version: version, owner: owner) else { return }
        do {
            var (text, engine): (String?, String) = (nil, "off")
            let transcriber = engines.transcriber(outside: try await store.accounts.allowsOutsideEngines(owner))
            if let transcriber, let sound = subject.sound {
                try await store.begin(id, version: version, owner: owner)
                text = try await listen(to: sound, of: owner, transcriber)
                engine = transcriber.name
            } else if subject.sound == nil {
                engine = "none"
            }
            let (found, name) = (text, engine)
            try await run.complete { [store] tx in
                try store.keepTranscription(found, engine: name, error: nil, of: id, version: version, owner: owner, tx)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Lets the capture be analysed without its words; `keepsake jobs retry` transcribes it after all.
    func whenParked(_ job: TranscribeCapture, _ owner: String?, _ reason: String, _ tx: WriteTransaction) throws {
        guard let owner else { return }
        try store.keepTranscription(
            nil, engine: "none", error: "The recording was not transcribed: \(reason)", of: job.capture, version: job.version, owner: owner,
            tx)
    }

    func analyse(_ run: JobRun<AnalyseCapture>) async throws {
        let (id, version) = (run.payload.capture, run.payload.version)
        let owner = try run.requireOwner()
        await inbox.waitForEarlierCaptures()
        guard let subject = try await store.subject(id, version: version, owner: owner) else { return }
        if subject.sound != nil, subject.capture.transcription == nil, subject.capture.transcriptionEngine == nil {
            return try await run.complete { [store] tx in try store.transcribeFirst(id, version: version, owner: owner, tx) }
        }
        if subject.photo != nil {
            return try await run.complete { [store] tx in try store.analysePicture(id, version: version, owner: owner, tx) }
        }
        try await keepAnalysis(of: subject, version: version, run)
    }

    func analysePicture(_ run: JobRun<AnalysePicture>) async throws {
        let owner = try run.requireOwner()
        await inbox.waitForEarlierCaptures()
        let version = run.payload.version
        guard let subject = try await store.subject(run.payload.capture, version: version, owner: owner) else { return }
        try await keepAnalysis(of: subject, version: version, run)
    }

    private func keepAnalysis<J: Job>(of subject: CaptureStore.Subject, version: Int64, _ run: JobRun<J>) async throws {
        let (id, owner) = (subject.capture.id, subject.capture.owner)
        do {
            let outside = try await store.accounts.allowsOutsideEngines(owner)
            let analysis = try await engines.analyzer(outside: outside).analyse(try await input(subject))
            try await run.complete { [store] tx in try store.keep(analysis, of: id, version: version, owner: owner, tx) }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Keeps the local analysis instead; `keepsake jobs retry` runs the provider again and replaces the local analysis.
    func whenParked(_ job: AnalyseCapture, _ owner: String?, _ reason: String, _ tx: WriteTransaction) throws {
        guard let owner else { return }
        try store.standIn(for: job.capture, version: job.version, owner: owner, error: String(reason.prefix(1_000)), tx)
    }

    func whenParked(_ job: AnalysePicture, _ owner: String?, _ reason: String, _ tx: WriteTransaction) throws {
        try whenParked(AnalyseCapture(capture: job.capture, version: job.version), owner, reason, tx)
    }

    func standIn(_ run: JobRun<StandInForAnalysis>) async throws {
        let job = run.payload
        let owner = try run.requireOwner()
        await inbox.waitForEarlierCaptures()
        guard let subject = try await store.subject(job.capture, version: job.version, owner: owner) else { return }
        do {
            // No other analysis replaces this one. So if the picture cannot be read, this leaves its text out, because the words alone are
            // worth analysing.
            let analysis = try await engines.fallback(try await input(subject, needsPictureText: false), error: job.error)
            try await run.complete { [store] tx in
                try store.keep(standIn: analysis, of: job.capture, version: job.version, owner: owner, tx)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    func whenParked(_ job: StandInForAnalysis, _ owner: String?, _ reason: String, _ tx: WriteTransaction) throws {
        guard let owner else { return }
        try store.fail(job.capture, version: job.version, owner: owner, reason: reason, tx)
    }

    func file(_ run: JobRun<FileCapture>) async throws {
        let job = run.payload
        let owner = try run.requireOwner()
        await inbox.waitForEarlierCaptures()
        for _ in 1...3 {
            guard let seen = try await store.whole(job.capture, owner: owner)?.capture, seen.version == job.version else { return }
            let words = try await words(of: seen)
            do {
                return try await run.complete { [store] tx in try store.file(seen, words, tx) }
            } catch is CaptureStore.Replaced {
                // Try again: the words must be those of the new analysis.
            }
        }
        throw JobFailure.temporary("the analysis was replaced several times meanwhile", after: .zero)
    }

    /// The words for the index, split before the write that stores them.
    private func words(of capture: StoredCapture) async throws -> SearchWords {
        let texts = capture.document(capture.analysis).texts
        guard texts.reduce(0, { $0 + $1.text.utf8.count }) > LongWork.textByteCount else { return SearchWords(texts) }
        let turn: FairSemaphore.Permit
        do {
            turn = try await splitting.turn(Requester(account: capture.owner, network: nil))
        } catch let problem as Problem {
            throw JobFailure.temporary("too many captures wait for their words", after: problem.retryAfter ?? .zero)
        }
        defer { turn.release() }
        return try await splitting.compute { SearchWords(texts) }
    }

    // MARK: What engines get

    /// - Parameter needsPictureText: `false` leaves out the picture's text when it cannot be read.
    private func input(_ subject: CaptureStore.Subject, needsPictureText: Bool = true) async throws -> CaptureInput {
        let capture = subject.capture
        let picture = subject.photo.map { file($0, of: capture.owner) }
        let text = try await picture.asyncMap { picture -> String? in
            do {
                return try await engines.pictureText.text(of: picture, owner: capture.owner)
            } catch {
                guard !needsPictureText else { throw error }
                try Task.checkCancellation()
                return nil
            }
        }
        return CaptureInput(
            capture: capture.id, owner: capture.owner, at: capture.at, zone: capture.hour.timeZone, transcription: capture.transcription,
            imageText: text ?? nil, picture: picture, sound: subject.sound.map { file($0, of: capture.owner) },
            contacts: subject.contacts)
    }

    private func file(_ file: MediaLibrary.StoredFile, of owner: String) -> CaptureFile {
        CaptureFile(contentType: file.type.rawValue, byteCount: file.byteCount, pixelCount: file.pixelCount) { [blobs, files] in
            // The engine closes the duplicate. A temporary copy has no name, so the system deletes it when its last descriptor is closed.
            // The number of jobs bounds the copies.
            let descriptor = try await files.withFile(of: file.blob, in: blobs, for: owner) { dup($0) }
            guard descriptor >= 0 else { throw BlobError.system(operation: "dup", code: errno) }
            return descriptor
        }
    }

    private func listen(to sound: MediaLibrary.StoredFile, of owner: String, _ transcriber: any Transcriber) async throws -> String {
        try await recordingFiles.withFile(of: sound.blob, in: blobs, for: owner) { descriptor in
            var texts: [String] = []
            try await recordings.transcribe(descriptor, of: owner, by: transcriber) { segment, _, _ in texts.append(segment.text) }
            return RecordingTranscription.joined(texts)
        }
    }

    /// Maps an error to the failure that the job's row stores.
    private static func failure(_ error: any Error) -> any Error {
        // Another attempt has the job, or the server stops: the job has not failed.
        guard !Task.isCancelled, !(error is LeaseLost), !(error is CancellationError) else { return error }
        return switch error {
        case let failure as JobFailure: failure
        case TranscriberFailure.refused(let reason), EngineFailure.refused(let reason): JobFailure.permanent(reason)
        case TranscriberFailure.unavailable(let reason, let after), EngineFailure.unavailable(let reason, let after):
            JobFailure.temporary(reason, after: after ?? .zero)
        case let failure as MediaFailure: JobFailure.temporary("the file was not decoded: \(failure)", after: .zero)
        case BlobError.missing: JobFailure.temporary("the file's bytes are not on this node", after: .zero)
        default: error
        }
    }
}

extension Optional {
    fileprivate func asyncMap<T>(_ transform: (Wrapped) async throws -> T) async rethrows -> T? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
