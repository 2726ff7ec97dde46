import Blobs
import Core
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/multimedia/files/{fileId}`: serves the original's bytes or a variant of it. Needs a credential or a signed
/// link.
struct ServeFile: Sendable {
    let store: MediaStore
    let blobs: any BlobStore
    let variants: VariantMaker
    /// Limits the requests that wait for a variant.
    private let waiting = SharedBudget(SharedBudget.Limits(total: 1_024, perAccount: 128, perNetwork: 256, reserve: 256, small: 16))

    init(store: MediaStore, blobs: any BlobStore, variants: VariantMaker) {
        self.store = store
        self.blobs = blobs
        self.variants = variants
    }

    func handle(_ input: FileInput, _ context: WebContext) async throws -> ServedFile {
        let spec = try VariantSpec(input, accept: context.accept)
        // A link's signature covers the owner in its path. The row is read on every use, so a deleted file answers 404 at once, and so does
        // one of a suspended account, or of a closed one that is not erased yet.
        guard let asset = try await store.served(input.fileId, owner: input.userId) else { throw Problem.noSuchFile }
        guard let spec else {
            return ServedFile(
                byteCount: asset.byteCount, contentType: asset.type, fileName: asset.name, sha256: asset.sha256,
                modifiedAt: asset.createdAt, open: { [blobs] in try await blobs.open(asset.blob) })
        }
        let variant = try await made(asset, spec, context)
        return ServedFile(
            byteCount: variant.byteCount, contentType: variant.type, fileName: spec.fileName(of: asset), sha256: variant.sha256,
            modifiedAt: variant.createdAt, dependsOnAccept: spec.dependsOnAccept,
            open: { [blobs] in try await blobs.open(variant.blob) })
    }

    /// Returns the stored variant or makes it now. A client that disconnects stops waiting, and the work is cancelled when no client waits.
    private func made(_ asset: Asset, _ spec: VariantSpec, _ context: WebContext) async throws -> MediaVariant {
        if let kept = try await store.variant(of: asset.blob, spec.name) { return kept }
        let share = try wait(context.requester)
        defer { share.release() }
        do {
            return try await context.withoutPlace {
                try await context.whileClientIsPresent { [variants] in try await variants.variant(of: asset, spec) }
            }
        } catch is CancellationError {
            // The client is gone and reads no response; status 408 keeps this out of the error log.
            throw Problem(.timeout, "The client closed the request before the smaller copy was made.")
        }
    }

    /// The worker's queue limits the variants. This limits the requests, since any number may wait for the same variant.
    private func wait(_ requester: Requester) throws -> SharedBudget.Share {
        do throws(SharedBudget.Refusal) {
            return try waiting.share(1, of: requester)
        } catch {
            switch error {
            case .total: throw Problem(.unavailable, "Too many requests wait for smaller copies. Try again later.", retryAfter: .seconds(5))
            case .account, .network:
                throw Problem(
                    .tooManyRequests, "Too many requests of your account or network wait for smaller copies.", retryAfter: .seconds(5))
            }
        }
    }
}

extension VariantSpec {
    /// The original's name with the file extension of the variant.
    fileprivate func fileName(of asset: Asset) -> String {
        let stem = asset.name.lastIndex(of: ".").map { asset.name[..<$0] } ?? asset.name[...]
        return "\(stem.isEmpty ? asset.name[...] : stem).\(fileExtension)"
    }
}
