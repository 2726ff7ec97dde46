import Blobs
import Core
import Web
import Wire

/// `GET /api/users/user/{userId}/multimedia/files/{fileId}`: the original, byte for byte, or a smaller copy of it; by credential or by
/// signed link.
struct ServeFile: Sendable {
    let store: MediaStore
    let blobs: any BlobStore
    let variants: VariantMaker

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
        let variant = try await made(asset, spec)
        return ServedFile(
            byteCount: variant.byteCount, contentType: variant.type, fileName: spec.fileName(of: asset), sha256: variant.sha256,
            modifiedAt: variant.createdAt, dependsOnAccept: spec.dependsOnAccept,
            open: { [blobs] in try await blobs.open(variant.blob) })
    }

    /// Whoever hangs up waits for nothing: a copy that nobody else waits for is not made.
    private func made(_ asset: Asset, _ spec: VariantSpec) async throws -> MediaVariant {
        do {
            return try await ClientPresence.whilePresent { [variants] in try await variants.variant(of: asset, spec) }
        } catch is CancellationError {
            // Nobody reads this answer; 408 keeps it out of the log of faults.
            throw Problem(.timeout, "The request was given up before the smaller copy was made.")
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
