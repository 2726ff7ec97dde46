package import Blobs
package import Core
import Crypto
import Dispatch
package import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Stores blobs as objects of an S3 bucket: `PREFIXblobs/KEY`. A blob has its final name from the moment it is complete, and only its row
/// makes it live; so publishing costs nothing. The checkpointed bytes of a resumable blob are in an unfinished multipart upload of that
/// name and in the object `PREFIXstaging/KEY/LENGTH`.
package final class S3BlobStore: BlobStore {
    let client: S3Client
    let threads = NIOThreadPool(numberOfThreads: 4)
    /// The turns of the accounts and networks at these threads. On a slow disk, the parts of an upload otherwise wait for those of all
    /// others.
    let turns: DiskTurns
    let budget: S3SendBudget
    let finished = FinishedBlobs()
    private let scratchFolder: String
    private let clock: WallClock
    private let entropy: Entropy
    private let logger: Logger
    private let background = Mutex(Background())
    /// The current writer of each resumable blob of this process. `resume` ends it first.
    private let resumables = Mutex<[BlobKey: WeakWriter]>([:])

    private struct WeakWriter {
        weak var writer: S3BlobWriter?
    }

    private struct Background {
        var next = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        var isClosed = false
    }

    package struct Options: Sendable {
        /// The most parts that all uploads together send at the same time, beyond one for each upload.
        package var extraParts = 8
        /// The most times that a request is sent.
        package var attempts = 6
        /// The longest wait before the second attempt.
        package var firstPause = Duration.milliseconds(100)
        /// Ends an attempt when the connection carries no bytes for this time.
        package var idle = Duration.seconds(30)
        /// IP addresses by host name, which replace DNS; for tests.
        package var resolving: [String: String] = [:]
        package var observe: @Sendable (S3Observation) -> Void = { _ in }

        package init() {}
    }

    private init(
        _ address: S3Address, _ credentials: S3Credentials, _ scratchFolder: String, _ clock: WallClock, _ entropy: Entropy,
        _ logger: Logger, _ options: Options
    ) {
        var pacing = S3Client.Pacing()
        (pacing.attempts, pacing.first, pacing.idle) = (options.attempts, options.firstPause, options.idle)
        client = S3Client(
            address, credentials, clock: clock, pacing: pacing, resolving: options.resolving, logger: logger, observe: options.observe)
        budget = S3SendBudget(options.extraParts)
        turns = DiskTurns(threads)
        self.scratchFolder = scratchFolder
        self.clock = clock
        self.entropy = entropy
        self.logger = logger
        threads._start(threadNamePrefix: "s3-parts-")
    }

    deinit {
        // If the owner did not call `close`, the threads must still not outlive the store.
        threads.shutdownGracefully(queue: .global()) { _ in }
    }

    /// Sends no request: the server starts also while the object store is away.
    /// - Parameter scratchFolder: where uploads keep the part that is being received, in files without a name.
    package static func open(
        _ address: S3Address, _ credentials: S3Credentials, scratchFolder: String, clock: WallClock = .system,
        entropy: Entropy = .system, logger: Logger, options: Options = Options()
    ) async throws -> S3BlobStore {
        S3BlobStore(address, credentials, scratchFolder, clock, entropy, logger, options)
    }

    package func close() async {
        let tasks = background.withLock { background in
            background.isClosed = true
            return Array(background.tasks.values)
        }
        for task in tasks { await task.value }
        await client.close()
    }

    // MARK: Writing

    package func stage(isResumable: Bool) async throws -> any BlobWriter {
        let writer = S3BlobWriter(key: newKey(), stagedAt: clock.now, isResumable: isResumable, store: self)
        if isResumable { register(writer) }
        return writer
    }

    package func stage(as key: BlobKey) async throws -> any BlobWriter {
        S3BlobWriter(key: key, stagedAt: clock.now, isResumable: false, ownsKey: false, store: self)
    }

    package func resume(_ checkpoint: BlobCheckpoint) async throws -> any BlobWriter {
        guard checkpoint.stagedAt >= clock.now - BlobLimits.publishing else { throw BlobError.stale(checkpoint.key) }
        let earlier = await resumables.withLock { $0[checkpoint.key]?.writer }?.leave()
        let writer =
            if let earlier, earlier.byteCount == checkpoint.byteCount, checkpoint.byteCount > 0 {
                try await resume(checkpoint, at: earlier)
            } else {
                try await takeOver(checkpoint)
            }
        register(writer)
        return writer
    }

    func newKey() -> BlobKey { BlobKey(entropy: entropy) }

    private func register(_ writer: S3BlobWriter) {
        resumables.withLock { resumables in
            // Remove entries whose writer no longer exists.
            if resumables.count > 1_000 { resumables = resumables.filter { $1.writer != nil } }
            resumables[writer.key] = WeakWriter(writer: writer)
        }
    }

    func makePartFile() throws -> PartFile { try PartFile(in: scratchFolder, entropy: entropy, turns: turns) }

    /// Reads a whole blob for its hash.
    func hash(of key: BlobKey, _ byteCount: Int64) async throws -> String {
        var sha256 = SHA256()
        for try await chunk in S3BlobReader(key: key, byteCount: byteCount, beginning: ByteBuffer(), client: client)
            .chunks(in: 0..<byteCount)
        {
            chunk.withUnsafeReadableBytes { sha256.update(bufferPointer: $0) }
        }
        return Hex.encode(sha256.finalize())
    }

    package func publish(_ staged: [StagedBlob]) async throws {
        let limit = clock.now - BlobLimits.publishing
        for blob in staged where blob.stagedAt < limit { throw BlobError.stale(blob.key) }
        // Nobody else knows the key of a blob that this process has finished, so nobody else has deleted it. Only other blobs are looked
        // up.
        let unknown = staged.map(\.key).filter { !finished.contains($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for key in unknown {
                group.addTask { [client] in
                    guard try await mapped(key, { try await client.head(S3Names.blob(key)) }) != nil else { throw BlobError.missing(key) }
                }
            }
            try await group.waitForAll()
        }
        let leftovers = staged.flatMap { finished.remove($0.key) }
        if !leftovers.isEmpty { inBackground { [client] in for name in leftovers { try await client.delete(name) } } }
    }

    // MARK: Reading

    /// How many first bytes `open` requests together with the length. Most smaller blobs are copies of pictures.
    private static let beginningByteCount = 65_536

    package func open(_ key: BlobKey) async throws -> any BlobReader {
        try await mapped(key) {
            guard let found = try await client.getFirstBytes(S3Names.blob(key), count: Self.beginningByteCount) else {
                throw BlobError.missing(key)
            }
            return S3BlobReader(key: key, byteCount: found.byteCount, beginning: found.bytes, client: client)
        }
    }

    /// Sends no request.
    package func openShared(_ key: BlobKey, byteCount: Int64) async throws -> any BlobReader {
        S3BlobReader(key: key, byteCount: byteCount, beginning: ByteBuffer(), client: client)
    }

    package var isRemote: Bool { true }

    /// The same as `open`: a complete blob has its final name.
    package func openStaged(_ key: BlobKey) async throws -> any BlobReader { try await open(key) }

    package func presignedLink(to key: BlobKey, contentType: String, disposition: String, for duration: Duration) throws -> String? {
        let query = [("response-content-disposition", disposition), ("response-content-type", contentType)]
        let path = client.signer.presigned(
            path: client.address.path(S3Names.blob(key)), query: query, host: client.address.host,
            seconds: Int(max(duration.components.seconds, 1)), at: client.storeTime)
        return "\(client.address.scheme)://\(client.address.host)\(path)"
    }

    // MARK: Keeping

    package func delete(_ key: BlobKey) async throws {
        // The deletion is not cancelled with its caller: the objects of a cancelled request must still be deleted.
        try await Task { [client, finished] in
            try await mapped(key) {
                _ = finished.remove(key)
                async let staging = client.list(S3Names.tails(of: key), after: nil)
                try await client.delete(S3Names.blob(key))
                let tails = try await staging.objects
                guard !tails.isEmpty else { return }
                for upload in try await client.listUploads(S3Names.blob(key)) { try await client.abortUpload(upload.name, upload.id) }
                for tail in tails { try await client.delete(tail.name) }
            }
        }.value
    }

    package func list(olderThan limit: Timestamp?) -> BlobListing {
        BlobListing { [client] in S3ListSource(client, olderThan: limit) }
    }

    package func removeLeftovers(olderThan limit: Timestamp) async throws -> Int {
        try await mapped(nil) {
            var keys: Set<BlobKey> = []
            for upload in try await client.listUploads(S3Names.blobs) where upload.begunAt < limit {
                guard let key = S3Names.key(ofBlob: upload.name) else { continue }
                try await client.abortUpload(upload.name, upload.id)
                keys.insert(key)
            }
            var token: String?
            repeat {
                let page = try await client.list(S3Names.tails, after: token)
                for tail in page.objects where tail.modifiedAt < limit {
                    guard let key = S3Names.key(ofTail: tail.name) else { continue }
                    try await client.delete(tail.name)
                    keys.insert(key)
                }
                token = page.next
            } while token != nil
            return keys.count
        }
    }

    /// Asks the store whether the bucket is there, with two retries; S3 reports no limit.
    package func freeByteCount() async throws -> Int64 {
        try await mapped(nil) { try await client.checkBucket(attempts: 3) }
        return .max
    }

    // MARK: In the background

    /// Runs `body`, which removes what is no longer needed. `close` waits for it. Failures are logged; `removeLeftovers` and the sweep
    /// repeat the work.
    func inBackground(_ body: @escaping @Sendable () async throws -> Void) {
        background.withLock { background in
            guard !background.isClosed else { return }
            let number = background.next
            background.next += 1
            background.tasks[number] = Task { [logger, weak self] in
                do {
                    try await body()
                } catch {
                    logger.warning("removing an upload's leftovers failed; the sweep repeats it", metadata: ["error": "\(error)"])
                }
                _ = self?.background.withLock { $0.tasks.removeValue(forKey: number) }
            }
        }
    }
}

/// Blobs that this process has finished and not yet published.
final class FinishedBlobs: Sendable {
    /// The most blobs that are remembered. Each further blob costs one request when it is published.
    private static let most = 10_000
    private let names = Mutex<[BlobKey: [String]]>([:])

    /// - Parameter leftovers: names of objects to delete when the blob is published.
    func insert(_ key: BlobKey, leftovers: [String]) {
        names.withLock { if $0.count < Self.most { $0[key] = leftovers } }
    }

    func contains(_ key: BlobKey) -> Bool { names.withLock { $0[key] != nil } }

    /// - Returns: the leftovers that `insert` got.
    func remove(_ key: BlobKey) -> [String] { names.withLock { $0.removeValue(forKey: key) } ?? [] }
}

/// Lists the bucket in pages of at most 1,000.
private final class S3ListSource: BlobSource {
    private let client: S3Client
    private let limit: Timestamp?
    private var token: String?
    private var isAtEnd = false

    init(_ client: S3Client, olderThan limit: Timestamp?) {
        self.client = client
        self.limit = limit
    }

    func next() async throws -> [BlobListing.Entry]? {
        while !isAtEnd {
            let page = try await mapped(nil) { try await client.list(S3Names.blobs, after: token) }
            token = page.next
            isAtEnd = token == nil
            let entries = page.objects.compactMap { object -> BlobListing.Entry? in
                guard let key = S3Names.key(ofBlob: object.name), limit.map({ object.modifiedAt < $0 }) ?? true else { return nil }
                return BlobListing.Entry(key: key, stagedAt: object.modifiedAt)
            }
            if !entries.isEmpty { return entries }
        }
        return nil
    }
}
