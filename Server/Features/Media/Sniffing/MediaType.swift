/// Every file type that the library stores, by the content type that it is stored and served with.
package enum MediaType: String, Sendable, CaseIterable, Codable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case webp = "image/webp"
    case gif = "image/gif"
    /// HEIF with HEVC, the iPhone's format. Includes sequences: they are registered as `image/heic-sequence`, but clients do not know that
    /// type.
    case heic = "image/heic"
    /// HEIF with another codec, except AV1: AVIF is a type of its own and not accepted.
    case heif = "image/heif"
    case mp4 = "video/mp4"
    case mov = "video/quicktime"
    case mp3 = "audio/mpeg"
    case m4a = "audio/mp4"
    case wav = "audio/wav"

    package enum Kind: String, Sendable, CaseIterable, Codable {
        case image, video, audio
    }

    package var kind: Kind {
        switch self {
        case .jpeg, .png, .webp, .gif, .heic, .heif: .image
        case .mp4, .mov: .video
        case .mp3, .m4a, .wav: .audio
        }
    }

    /// Without a dot; for file names that the server makes up, in downloads and exports.
    package var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        case .webp: "webp"
        case .gif: "gif"
        case .heic: "heic"
        case .heif: "heif"
        case .mp4: "mp4"
        case .mov: "mov"
        case .mp3: "mp3"
        case .m4a: "m4a"
        case .wav: "wav"
        }
    }
}
