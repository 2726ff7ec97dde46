import Blobs
import Core
import KeepsakeWire
import Media
import Web

/// `GET /raw-media/{userId}/memories/{captureId}/{name}`: needs a credential or a signed link.
struct ServeCaptureFile: Sendable {
    let store: CaptureStore
    let library: MediaLibrary
    let blobs: any BlobStore

    func handle(_ input: CaptureFileInput, _ context: WebContext) async throws -> ServedFile {
        let stem = input.name.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        guard let kind = CaptureFileRow.Kind(rawValue: stem), CaptureRules.isID(input.captureId),
            let file = try await store.file(kind, of: input.captureId, owner: input.userId),
            let served = try await library.served(
                file.media, owner: input.userId, named: "\(kind.rawValue).\(MediaType(rawValue: file.type)?.fileExtension ?? "bin")",
                from: blobs)
        else { throw Problem(.notFound, "There is no such file.") }
        return served
    }
}
