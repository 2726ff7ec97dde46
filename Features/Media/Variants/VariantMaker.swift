import Blobs
import Core
import MediaTools
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Makes each smaller copy once, however many ask for it at the same time, and keeps it with its original.
actor VariantMaker {
    private struct Wish: Hashable {
        let original: BlobKey
        let spec: String
    }

    private let store: MediaStore
    private let blobs: any BlobStore
    private let workers: MediaWorkers
    /// As many as there are requests: each belongs to those who wait for it.
    private var making: [Wish: Task<MediaVariant, any Error>] = [:]
    /// Since the start.
    private(set) var madeCount = 0

    init(store: MediaStore, blobs: any BlobStore, workers: MediaWorkers) {
        self.store = store
        self.blobs = blobs
        self.workers = workers
    }

    /// - Throws: `.unprocessable` when it cannot be made of this file, `.unavailable` when too many are being made.
    func variant(of asset: Asset, _ spec: VariantSpec) async throws -> MediaVariant {
        let wish = Wish(original: asset.blob, spec: spec.name)
        if let task = making[wish] { return try await task.value }
        // Not ended with the request that began it: others may wait for it by then.
        let task = Task { [self] in
            if let kept = try await store.variant(of: asset.blob, spec.name) { return kept }
            count()
            return try await make(asset, spec)
        }
        making[wish] = task
        defer { making[wish] = nil }
        return try await task.value
    }

    private func count() { madeCount += 1 }

    private nonisolated func make(_ asset: Asset, _ spec: VariantSpec) async throws -> MediaVariant {
        let bytes = try await encode(asset, spec)
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
            case .image: return try await workers.variant(descriptor, spec.request).bytes
            case .video: return try await workers.variant(ofFilm: descriptor, spec.request).bytes
            case .audio, nil: throw Problem(.unprocessable, "There is no picture of this file.")
            }
        } catch let failure as MediaFailure {
            throw Problem(.unprocessable, failure.sentence)
        }
    }
}
