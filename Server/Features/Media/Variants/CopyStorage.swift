import Blobs
import Core
import Logging
import MediaTools
import NIOCore
import ServiceLifecycle

/// Stores copies that requests already got from memory: first their bytes, durably, then their rows. Copies that are made within a short
/// time are synced to disk together.
///
/// A crash in between leaves staged or published bytes without a row, which the start of the server or the sweep deletes. The copy is then
/// made again. The caller bounds the memory of copies that are not stored yet (`VariantMaker`).
actor CopyStorage: Service {
    struct NewCopy: Sendable {
        private enum Content: Sendable {
            case fresh(FreshCopy)
            /// A copy that callers get only after it is stored.
            case encoded(EncodedCopy)
        }

        let asset: Asset
        /// The name of the copy among those of its original.
        let spec: String
        let type: String
        let createdAt: Timestamp
        private let content: Content

        init(_ copy: FreshCopy, of asset: Asset, _ spec: String) {
            self.asset = asset
            self.spec = spec
            type = copy.type
            createdAt = copy.createdAt
            content = .fresh(copy)
        }

        init(_ copy: EncodedCopy, of asset: Asset, _ spec: String, _ createdAt: Timestamp) {
            self.asset = asset
            self.spec = spec
            self.createdAt = createdAt
            type = copy.type
            content = .encoded(copy)
        }

        /// Writes a large copy in pieces, so that the server never holds a second copy of all its bytes.
        func write(to writer: any BlobWriter) async throws {
            switch content {
            case .fresh(let copy): try await writer.append(copy.blob.bytes)
            case .encoded(let copy):
                let byteCount = copy.content.byteCount
                for start in stride(from: 0, to: byteCount, by: CopyStorage.pieceByteCount) {
                    let piece = try copy.content.read(start..<min(start + CopyStorage.pieceByteCount, byteCount))
                    try await writer.append(ByteBuffer(bytes: piece))
                }
            }
        }
    }

    private struct Waiting: Sendable {
        let new: NewCopy
        let then: @Sendable () async -> Void
    }

    private struct Staged: Sendable {
        let new: NewCopy
        let blob: StagedBlob
    }

    /// How long a copy waits for others. Requests for it are answered from memory meanwhile.
    private static let pause = Duration.milliseconds(100)
    /// The most copies that are stored at the same time. Each uses a thread of the blob store and a write of the database.
    private static let batchCount = 8

    /// Bytes of a large copy that are read at a time.
    private static let pieceByteCount = 512 << 10

    private let store: MediaStore
    private let blobs: any BlobStore
    private let logger: Logger
    private var waiting: [Waiting] = []
    private var storing: Task<Void, Never>?
    private var isClosed = false
    private var isPaused = false
    private var resumption: CheckedContinuation<Void, Never>?

    init(store: MediaStore, blobs: any BlobStore, logger: Logger) {
        self.store = store
        self.blobs = blobs
        self.logger = logger
    }

    /// Stores the copies that wait when the server stops.
    func run() async throws {
        try? await gracefulShutdown()
        await close()
    }

    /// Stores a copy later.
    /// - Parameter then: called once, when the copy's row is stored or the copy cannot be stored.
    /// - Returns: `false` when the server is stopping. Then `then` is not called.
    func add(_ new: NewCopy, then: @escaping @Sendable () async -> Void) -> Bool {
        guard !isClosed else { return false }
        waiting.append(Waiting(new: new, then: then))
        // `close` waits for this task. It works for the server: it stores the copies of all accounts, which must not wait for the turns of
        // the account whose copy came first.
        if storing == nil { storing = Requester.server.run { Task { await storeWaiting() } } }
        return true
    }

    /// Stores a copy now.
    /// - Throws: `Problem.noSuchFile` when the original was deleted meanwhile.
    nonisolated func store(_ new: NewCopy) async throws -> MediaVariant {
        let staged = try await stage(new)
        do {
            try await blobs.publish([staged])
        } catch {
            try? await blobs.delete(staged.key)
            throw error
        }
        return try await settle(new, staged)
    }

    /// Stores the copies that wait, and refuses later ones.
    func close() async {
        isClosed = true
        resume()
        await storing?.value
    }

    /// For tests: copies wait in memory until `resume`.
    func pause() { isPaused = true }

    func resume() {
        isPaused = false
        resumption?.resume()
        resumption = nil
    }

    private func storeWaiting() async {
        while !waiting.isEmpty {
            if !isClosed, waiting.count < Self.batchCount { try? await Task.sleep(for: Self.pause) }
            if isPaused { await withCheckedContinuation { resumption = $0 } }
            let batch = Array(waiting.prefix(Self.batchCount))
            waiting.removeFirst(batch.count)
            await store(batch.map(\.new))
            for copy in batch { await copy.then() }
        }
        // There was no suspension since `waiting` was found empty, so no copy was added meanwhile.
        storing = nil
    }

    private nonisolated func store(_ copies: [NewCopy]) async {
        let staged = await withTaskGroup(of: Staged?.self) { group in
            for new in copies {
                group.addTask { await self.attempt { Staged(new: new, blob: try await self.stage(new)) } }
            }
            return await group.reduce(into: [Staged]()) { if let staged = $1 { $0.append(staged) } }
        }
        guard await attempt({ try await blobs.publish(staged.map(\.blob)) }) != nil else {
            for one in staged { try? await blobs.delete(one.blob.key) }
            return
        }
        await withTaskGroup(of: Void.self) { group in
            for one in staged { group.addTask { _ = await self.attempt { try await self.settle(one.new, one.blob) } } }
        }
    }

    /// - Returns: `nil` after an error, which this method logs: the client has its copy already, so nobody else reports the error.
    private nonisolated func attempt<Value: Sendable>(_ body: () async throws -> Value) async -> Value? {
        do {
            return try await body()
        } catch is Problem {
            // The original was deleted.
            return nil
        } catch {
            logger.warning("a smaller copy was not stored; it is made again when it is requested", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private nonisolated func stage(_ new: NewCopy) async throws -> StagedBlob {
        let writer = try await blobs.stage()
        do {
            try await new.write(to: writer)
            return try await writer.finish()
        } catch {
            await writer.abort()
            throw error
        }
    }

    private nonisolated func settle(_ new: NewCopy, _ staged: StagedBlob) async throws -> MediaVariant {
        try await blobs.settle([staged.key]) {
            try await store.addVariant(staged, of: new.asset, spec: new.spec, type: new.type, createdAt: new.createdAt)
        }
    }
}
