import Core
import KeepsakeWire

/// What `?play=1` serves for a film. It is stored in the column `media.playback`.
enum Playback: String, Sendable, CaseIterable {
    /// Browsers play the original.
    case original
    /// The film is not converted yet. One film of each account is `converting`, and the others wait for it.
    case waiting
    /// A job converts the film, or waits for its turn on a node.
    case converting
    /// There is a copy.
    case copy
    /// ffmpeg cannot read the film.
    case damaged
    /// The conversion took longer than the operator allows, or the copy grew too large.
    case beyondLimits = "beyond-limits"
    /// Every attempt ended with another error, which is stored with the parked job. When the operator retries the job and it succeeds, the
    /// film has a copy.
    case failed
}

/// The copy of a film for browsers. It is stored like a smaller copy (`media_variant`) of this name.
enum FilmCopy {
    /// If the way to convert films changes, the name must change, too.
    static let name = "play-1"
    static let type = "video/mp4"

    /// - Throws: `.invalid` for a value other than 1, or when the request also asks for the size of a picture.
    static func isRequested(_ input: FileInput) throws -> Bool {
        guard let play = input.play else { return false }
        guard play == 1 else { throw Problem(.invalid, "play must be 1.", field: "play") }
        guard input.w == nil, input.h == nil, input.fit == nil, input.format == nil, input.q == nil else {
            throw Problem(.invalid, "play cannot be combined with w, h, fit, format and q.", field: "play")
        }
        return true
    }
}
