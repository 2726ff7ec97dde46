/// A photo of a profile.
struct StoredPhoto: Sendable, Equatable {
    /// Stays the same when the photo's file is replaced. Sorts by the time of the upload.
    let id: String
    /// The media library's id of the photo's file.
    let media: String
    let isProfilePicture: Bool
}
