import KeepsakeWire
import Media

/// Renders photos as surface 1's JSON.
struct PhotoPresenter: Sendable {
    let library: MediaLibrary

    func photo(_ photo: StoredPhoto, owner: String) -> ProfilePhoto {
        ProfilePhoto(id: photo.id, url: library.sharedLink(photo.media, owner: owner), isProfilePic: photo.isProfilePicture)
    }
}
