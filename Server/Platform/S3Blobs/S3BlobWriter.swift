import Blobs
import Core
import Crypto
import NIOCore
import Synchronization

/// Sends a blob's bytes in parts of 5 MiB, S3's smallest. A part waits in a file until it is complete, because a request must state the
/// length and the hash of its body in its headers. A blob that fits into one part is one PUT; one below 256 KiB touches no file, unless
/// memory is short.
///
/// Parts have equal lengths, also across checkpoints: part `n` always holds the same bytes of the blob, so sending one again is harmless,
/// and Cloudflare's R2 accepts no others. A checkpoint stores the bytes of an incomplete part as a separate object, the tail.
final class S3BlobWriter: BlobWriter {
    static let partByteCount = 5 << 20
    /// The store takes parts with numbers up to this one.
    static let mostParts = 10_000
    /// Large enough to make the cost of switching threads negligible.
    private static let batchByteCount = 262_144
    /// The most parts of one blob that are sent at the same time.
    private static let mostSending = 4

    let key: BlobKey
    let isResumable: Bool
    /// Whether the store made the key, so that only this blob can have an object of that name.
    private let ownsKey: Bool
    private let stagedAt: Timestamp
    private let store: S3BlobStore
    private let state: Mutex<State>

    /// What a later writer in this process needs to continue at the last checkpoint.
    struct Position: Sendable {
        var byteCount: Int64 = 0
        var upload: String?
        var parts: [S3Client.Part] = []
        /// `nil` when this process has not seen all bytes.
        var sha256: SHA256? = SHA256()
        /// Names of the tails of the last checkpoints, oldest first.
        var tails: [String] = []
    }

    fileprivate struct State: Sendable {
        var batch = ByteBuffer()
        /// The position after the bytes that were handed to the part's file. The bytes in `batch` follow it.
        var at: Position
        var file: PartFile?
        /// The uploads of parts that have begun, in the order of the parts' numbers.
        var sending: [Task<S3Client.Part, any Error>] = []
        var checkpoint: Position?
        /// Names of objects that a publish makes superfluous.
        var leftovers: [String]
        var failure: (any Error)?
        var phase = Phase.open
    }

    fileprivate enum Phase {
        case open, finished
        /// Another writer continues the blob, so nothing of it may be deleted.
        case left
        case gone
    }

    /// - Parameters:
    ///   - ownsKey: `false` for a key that came from another store. The writer then never deletes an object of this key after a failure,
    ///     because the object may come from an earlier copy.
    ///   - leftovers: names of objects that this blob was copied from.
    init(
        key: BlobKey, stagedAt: Timestamp, isResumable: Bool, ownsKey: Bool = true, store: S3BlobStore,
        at position: Position = Position(), leftovers: [String] = []
    ) {
        self.key = key
        self.stagedAt = stagedAt
        self.isResumable = isResumable
        self.ownsKey = ownsKey
        self.store = store
        state = Mutex(State(at: position, checkpoint: isResumable ? position : nil, leftovers: leftovers))
    }

    deinit {
        let state = state.withLock { $0 }
        for task in state.sending { task.cancel() }
        // What a resumable blob has checkpointed stays for the next writer.
        guard !isResumable, state.phase == .open, let upload = state.at.upload else { return }
        store.inBackground { [client = store.client, name = S3Names.blob(key)] in
            for task in state.sending { _ = await task.result }
            try await client.abortUpload(name, upload)
        }
    }

    // MARK: Receiving

    func append(_ bytes: ByteBuffer) async throws {
        var rest = bytes
        while rest.readableBytes > 0 {
            let isFull = try state.withLock { state in
                try state.checkUsable()
                let room = Self.batchByteCount - state.batch.readableBytes
                if let slice = rest.readSlice(length: min(room, rest.readableBytes)) { state.batch.writeImmutableBuffer(slice) }
                return state.batch.readableBytes == Self.batchByteCount
            }
            if isFull { try await failing { try await self.write() } }
        }
    }

    func writeOut() async {
        let hasBytes = state.withLock { $0.phase == .open && $0.failure == nil && $0.batch.readableBytes > 0 }
        if hasBytes { try? await failing { try await self.write() } }
        state.withLock { if $0.batch.readableBytes == 0 { $0.batch = ByteBuffer() } }
    }

    /// Writes the batch to the part's file, and sends the part when it is complete.
    private func write() async throws {
        var batch = state.withLock { state in
            defer { state.batch = ByteBuffer() }
            return state.batch
        }
        while batch.readableBytes > 0 {
            let file = try await partFile()
            let room = Self.partByteCount - file.byteCount
            guard let slice = batch.readSlice(length: min(room, batch.readableBytes)) else { break }
            // Only one task at a time writes, so the hash can be updated outside the lock.
            let before = state.withLock { $0.at.sha256 }
            let sha256 = try await store.turns.perform {
                var sha256 = before
                try slice.withUnsafeReadableBytes { bytes in
                    try file.append(bytes)
                    sha256?.update(bufferPointer: bytes)
                }
                return sha256
            }
            state.withLock { state in
                state.at.sha256 = sha256
                state.at.byteCount += Int64(slice.readableBytes)
            }
            if file.byteCount == Self.partByteCount { try await sendPart() }
        }
        // Reuse the buffer, unless somebody still holds it.
        batch.clear()
        state.withLock { if $0.phase == .open { $0.batch = batch } }
    }

    private func partFile() async throws -> PartFile {
        if let file = state.withLock({ $0.file }) { return file }
        let file = try await store.turns.perform { [store] in try store.makePartFile() }
        state.withLock { $0.file = file }
        return file
    }

    /// Puts the bytes of a checkpoint's tail back into a part's file. They are counted and hashed already.
    func takeTail(_ bytes: ByteBuffer) async throws {
        guard bytes.readableBytes > 0 else { return }
        let file = try await partFile()
        try await store.turns.perform { try bytes.withUnsafeReadableBytes { try file.append($0) } }
    }

    // MARK: Sending

    /// Starts to send the part that is in the file. Waits while the blob sends as many parts as it may: always one, and more while the
    /// budget that all blobs share (`S3SendBudget`) has some left.
    private func sendPart() async throws {
        guard let file = try state.withLock({ try $0.takeFile() }) else { return }
        let upload = try await self.upload()
        let number = state.withLock { $0.at.parts.count + $0.sending.count + 1 }
        guard number <= Self.mostParts else { throw BlobError.refused("the blob has more than \(Self.mostParts) parts") }
        var permit: S3SendBudget.Permit?
        while true {
            let sending = state.withLock { $0.sending.count }
            if sending == 0 { break }
            if sending < Self.mostSending, let taken = store.budget.take() {
                permit = taken
                break
            }
            try await collectPart()
        }
        let name = S3Names.blob(key)
        // The task starts under the lock, so that this writer sends no further part once `leave` has returned: such a part would replace a
        // part of the next writer.
        try state.withLock { state in
            guard state.phase == .open else { throw BlobError.ended }
            let task = Task { [client = store.client, permit, key] in
                defer { permit?.give() }
                return try await mapped(key) {
                    let body = S3Body.file(file, byteCount: file.byteCount, sha256: file.sha256)
                    return try await client.uploadPart(name, upload, number: number, body)
                }
            }
            state.sending.append(task)
        }
    }

    /// Waits for the oldest part that is being sent.
    private func collectPart() async throws {
        guard let task = state.withLock({ $0.sending.first }) else { return }
        let part = try await task.value
        state.withLock { state in
            state.sending.removeFirst()
            state.at.parts.append(part)
        }
    }

    private func collectParts() async throws {
        while state.withLock({ !$0.sending.isEmpty }) { try await collectPart() }
    }

    private func upload() async throws -> String {
        if let upload = state.withLock({ $0.at.upload }) { return upload }
        let upload = try await mapped(key) { try await store.client.createUpload(S3Names.blob(key)) }
        state.withLock { $0.at.upload = upload }
        return upload
    }

    // MARK: Checkpoints

    func checkpoint() async throws -> BlobCheckpoint {
        try state.withLock { try $0.checkUsable() }
        guard isResumable else { throw BlobError.notResumable }
        return try await failing {
            try await self.write()
            try await self.collectParts()
            let (at, file) = self.state.withLock { ($0.at, $0.file) }
            let checkpoint = BlobCheckpoint(key: self.key, byteCount: at.byteCount, stagedAt: self.stagedAt)
            let name = S3Names.tail(self.key, at: at.byteCount)
            guard at.byteCount > 0, at.tails.last != name else { return checkpoint }
            let body = file.map { S3Body.file($0, byteCount: $0.byteCount, sha256: $0.sha256) } ?? .none
            try await mapped(self.key) { try await self.store.client.putReplacing(name, body, upload: at.upload) }
            // The caller may still have to save this checkpoint, so the tail of the one before it stays.
            let old = self.state.withLock { state in
                state.at.tails.append(name)
                let old = state.at.tails.count > 2 ? state.at.tails.removeFirst() : nil
                state.checkpoint = state.at
                return old
            }
            if let old { self.store.inBackground { [client = self.store.client] in try await client.delete(old) } }
            return checkpoint
        }
    }

    /// Ends this writer and keeps its checkpointed bytes for the next one.
    /// - Returns: its last checkpoint; `nil` when it has finished or failed, or has sent parts after the checkpoint: radosgw cannot
    ///   complete the upload without these parts.
    func leave() async -> Position? {
        let (sending, position) = state.withLock { state in
            let isAtCheckpoint = state.at.parts.count + state.sending.count == state.checkpoint?.parts.count
            let position = state.phase == .open && state.failure == nil && isAtCheckpoint ? state.checkpoint : nil
            if state.phase == .open { state.phase = .left }
            state.batch = ByteBuffer()
            return (state.sending, position)
        }
        for task in sending {
            task.cancel()
            _ = await task.result
        }
        return position
    }

    // MARK: The end

    func finish() async throws -> StagedBlob {
        try state.withLock { try $0.checkUsable() }
        return try await failing {
            let name = S3Names.blob(self.key)
            if let bytes = self.state.withLock({ $0.at.byteCount == 0 ? $0.batch : nil }) {
                try await self.finish(sending: bytes, name)
            } else {
                try await self.write()
                try await self.finishParts(name)
            }
            let (at, leftovers) = self.state.withLock { state in
                state.phase = .finished
                state.file = nil
                state.batch = ByteBuffer()
                return (state.at, state.leftovers + state.at.tails)
            }
            let sha256 =
                if let sha256 = at.sha256 { Hex.encode(sha256.finalize()) } else { try await self.store.hash(of: self.key, at.byteCount) }
            self.store.finished.insert(self.key, leftovers: leftovers)
            return StagedBlob(key: self.key, byteCount: at.byteCount, sha256: sha256, stagedAt: self.stagedAt)
        }
    }

    private func finish(sending bytes: ByteBuffer, _ name: String) async throws {
        let hash = bytes.withUnsafeReadableBytes { bytes in
            var sha256 = SHA256()
            sha256.update(bufferPointer: bytes)
            return sha256
        }
        state.withLock { state in
            state.at.sha256 = hash
            state.at.byteCount = Int64(bytes.readableBytes)
        }
        try await mapped(key) { try await store.client.putNew(name, .bytes(bytes, sha256: Hex.encode(hash.finalize()))) }
    }

    private func finishParts(_ name: String) async throws {
        let (file, upload) = state.withLock { ($0.file, $0.at.upload) }
        if upload == nil, let file {
            let body = S3Body.file(file, byteCount: file.byteCount, sha256: file.sha256)
            return try await mapped(key) { try await store.client.putNew(name, body) }
        }
        try await sendPart()
        try await collectParts()
        let at = state.withLock { $0.at }
        guard let upload = at.upload else { throw BlobError.ended }
        try await mapped(key) { try await store.client.completeUpload(name, upload, at.parts) }
    }

    func abort() async {
        let (state, wasFinished) = state.withLock { state in
            defer {
                if state.phase != .left { state.phase = .gone }
                state.file = nil
                state.batch = ByteBuffer()
            }
            return (state, state.phase == .finished)
        }
        for task in state.sending { task.cancel() }
        for task in state.sending { _ = await task.result }
        // In the phase `left`, another writer continues the blob: a step that was still running when the writer was left has failed since.
        guard state.phase != .left, state.phase != .gone || state.failure != nil else { return }
        if wasFinished, !store.finished.contains(key) { return }
        // The deletion is a task of its own, which this call waits for: the objects of a cancelled request must also be deleted.
        await Task { [store, key, ownsKey] in
            if let upload = state.at.upload, !wasFinished { try? await store.client.abortUpload(S3Names.blob(key), upload) }
            for name in state.at.tails + state.leftovers { try? await store.client.delete(name) }
            // A PUT or a completion whose response was lost may have made the object. Under another store's key, the object may also come
            // from an earlier copy or another program, or even be the one that is copied. So it stays, for the next copy or the sweep.
            if wasFinished || state.failure != nil && ownsKey { try? await store.delete(key) }
        }.value
    }

    /// Runs a step. After an error the writer is unusable.
    private func failing<T>(_ step: () async throws -> T) async throws -> T {
        do {
            return try await step()
        } catch {
            state.withLock { if $0.failure == nil { $0.failure = error } }
            throw error
        }
    }
}

extension S3BlobWriter.State {
    fileprivate mutating func takeFile() throws -> PartFile? {
        guard phase == .open else { throw BlobError.ended }
        return file.take()
    }

    fileprivate func checkUsable() throws {
        if phase != .open { throw BlobError.ended }
        if let failure { throw failure }
    }
}

/// Limits the number of parts, beyond one for each blob, that all blobs together send at the same time.
final class S3SendBudget: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    /// - Returns: `nil` when all permits are in use.
    func take() -> Permit? {
        let isFree = left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
        return isFree ? Permit(self) : nil
    }

    /// The right to send one part. `give` returns it to the budget, and so does dropping the last reference to it.
    final class Permit: Sendable {
        private let budget: Mutex<S3SendBudget?>
        init(_ budget: S3SendBudget) { self.budget = Mutex(budget) }
        deinit { give() }
        func give() {
            guard let budget = budget.withLock({ $0.take() }) else { return }
            budget.left.withLock { $0 += 1 }
        }
    }
}
