/// A photo of a profile.
struct StoredPhoto: Sendable, Equatable {
    /// Stays when the photo's file is replaced. Sorts by the time of the upload.
    let id: String
    /// The media library's id of its file.
    let media: String
    let isProfilePicture: Bool
}
