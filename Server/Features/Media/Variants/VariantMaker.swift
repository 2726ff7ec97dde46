import Blobs
import Core
import MediaTools

/// Makes each variant once, even when many requests need it at the same time. Requests of one account share one task. So do requests of one
/// network that use signed links. Another account or network has a task of its own, with its own place in the queues, so that it does not
/// wait for the first one's turn. The first task that has a result ends the other tasks for the same variant.
///
/// Requests get a variant as soon as it is encoded, before it is durable, because it can be made again. `CopyStorage` stores it afterwards.
/// A large variant is stored first, from the sealed memory in which the worker made it. Until then it counts as one of the workers' large
/// results, so the workers do not make large variants faster than they are stored.
actor VariantMaker {
    /// Identifies one variant of one original.
    private struct VariantKey: Hashable {
        let original: BlobKey
        let spec: String
    }

    private struct Work {
        let pending: PendingVariant
        let task: Task<MadeCopy, any Error>
    }

    /// The memory for variants that are sent before they are stored, or that a slow client still reads from memory.
    static let memory = SharedBudget.Limits(
        total: 32 << 20, perAccount: 8 << 20, perNetwork: 16 << 20, reserve: 8 << 20, small: 1 << 20)
    /// Each variant counts as at least this many bytes, which bounds the number of variants.
    private static let minShare = 64 << 10

    private let store: MediaStore
    private let encoder: CopyEncoder
    let storage: CopyStorage
    private let memory = SharedBudget(memory)
    /// For each variant that requests wait for, the work of each account or network, owned by its callers.
    private var making: [VariantKey: [Requester.Share: Work]] = [:]
    /// Variants that are encoded, and not stored yet.
    private var made: [VariantKey: Work] = [:]
    /// Variants encoded since the process started.
    private(set) var madeCount = 0
    /// Variants that callers wait for, that are being cancelled, or that are not stored yet.
    var pendingCount: Int { making.count + made.count }

    init(store: MediaStore, blobs: any BlobStore, files: BlobFiles, workers: MediaWorkers, storage: CopyStorage) {
        self.store = store
        self.storage = storage
        encoder = CopyEncoder(blobs: blobs, files: files, workers: workers)
    }

    /// - Throws: `.unprocessable` when this file has no such smaller copy, `.notFound` when no copy of it can be made without metadata,
    ///   `.unavailable` when the queue of the media workers is full, `.tooManyRequests` when the requester has too many variants in that
    ///   queue; `CancellationError` when every caller was cancelled.
    func variant(of asset: Asset, _ spec: CopySpec) async throws -> MadeCopy {
        let key = VariantKey(original: asset.blob, spec: spec.name)
        let work = join(key, asset, spec)
        return try await withTaskCancellationHandler {
            do {
                let made = try await work.task.value
                // A fresh copy stays listed until it is stored, for requests that arrive before its row exists.
                if case .kept = made { forget(key, work.pending) }
                return made
            } catch {
                forget(key, work.pending)
                throw error
            }
        } onCancel: {
            work.pending.leave()
        }
    }

    private func join(_ key: VariantKey, _ asset: Asset, _ spec: CopySpec) -> Work {
        if let work = made[key], work.pending.join() { return work }
        let share = Requester.current.share
        if let work = making[key]?[share], work.pending.join() { return work }
        let pending = PendingVariant()
        // The task is unstructured, because it must outlive the request that started it: other callers may wait for it by then.
        let work = Work(pending: pending, task: Task { try await make(key, asset, spec, pending) })
        making[key, default: [:]][share] = work
        return work
    }

    private func make(_ key: VariantKey, _ asset: Asset, _ spec: CopySpec, _ pending: PendingVariant) async throws -> MadeCopy {
        if let kept = try await store.variant(of: asset.blob, spec.name) { return .kept(kept) }
        let encoded: EncodedCopy
        do {
            encoded = try await pending.encode { [encoder] in try await encoder.encode(asset, spec) }
        } catch {
            return try await otherResult(key, pending, insteadOf: error)
        }
        // Another task was faster by a moment.
        if let other = pending.other { return try await other.value }
        madeCount += 1
        if let work = endOthers(key, pending) { made[key] = work }
        return try await handOut(encoded, of: asset, spec) { [self] in await forget(key, pending) }
    }

    /// Sends a small copy from memory. Stores a large copy first, and also a small one when too many are in memory. This does not run on
    /// the actor, because it hashes or reads all bytes.
    /// - Parameter then: called once if the copy is sent from memory, when it has its row or cannot be stored.
    private nonisolated func handOut(
        _ encoded: EncodedCopy, of asset: Asset, _ spec: CopySpec, then: @escaping @Sendable () async -> Void
    ) async throws -> MadeCopy {
        let createdAt = store.clock.now
        guard !encoded.content.isSealed else {
            let new = CopyStorage.NewCopy(encoded, of: asset, spec.name, createdAt)
            // Others wait until this large result is stored, so it does not wait for other uploads of its account.
            return .kept(try await Requester.current.runHoldingTurn { [storage] in try await storage.store(new) })
        }
        guard let share = try? memory.share(max(encoded.content.byteCount, Self.minShare)) else {
            return .kept(try await storage.store(CopyStorage.NewCopy(encoded, of: asset, spec.name, createdAt)))
        }
        let copy = try FreshCopy(encoded, of: asset.blob, createdAt: createdAt, share: share)
        let new = CopyStorage.NewCopy(copy, of: asset, spec.name)
        if await storage.add(new, then: then) { return .fresh(copy) }
        return .kept(try await storage.store(new))
    }

    /// Passes the result of a task that has one to the callers of all other tasks for the same variant.
    /// - Returns: that task's work; `nil` when its callers had left and a new task replaced it.
    private func endOthers(_ key: VariantKey, _ pending: PendingVariant) -> Work? {
        guard let all = making[key]?.values, let own = all.first(where: { $0.pending === pending }) else { return nil }
        making[key] = nil
        for work in all where work.pending !== pending { work.pending.follow(own.task) }
        return own
    }

    /// The result of another task for the same variant, for the callers of a task that failed.
    /// - Throws: `error` if no other task has a result or may get one.
    private func otherResult(_ key: VariantKey, _ pending: PendingVariant, insteadOf error: any Error) async throws -> MadeCopy {
        if let other = pending.other { return try await other.value }
        switch (error as? Problem)?.kind {
        case .unprocessable, .notFound:
            // The file is the cause, so the other tasks would fail too.
            _ = endOthers(key, pending)
        case .tooManyRequests, .unavailable:
            // This task got no place in the queues, so its callers wait for another task. That task must not wait for a third one, so that
            // no cycle forms.
            let others = making[key]?.values.filter { $0.pending !== pending && $0.pending.other == nil } ?? []
            guard let work = others.first(where: { $0.pending.join() }) else { break }
            pending.follow(work.task, joined: work.pending)
            defer { pending.leaveJoined() }
            return try await work.task.value
        default: break
        }
        throw error
    }

    private func forget(_ key: VariantKey, _ pending: PendingVariant) {
        if made[key]?.pending === pending { made[key] = nil }
        guard let share = making[key]?.first(where: { $0.value.pending === pending })?.key else { return }
        making[key]?[share] = nil
        if making[key]?.isEmpty ?? false { making[key] = nil }
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
