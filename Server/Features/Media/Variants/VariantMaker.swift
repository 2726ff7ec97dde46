import Blobs
import Core
import MediaTools

/// Makes each variant once, even when many requests ask for it at the same time. A variant is handed out as soon as it is encoded, since it
/// can be made again; `CopyStorage` stores it afterwards.
actor VariantMaker {
    /// Identifies one variant of one original.
    private struct VariantKey: Hashable {
        let original: BlobKey
        let spec: String
    }

    /// The memory for copies that are not stored yet, or that a slow client still reads from memory.
    static let memory = SharedBudget.Limits(
        total: 32 << 20, perAccount: 8 << 20, perNetwork: 16 << 20, reserve: 8 << 20, small: 1 << 20)
    /// A larger copy, such as a whole picture without metadata, is stored before it is sent.
    static let maxByteCountInMemory = 2 << 20
    /// Counted for each copy at least, which bounds their number.
    private static let minShare = 64 << 10

    private let store: MediaStore
    private let encoder: CopyEncoder
    let storage: CopyStorage
    private let memory = SharedBudget(memory)
    /// One entry for each variant that requests wait for, owned by its callers, or that is not stored yet.
    private var making: [VariantKey: (making: PendingVariant, task: Task<MadeCopy, any Error>)] = [:]
    /// Variants encoded since the process started.
    private(set) var madeCount = 0
    /// Variants that callers wait for, that are being cancelled, or that are not stored yet.
    var pendingCount: Int { making.count }

    init(store: MediaStore, blobs: any BlobStore, files: BlobFiles, workers: MediaWorkers, storage: CopyStorage) {
        self.store = store
        self.storage = storage
        encoder = CopyEncoder(blobs: blobs, files: files, workers: workers)
    }

    /// - Throws: `.unprocessable` when this file has no such smaller copy, `.notFound` when no copy of it can be made without metadata,
    ///   `.unavailable` when the worker queue is full, `.tooManyRequests` when the requester has too many variants in it;
    ///   `CancellationError` when every caller was cancelled.
    func variant(of asset: Asset, _ spec: CopySpec) async throws -> MadeCopy {
        let key = VariantKey(original: asset.blob, spec: spec.name)
        let (making, task) = join(key, asset, spec)
        return try await withTaskCancellationHandler {
            do {
                let made = try await task.value
                // A fresh copy stays until it is stored, for requests that come before its row.
                if case .kept = made { forget(key, making) }
                return made
            } catch {
                forget(key, making)
                throw error
            }
        } onCancel: {
            making.leave()
        }
    }

    private func join(_ key: VariantKey, _ asset: Asset, _ spec: CopySpec) -> (PendingVariant, Task<MadeCopy, any Error>) {
        if let (making, task) = making[key], making.join() { return (making, task) }
        let making = PendingVariant()
        // An unstructured task: it must outlive the request that started it, since other callers may wait for it by then.
        let task = Task { [self] in
            if let kept = try await store.variant(of: asset.blob, spec.name) { return MadeCopy.kept(kept) }
            let encoded = try await making.encode { [self] in
                await count()
                return try await encoder.encode(asset, spec)
            }
            let copy = FreshCopy(encoded, of: asset.blob, createdAt: store.clock.now, share: share(encoded))
            let new = CopyStorage.NewCopy(copy: copy, asset: asset, spec: spec.name)
            if copy.blob.share != nil, await storage.add(new, then: { [self] in await forget(key, making) }) { return .fresh(copy) }
            return .kept(try await storage.store(new))
        }
        self.making[key] = (making, task)
        return (making, task)
    }

    private func forget(_ key: VariantKey, _ pending: PendingVariant) {
        if making[key]?.making === pending { making[key] = nil }
    }

    private func count() { madeCount += 1 }

    /// - Returns: `nil` when the copy is too large, or when too many copies are in memory.
    private nonisolated func share(_ copy: EncodedCopy) -> SharedBudget.Share? {
        guard copy.bytes.count <= Self.maxByteCountInMemory else { return nil }
        return try? memory.share(max(copy.bytes.count, Self.minShare))
    }

    /// Reads whether browsers play a film that was stored before the server did so, and starts its conversion if they do not.
    nonisolated func playback(of asset: Asset) async throws -> Playback {
        let found: Playback
        do {
            found = try await encoder.playsInBrowsers(asset).map { $0 ? .original : .waiting } ?? .damaged
        } catch is MediaFailure {
            found = .damaged
        }
        try await store.note(found, of: asset)
        return found
    }

    /// Looks for a position in a picture that was stored before the server did so, and notes the result.
    /// - Returns: `true` also for a picture that can no longer be decoded.
    nonisolated func mayHavePosition(_ asset: Asset) async throws -> Bool {
        do {
            let found = try await encoder.mayHavePosition(asset)
            try await store.note(mayHavePosition: found, of: asset)
            return found
        } catch is MediaFailure {
            return true
        }
    }
}
