package import Blobs
package import Database

/// Adds a file in place of another one. The bytes of the replaced file do not count against the quota.
extension MediaLibrary {
    /// Adds a picture and makes it the owner's profile picture. The previous one is erased.
    /// - Returns: the staged blobs that duplicate stored bytes.
    /// - Throws: `.tooLarge` when the file exceeds the owner's quota.
    package func addProfilePicture(_ file: File, owner: String, _ tx: WriteTransaction) throws -> [BlobKey] {
        // Reservations are locked before the account's row, which erasing changes.
        let reserved = try store.takeReservations(of: [file.asset], owner: owner, tx)
        try tx.lock(MediaStore.pictureLock(owner))
        if let old = try store.picture(of: owner, tx) { try store.erase(old, tx) }
        let surplus = try store.add([file.asset], owner: owner, reserved: reserved, tx).surplus
        try store.setProfilePicture(file.id, of: owner, tx)
        return surplus
    }

    /// Adds a file in place of another one, which is erased. If that one was the profile picture, the new file becomes the profile picture.
    /// - Returns: the staged blobs that duplicate stored bytes, and whether the file is the profile picture; `nil` when the owner has no
    ///   file with this id. Then nothing of the new file is written; roll the transaction back.
    /// - Throws: `.tooLarge` when the file exceeds the owner's quota.
    package func replace(
        _ id: String, with file: File, owner: String, _ tx: WriteTransaction
    ) throws -> (surplus: [BlobKey], isProfilePicture: Bool)? {
        let reserved = try store.takeReservations(of: [file.asset], owner: owner, tx)
        try tx.lock(MediaStore.pictureLock(owner))
        guard let old = try store.asset(id, owner: owner, tx) else { return nil }
        let isProfilePicture = try store.picture(of: owner, tx)?.id == id
        try store.erase(old, tx)
        let surplus = try store.add([file.asset], owner: owner, reserved: reserved, tx).surplus
        if isProfilePicture { try store.setProfilePicture(file.id, of: owner, tx) }
        return (surplus, isProfilePicture)
    }

    /// The size of a file in bytes; `nil` when the owner has no file with this id.
    package func byteCount(of id: String, owner: String, _ tx: ReadTransaction) throws -> Int64? {
        try store.asset(id, owner: owner, tx)?.byteCount
    }
}
