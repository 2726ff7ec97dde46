package import Blobs
package import Core
package import Database
package import KeepsakeWire
package import Web

/// Reads files for other features.
extension MediaLibrary {
    /// A stored file.
    package struct StoredFile: Sendable {
        package let id: String
        package let blob: BlobKey
        /// The type that the server detected in the content.
        package let type: MediaType
        package let byteCount: Int64
        /// A picture's width times its height; 0 when it is unknown.
        package let pixelCount: Int
        /// When the picture was taken, by the camera's clock; `nil` when the file does not say.
        package let takenAt: Timestamp?
    }

    /// The files among `ids` that exist and belong to the owner.
    package func files(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [StoredFile] {
        guard !ids.isEmpty else { return [] }
        let assets = try tx.list("\(sql: Asset.table.select) WHERE id IN (\(sql: .list(ids))) AND \(sql: .owned(by: owner))", Asset.init)
        return assets.compactMap { asset in
            MediaType(rawValue: asset.type).map {
                StoredFile(
                    id: asset.id, blob: asset.blob, type: $0, byteCount: asset.byteCount,
                    pixelCount: (asset.width ?? 0) * (asset.height ?? 0), takenAt: asset.takenAt)
            }
        }
    }
}

/// Serves files of the library, also under links of other features. Whether it redirects to the object store does not depend on the
/// feature.
package struct LibraryFiles: Sendable {
    let store: MediaStore
    let files: StoredFiles
    let films: FilmPlayback

    /// The file's bytes, or those of a smaller copy, for a response.
    /// - Parameters:
    ///   - input: the file and its owner. May request a smaller copy, or a film that browsers can play; otherwise the original is served.
    ///   - name: the file name that the response suggests; a copy gets the extension of its format. Default: the file's own name.
    /// - Returns: `nil` when the file does not exist, belongs to another account, or its owner's account is closed or suspended.
    /// - Throws: `.invalid` for an invalid size, `.unprocessable` when the file has no such copy, `.conflict` while a film is being
    ///   converted; what `VariantMaker` throws when a copy must be made.
    package func served(_ input: FileInput, named name: String? = nil, _ context: WebContext) async throws -> ServedFile? {
        let spec = try VariantSpec(input, accept: context.accept)
        if try FilmCopy.isRequested(input) { return try await films.served(input, named: name, files, context) }
        // A link's signature covers the owner in its path. The row is read on every use, so a request for a deleted file gets 404 at once.
        // So does a request for a file of an account that is suspended, or closed and not erased yet.
        guard let spec else {
            return try await store.served(input.fileId, owner: input.userId).map { files.original($0, named: name ?? $0.name) }
        }
        guard let (asset, kept) = try await store.served(input.fileId, owner: input.userId, copy: spec.name) else { return nil }
        return try await files.smaller(asset, kept, spec, named: name ?? asset.name, context)
    }
}
