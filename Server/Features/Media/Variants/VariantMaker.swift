import Blobs
import Core
import MediaTools
import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Makes each variant once, even when many requests ask for it at the same time, and stores it.
actor VariantMaker {
    /// Identifies one variant of one original.
    private struct VariantKey: Hashable {
        let original: BlobKey
        let spec: String
    }

    /// A variant that is being made, and the number of callers that wait for it.
    private final class PendingVariant: Sendable {
        private struct State {
            var waiting = 1
            var encoding: Task<[UInt8], any Error>?
        }

        private let state = Mutex(State())

        /// - Returns: `false` when every earlier caller has left. The work is then being cancelled, and a new one must start.
        func join() -> Bool {
            state.withLock { state in
                guard state.waiting > 0 else { return false }
                state.waiting += 1
                return true
            }
        }

        /// The last caller that leaves cancels the work.
        func leave() {
            let encoding: Task<[UInt8], any Error>? = state.withLock { state in
                state.waiting -= 1
                return state.waiting == 0 ? state.encoding : nil
            }
            encoding?.cancel()
        }

        /// Decodes and encodes, and is cancelled when every caller has left. Storing the result afterwards is short and is not cancelled.
        func encode(_ work: @escaping @Sendable () async throws -> [UInt8]) async throws -> [UInt8] {
            let task: Task<[UInt8], any Error>? = state.withLock { state in
                guard state.waiting > 0 else { return nil }
                let task = Task { try await work() }
                state.encoding = task
                return task
            }
            guard let task else { throw CancellationError() }
            return try await task.value
        }
    }

    private let store: MediaStore
    private let blobs: any BlobStore
    private let workers: MediaWorkers
    /// At most one entry for each waiting request; the callers that wait for an entry own it.
    private var making: [VariantKey: (making: PendingVariant, task: Task<MediaVariant, any Error>)] = [:]
    /// Variants encoded since the process started.
    private(set) var madeCount = 0
    /// Variants that callers wait for or that are being cancelled.
    var pendingCount: Int { making.count }

    init(store: MediaStore, blobs: any BlobStore, workers: MediaWorkers) {
        self.store = store
        self.blobs = blobs
        self.workers = workers
    }

    /// - Throws: `.unprocessable` when this file has no such variant, `.unavailable` when the worker queue is full, `.tooManyRequests` when
    ///   the requester has too many variants in it; `CancellationError` when every caller was cancelled.
    func variant(of asset: Asset, _ spec: VariantSpec) async throws -> MediaVariant {
        let key = VariantKey(original: asset.blob, spec: spec.name)
        let (making, task) = join(key, asset, spec)
        return try await withTaskCancellationHandler {
            defer { if self.making[key]?.making === making { self.making[key] = nil } }
            return try await task.value
        } onCancel: {
            making.leave()
        }
    }

    private func join(_ key: VariantKey, _ asset: Asset, _ spec: VariantSpec) -> (PendingVariant, Task<MediaVariant, any Error>) {
        if let (making, task) = making[key], making.join() { return (making, task) }
        let making = PendingVariant()
        // An unstructured task: it must outlive the request that started it, since other callers may wait for it by then.
        let task = Task { [self] in
            if let kept = try await store.variant(of: asset.blob, spec.name) { return kept }
            let bytes = try await making.encode { [self] in
                await count()
                return try await encode(asset, spec)
            }
            return try await keep(bytes, of: asset, spec)
        }
        self.making[key] = (making, task)
        return (making, task)
    }

    private func count() { madeCount += 1 }

    private nonisolated func keep(_ bytes: [UInt8], of asset: Asset, _ spec: VariantSpec) async throws -> MediaVariant {
        let writer = try await blobs.stage()
        let staged: StagedBlob
        do {
            try await writer.append(ByteBuffer(bytes: bytes))
            staged = try await writer.finish()
            try await blobs.publish([staged])
        } catch {
            await writer.abort()
            throw error
        }
        return try await blobs.settle([staged.key]) {
            try await store.addVariant(staged, of: asset, spec: spec.name, type: spec.type)
        }
    }

    private nonisolated func encode(_ asset: Asset, _ spec: VariantSpec) async throws -> [UInt8] {
        guard let descriptor = try await blobs.open(asset.blob).duplicateDescriptor() else { throw BlobError.missing(asset.blob) }
        defer { close(descriptor) }
        do {
            switch MediaType(rawValue: asset.type)?.kind {
            case .image:
                let pixelCount = (asset.width ?? 0) * (asset.height ?? 0)
                return try await workers.variant(descriptor, spec.request, pixelCount: pixelCount).bytes
            case .video: return try await workers.variant(ofFilm: descriptor, spec.request).bytes
            case .audio, nil: throw Problem(.unprocessable, "There is no picture of this file.")
            }
        } catch let failure as MediaFailure {
            throw Problem(.unprocessable, failure.sentence)
        }
    }
}
