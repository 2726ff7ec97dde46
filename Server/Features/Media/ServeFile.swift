import Blobs
import Core
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/multimedia/files/{fileId}`: the original, byte for byte, or a smaller copy of it; by credential or by
/// signed link.
struct ServeFile: Sendable {
    let store: MediaStore
    let blobs: any BlobStore
    let variants: VariantMaker
    /// Requests that wait for a smaller copy to be made.
    private let waiting = SharedBudget(SharedBudget.Limits(total: 1_024, perAccount: 128, perNetwork: 256, reserve: 256, small: 16))

    init(store: MediaStore, blobs: any BlobStore, variants: VariantMaker) {
        self.store = store
        self.blobs = blobs
        self.variants = variants
    }

    func handle(_ input: FileInput, _ context: WebContext) async throws -> ServedFile {
        let spec = try VariantSpec(input, accept: context.accept)
        // A link's signature covers the owner in its path. The row is looked up on every use: deleted now means 404 now,
        // and so does an account that has ended and is not yet erased.
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

    /// The copy that is kept, or one that is made now. A client that hangs up no longer waits, and a copy that nobody waits for is not made.
    private func made(_ asset: Asset, _ spec: VariantSpec, _ context: WebContext) async throws -> MediaVariant {
        if let kept = try await store.variant(of: asset.blob, spec.name) { return kept }
        let share = try wait(context.requester)
        defer { share.release() }
        do {
            return try await context.withoutPlace {
                try await context.whileClientIsPresent { [variants] in try await variants.variant(of: asset, spec) }
            }
        } catch is CancellationError {
            // Nobody reads this answer; 408 keeps it out of the log of faults.
            throw Problem(.timeout, "The request was given up before the smaller copy was made.")
        }
    }

    /// The worker's queue bounds the copies, and this the requests: any number could wait for the same copy.
    private func wait(_ requester: Requester) throws -> SharedBudget.Share {
        do throws(SharedBudget.Refusal) {
            return try waiting.share(1, of: requester)
        } catch {
            switch error {
            case .total: throw Problem(.unavailable, "Too many smaller copies are waited for. Try again shortly.", retryAfter: .seconds(5))
            case .account, .network:
                throw Problem(
                    .tooManyRequests, "Your account or network waits for too many smaller copies already.", retryAfter: .seconds(5))
            }
        }
    }
}

extension VariantSpec {
    /// The original's name, with the ending of what it is now.
    fileprivate func fileName(of asset: Asset) -> String {
        let stem = asset.name.lastIndex(of: ".").map { asset.name[..<$0] } ?? asset.name[...]
        return "\(stem.isEmpty ? asset.name[...] : stem).\(fileExtension)"
    }
}
