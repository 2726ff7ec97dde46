import Blobs
import Core
import Media

/// Limits of photos.
enum PhotoRules {
    /// The names that the JSON member with the picture may have.
    static let members: Set<String> = ["base64Image", "data"]
    /// The most photos of a profile, in addition to its profile picture.
    static let maxCount = 30

    static var upload: UploadRules { MediaLibrary.picture(in: members) }

    static func missing(_ member: String) -> Problem {
        Problem(.invalid, "\(member) is missing; send a JPEG, PNG, WebP or HEIC in base64.", field: member)
    }
}

extension Problem {
    static let noSuchPhoto = Problem(.notFound, "You have no such photo.", field: "photoId")
    static let tooManyPhotos = Problem(
        .conflict, "You have \(PhotoRules.maxCount) photos besides your profile picture. Delete one first.")
}
