import Core
import KeepsakeWire
import Web

/// Serves films in a form that browsers play: the original if browsers play it, otherwise the film's copy.
struct FilmPlayback: Sendable {
    let store: MediaStore
    /// Whether the server converts films.
    let isOn: Bool

    /// How long clients are told to wait while a film is being converted.
    private static let pause = Duration.seconds(5)

    /// - Returns: `nil` when the file does not exist, belongs to another account, or its owner's account is closed or suspended.
    /// - Throws: `.conflict` while the film is being converted, `.unprocessable` when it cannot be.
    func served(_ input: FileInput, named name: String?, _ files: StoredFiles, _ context: WebContext) async throws -> ServedFile? {
        guard let (asset, kept, known) = try await store.film(input.fileId, owner: input.userId) else { return nil }
        var playback = known
        let name = name ?? asset.name
        guard MediaType(rawValue: asset.type)?.kind == .video else { return files.original(asset, named: name) }
        if let kept { return files.film(kept, of: asset, named: name) }
        // Either the film was stored before the server read codecs, or its copy was deleted when another account handed the film over.
        if playback == nil || playback == .copy { playback = try await files.playback(of: asset, context) }
        switch playback {
        case .original: return files.original(asset, named: name)
        case .damaged: throw Problem(.unprocessable, "The film is damaged. It cannot be converted for browsers; download the original.")
        case .beyondLimits:
            throw Problem(.unprocessable, "The film is too long to be converted for browsers on this server; download the original.")
        case .failed: throw Problem(.unprocessable, "The film could not be converted for browsers; download the original.")
        case .waiting, .converting, .copy, nil:
            guard isOn else { throw Problem(.unprocessable, "This server does not convert films for browsers; download the original.") }
            throw Problem(.conflict, "The film is being converted. Try again later.", retryAfter: Self.pause)
        }
    }
}
