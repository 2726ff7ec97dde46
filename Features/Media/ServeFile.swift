import Blobs
import Core
import Web
import Wire

/// `GET /api/users/user/{userId}/multimedia/files/{fileId}`: the original, byte for byte, by credential or by signed link.
struct ServeFile: Sendable {
    let store: MediaStore
    let blobs: any BlobStore

    func handle(_ input: FilePath, _ context: WebContext) async throws -> ServedFile {
        // A link's signature covers the owner in its path. The row is looked up on every use: deleted now means 404 now.
        guard let asset = try await store.asset(input.fileId, owner: input.userId) else { throw Problem.noSuchFile }
        let key = asset.blob
        return ServedFile(
            byteCount: asset.byteCount, contentType: asset.type, fileName: asset.name, sha256: asset.sha256, modifiedAt: asset.createdAt,
            open: { try await blobs.open(key) })
    }
}
