import Blobs
import Core
import MediaFrames
import MediaTools
import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What is made of an original and kept.
enum CopySpec: Sendable, Equatable {
    case smaller(VariantSpec)
    /// The same picture without its metadata.
    case stripped

    /// Identifies the copy among those of its original. A later way to take the metadata out needs another name.
    var name: String {
        switch self {
        case .smaller(let spec): spec.name
        case .stripped: "stripped-1"
        }
    }
}

/// A copy's bytes, and their media type.
struct EncodedCopy: Sendable {
    let bytes: [UInt8]
    let type: String
}

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
            var encoding: Task<EncodedCopy, any Error>?
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
            let encoding: Task<EncodedCopy, any Error>? = state.withLock { state in
                state.waiting -= 1
                return state.waiting == 0 ? state.encoding : nil
            }
            encoding?.cancel()
        }

        /// Decodes and encodes, and is cancelled when every caller has left. Storing the result afterwards is short and is not cancelled.
        func encode(_ work: @escaping @Sendable () async throws -> EncodedCopy) async throws -> EncodedCopy {
            let task: Task<EncodedCopy, any Error>? = state.withLock { state in
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

    /// - Throws: `.unprocessable` when this file has no such smaller copy, `.notFound` when no copy of it can be made without metadata, `.unavailable` when the worker queue is full, `.tooManyRequests` when
    ///   the requester has too many variants in it; `CancellationError` when every caller was cancelled.
    func variant(of asset: Asset, _ spec: CopySpec) async throws -> MediaVariant {
        let key = VariantKey(original: asset.blob, spec: spec.name)
        let (making, task) = join(key, asset, spec)
        return try await withTaskCancellationHandler {
            defer { if self.making[key]?.making === making { self.making[key] = nil } }
            return try await task.value
        } onCancel: {
            making.leave()
        }
    }

    private func join(_ key: VariantKey, _ asset: Asset, _ spec: CopySpec) -> (PendingVariant, Task<MediaVariant, any Error>) {
        if let (making, task) = making[key], making.join() { return (making, task) }
        let making = PendingVariant()
        // An unstructured task: it must outlive the request that started it, since other callers may wait for it by then.
        let task = Task { [self] in
            if let kept = try await store.variant(of: asset.blob, spec.name) { return kept }
            let copy = try await making.encode { [self] in
                await count()
                return try await encode(asset, spec)
            }
            return try await keep(copy, of: asset, spec)
        }
        self.making[key] = (making, task)
        return (making, task)
    }

    private func count() { madeCount += 1 }

    private nonisolated func keep(_ copy: EncodedCopy, of asset: Asset, _ spec: CopySpec) async throws -> MediaVariant {
        let writer = try await blobs.stage()
        let staged: StagedBlob
        do {
            try await writer.append(ByteBuffer(bytes: copy.bytes))
            staged = try await writer.finish()
            try await blobs.publish([staged])
        } catch {
            await writer.abort()
            throw error
        }
        return try await blobs.settle([staged.key]) {
            try await store.addVariant(staged, of: asset, spec: spec.name, type: copy.type)
        }
    }

    private nonisolated func encode(_ asset: Asset, _ spec: CopySpec) async throws -> EncodedCopy {
        do {
            return try await withOriginal(asset) { try await encode(asset, spec, $0) }
        } catch let failure as MediaFailure {
            throw spec == .stripped ? Problem.noSuchFile : Problem(.unprocessable, failure.sentence)
        }
    }

    private nonisolated func encode(_ asset: Asset, _ spec: CopySpec, _ descriptor: CInt) async throws -> EncodedCopy {
        let pixelCount = (asset.width ?? 0) * (asset.height ?? 0)
        switch (spec, MediaType(rawValue: asset.type)?.kind) {
        case (.smaller(let spec), .image):
            return EncodedCopy(
                bytes: try await workers.variant(descriptor, spec.request, pixelCount: pixelCount).bytes, type: spec.type)
        case (.smaller(let spec), .video):
            return EncodedCopy(bytes: try await workers.variant(ofFilm: descriptor, spec.request).bytes, type: spec.type)
        case (.stripped, .image): return try await stripped(asset, descriptor, pixelCount)
        case (.smaller, _): throw Problem(.unprocessable, "There is no picture of this file.")
        case (.stripped, _): throw Problem.noSuchFile
        }
    }

    /// The file without its metadata. If that cannot be taken out for certain, the whole picture is encoded anew: upright, in sRGB.
    private nonisolated func stripped(_ asset: Asset, _ descriptor: CInt, _ pixelCount: Int) async throws -> EncodedCopy {
        do {
            return EncodedCopy(bytes: try await workers.strip(descriptor), type: asset.type)
        } catch MediaFailure.refused {
            // WebP keeps transparency. HEIC and JPEG have none that is shown.
            let format: VariantRequest.Format = [.png, .webp, .gif].contains(MediaType(rawValue: asset.type)) ? .webp : .jpeg
            let request = VariantRequest(width: PictureLimits.variantSide, height: PictureLimits.variantSide, format: format, quality: 95)
            let whole = try await workers.variant(descriptor, request, pixelCount: pixelCount)
            return EncodedCopy(bytes: whole.bytes, type: "image/\(format.rawValue)")
        }
    }

    /// Looks for a position in a picture that was stored before the server did so, and notes the result.
    /// - Returns: `true` also for a picture that can no longer be decoded.
    nonisolated func mayHavePosition(_ asset: Asset) async throws -> Bool {
        do {
            let found = try await withOriginal(asset) { try await workers.inspect($0).mayHavePosition }
            try await store.note(mayHavePosition: found, of: asset)
            return found
        } catch is MediaFailure {
            return true
        }
    }

    private nonisolated func withOriginal<Value>(_ asset: Asset, _ body: (CInt) async throws -> Value) async throws -> Value {
        guard let descriptor = try await blobs.open(asset.blob).duplicateDescriptor() else { throw BlobError.missing(asset.blob) }
        defer { close(descriptor) }
        return try await body(descriptor)
    }
}
