import Blobs
import Core
import Database
import Intelligence
import Jobs
import Media
import MediaFrames
import MediaTools
import Search
import Web

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads the text of a picture, or of a document that the server could not read while the upload waited. An account has one such job at a
/// time, so that accounts take turns.
struct ReadChatFile: Job {
    static let kind = "chat/read-file"
    static let policy = JobPolicy(attempts: 4, firstBackoff: .seconds(5), longestBackoff: .minutes(5), timeout: .minutes(5))
    /// The most of these jobs at a time. Two documents and two pictures are read at a time. Further jobs would only wait: they would occupy
    /// places of the runner, which jobs of captures need, and their attempts could time out.
    static let most = DocumentReader.jobCount + 2

    let file: String
}

/// Reads the texts of documents and pictures.
struct ChatFileTexts: Sendable {
    let store: ChatFileStore
    let documents: DocumentReader
    let pictures: PictureTextReader
    let blobs: any BlobStore
    let files: BlobFiles
    /// How long the job may spend on one document.
    let jobTime: Duration
    /// Splits long texts into words, one at a time. A text keeps a processor busy for some time.
    let splitting = FairWork(FairSemaphore.Limits(permits: 1, permitsPerKey: 1, waiting: 1_024, waitingPerKey: 64))

    /// The result of reading the text while the upload waits.
    enum Outcome: Sendable, Equatable {
        case text(String)
        case none
        /// A job reads it later.
        case deferred
    }

    /// Reads a document, within `ChatFileRules.answerTime`, or within a second while documents of other accounts wait. It leaves pictures
    /// to the job, because reading one takes a processor core for seconds.
    /// - Throws: `CancellationError`.
    func readWithinRequest(_ key: BlobKey, _ type: ChatFileType, owner: String) async throws -> Outcome {
        guard !type.isImage else { return .deferred }
        guard type.document != nil else { return .none }
        return try await withThrowingTaskGroup(of: Outcome.self) { group in
            group.addTask {
                do {
                    let text = try await read(key, type, owner: owner, from: .request, timeout: ChatFileRules.answerTime)
                    return text.map(Outcome.text) ?? .none
                } catch {
                    // Too many documents wait, the node's disk is full, or the reading takes too long, or took a second while others
                    // wait. The job tries again later.
                    try Task.checkCancellation()
                    return .deferred
                }
            }
            group.addTask {
                try await Task.sleep(for: ChatFileRules.answerTime)
                return .deferred
            }
            defer { group.cancelAll() }
            return try await group.next() ?? .deferred
        }
    }

    func run(_ run: JobRun<ReadChatFile>) async throws {
        let owner = try run.requireOwner()
        let id = run.payload.file
        let text = try await text(of: id, owner: owner)
        // Split the text before the write: splitting a long text inside it would delay all other writes. The file's name cannot change
        // meanwhile.
        let file = try await text == nil ? nil : store.file(id, owner: owner)
        let words: SearchWords? = if let file { try await self.words(file, text) } else { nil }
        try await run.complete { [store] tx in try store.finishReading(text, of: id, owner: owner, words: words, tx) }
    }

    private func words(_ file: ChatFile, _ text: String?) async throws -> SearchWords {
        let texts = ChatFileStore.document(file, text).texts
        guard texts.reduce(0, { $0 + $1.text.utf8.count }) > LongWork.textByteCount else { return SearchWords(texts) }
        let turn: FairSemaphore.Permit
        do {
            turn = try await splitting.turn(Requester(account: file.owner, network: nil))
        } catch let problem as Problem {
            throw JobFailure.temporary("too many documents wait for their words", after: problem.retryAfter ?? .zero)
        }
        defer { turn.release() }
        return try await splitting.compute { SearchWords(texts) }
    }

    /// - Returns: `nil` also when the file does not exist any more, or its text is not pending.
    private func text(of id: String, owner: String) async throws -> String? {
        guard let file = try await store.file(id, owner: owner), file.textState == .pending,
            let key = try await store.library.blob(id, owner: owner)
        else { return nil }
        do {
            return try await file.isImage ? picture(key, file) : read(key, file.type, owner: owner, from: .job, timeout: jobTime)
        } catch EngineFailure.refused {
            return nil
        } catch EngineFailure.unavailable(let reason, let after) {
            throw JobFailure.temporary(reason, after: after ?? .zero)
        } catch MediaFailure.timedOut {
            // Another attempt would also time out, so the file gets no text.
            return nil
        } catch let problem as Problem {
            throw JobFailure.temporary("the document was not read: \(problem.message)", after: problem.retryAfter ?? .zero)
        }
    }

    /// Marks the file as read, without a text. `keepsake jobs retry` does not read it again.
    func whenParked(_ job: ReadChatFile, _ owner: String?, _ reason: String, _ tx: WriteTransaction) throws {
        if let owner { try store.finishReading(nil, of: job.file, owner: owner, tx) }
    }

    private func read(
        _ key: BlobKey, _ type: ChatFileType, owner: String, from caller: DocumentReader.Caller, timeout: Duration
    ) async throws -> String? {
        guard let kind = type.document?.kind else { return nil }
        // In a job, the network is `nil`.
        let requester = Requester(account: owner, network: Requester.current.network)
        return try await documents.text(of: kind, for: requester, from: caller, timeout: timeout) { read in
            try await files.withFile(of: key, in: blobs, isLong: true, for: owner) { try await read($0) }
        }
    }

    private func picture(_ key: BlobKey, _ file: ChatFile) async throws -> String? {
        let pixelCount = (file.width ?? 0) * (file.height ?? 0)
        let picture = CaptureFile(contentType: file.type.rawValue, byteCount: file.byteCount, pixelCount: pixelCount) { [blobs, files] in
            // The reader closes the duplicate. A temporary copy has no name, so the system deletes it when its last descriptor closes.
            let descriptor = try await files.withFile(of: key, in: blobs, for: file.owner) { dup($0) }
            guard descriptor >= 0 else { throw BlobError.system(operation: "dup", code: errno) }
            return descriptor
        }
        return try await pictures.text(of: picture, owner: file.owner)
    }
}
