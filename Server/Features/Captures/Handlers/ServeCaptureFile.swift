import Core
import KeepsakeWire
import Media
import Web

/// `GET /raw-media/{userId}/memories/{captureId}/{name}`: the file, or a smaller copy of a photo. Needs a credential or a signed link.
struct ServeCaptureFile: Sendable {
    let store: CaptureStore
    let files: LibraryFiles

    func handle(_ input: CaptureFileInput, _ context: WebContext) async throws -> ServedFile {
        let stem = input.name.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        guard let kind = CaptureFileRow.Kind(rawValue: stem), CaptureRules.isID(input.captureId),
            let file = try await store.file(kind, of: input.captureId, owner: input.userId),
            let served = try await files.served(
                FileInput(
                    userId: input.userId, fileId: file.media, w: input.w, h: input.h, fit: input.fit, format: input.format, q: input.q),
                named: "\(kind.rawValue).\(MediaType(rawValue: file.type)?.fileExtension ?? "bin")", context)
        else { throw Problem(.notFound, "There is no such file.") }
        return served
    }
}
