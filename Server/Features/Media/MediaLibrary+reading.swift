package import Blobs
package import Core
package import Database
package import Web

/// Reading files for other features.
extension MediaLibrary {
    /// A stored file.
    package struct StoredFile: Sendable {
        package let id: String
        package let blob: BlobKey
        /// What the server detected in the content.
        package let type: MediaType
        package let byteCount: Int64
        /// When the picture was taken, by the camera's clock; `nil` when the file does not say.
        package let takenAt: Timestamp?
    }

    /// Those of the files that exist and belong to the owner.
    package func files(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [StoredFile] {
        guard !ids.isEmpty else { return [] }
        let assets = try tx.list("\(sql: Asset.table.select) WHERE id IN (\(sql: .list(ids))) AND owner = \(owner)", Asset.init)
        return assets.compactMap { asset in
            MediaType(rawValue: asset.type).map {
                StoredFile(id: asset.id, blob: asset.blob, type: $0, byteCount: asset.byteCount, takenAt: asset.takenAt)
            }
        }
    }

    /// The file's bytes for a response; `nil` when the file does not exist, belongs to another account, or its owner's account is closed
    /// or suspended.
    /// - Parameter name: suggested to the person who saves it.
    package func served(_ id: String, owner: String, named name: String, from blobs: any BlobStore) async throws -> ServedFile? {
        guard let asset = try await store.served(id, owner: owner) else { return nil }
        return ServedFile(
            byteCount: asset.byteCount, contentType: asset.type, fileName: name, sha256: asset.sha256, modifiedAt: asset.createdAt,
            open: { try await blobs.openShared(asset.blob) })
    }
}
