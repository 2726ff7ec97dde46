import Blobs
import Core
import Database
import Media

/// All SQL of the table `profile_photo`. The photos' files belong to the media library, and so does the choice of the profile picture. So a
/// profile picture that surface 0 uploaded is one of these photos too.
struct PhotoStore: Sendable {
    let database: any Database
    let library: MediaLibrary

    /// Adds a photo. If it becomes the profile picture, the previous profile picture is deleted.
    /// - Parameter answering: makes the response inside the transaction, so that the response is stored together with the row.
    /// - Returns: the response, and the staged blobs that duplicate stored bytes.
    /// - Throws: `Problem.tooManyPhotos`; `.tooLarge` when the file exceeds the account's quota.
    func add<Answer: Sendable>(
        _ file: MediaLibrary.File, id: String, _ account: String, asProfilePicture: Bool,
        answering: @escaping @Sendable (StoredPhoto, WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey]) {
        if asProfilePicture, let old = try await database.read({ tx in try library.profilePicture(of: account, tx) }) {
            try await library.prepareErasing([old], owner: account)
        }
        return try await database.write { tx in
            try tx.lock(Self.lock(account))
            let surplus: [BlobKey]
            if asProfilePicture {
                surplus = try library.addProfilePicture(file, owner: account, tx)
            } else {
                let count = try photos(of: account, tx).count { !$0.isProfilePicture }
                guard count < PhotoRules.maxCount else { throw Problem.tooManyPhotos }
                // The photo's row does not count against the quota: an account has few photos, and each file counts for more bytes than
                // the file and the photo's row take together.
                surplus = try library.add([file], rowBytes: 0, owner: account, tx)
            }
            let photo = StoredPhoto(id: id, media: file.id, isProfilePicture: asProfilePicture)
            try tx.run(Self.insert(photo, account))
            return (try answering(photo, tx), surplus)
        }
    }

    /// Replaces a photo's file. The photo keeps its id, its place in the list, and whether it is the profile picture.
    /// - Returns: the same as `add`.
    /// - Throws: `Problem.noSuchPhoto`; `.tooLarge` when the file exceeds the account's quota.
    func replace<Answer: Sendable>(
        _ id: String, with file: MediaLibrary.File, _ account: String,
        answering: @escaping @Sendable (StoredPhoto, WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey]) {
        try await prepareErasing(id, account)
        return try await database.write { tx in
            try tx.lock(Self.lock(account))
            // The second condition fails when the file was deleted through the library at the same moment.
            guard let old = try photo(id, of: account, tx),
                let (surplus, isProfilePicture) = try library.replace(old.media, with: file, owner: account, tx)
            else { throw Problem.noSuchPhoto }
            // The row of the old photo was deleted with its file, so insert a new one.
            let photo = StoredPhoto(id: id, media: file.id, isProfilePicture: isProfilePicture)
            try tx.run(Self.insert(photo, account))
            return (try answering(photo, tx), surplus)
        }
    }

    /// - Returns: whether the account had such a photo.
    func delete(_ id: String, _ account: String) async throws -> Bool {
        try await prepareErasing(id, account)
        return try await database.write { tx in
            try tx.lock(Self.lock(account))
            guard let photo = try photo(id, of: account, tx) else { return false }
            try library.erase([photo.media], owner: account, tx)
            return true
        }
    }

    /// Call it before a write that erases the photo's file.
    private func prepareErasing(_ id: String, _ account: String) async throws {
        guard let old = try await database.read({ tx in try photo(id, of: account, tx) }) else { return }
        try await library.prepareErasing([old.media], owner: account)
    }

    /// The size of the account's largest photo in bytes; 0 when it has none.
    func largestByteCount(of account: String) async throws -> Int64 {
        try await database.read { tx in
            try photos(of: account, tx).reduce(0) { largest, photo in
                max(largest, try library.byteCount(of: photo.media, owner: account, tx) ?? 0)
            }
        }
    }

    // MARK: Inside a transaction

    /// The account's photos, in the order in which they were uploaded: at most `PhotoRules.maxCount`, and the profile picture.
    func photos(of account: String, _ tx: ReadTransaction) throws -> [StoredPhoto] {
        var photos = try tx.list(Self.photos(of: account)) { row in
            let (id, media): (String, String) = (try row.next("id"), try row.next("media"))
            let picture: String? = try row.next("picture")
            return StoredPhoto(id: id, media: media, isProfilePicture: picture != nil)
        }
        if !photos.contains(where: \.isProfilePicture), let picture = try library.profilePicture(of: account, tx) {
            // The ids of the library sort by time as well.
            let place = photos.firstIndex { $0.id > picture } ?? photos.endIndex
            photos.insert(StoredPhoto(id: picture, media: picture, isProfilePicture: true), at: place)
        }
        return photos
    }

    private func photo(_ id: String, of account: String, _ tx: ReadTransaction) throws -> StoredPhoto? {
        try photos(of: account, tx).first { $0.id == id }
    }

    // MARK: Statements

    private static func lock(_ account: String) -> String { "photos of " + account }

    static func photos(of account: String) -> SQL {
        """
        SELECT profile_photo.id, profile_photo.media, profile_picture.media AS picture
        FROM profile_photo LEFT JOIN profile_picture ON profile_picture.media = profile_photo.media
        WHERE profile_photo.account = \(account) ORDER BY profile_photo.id
        """
    }

    static func insert(_ photo: StoredPhoto, _ account: String) -> SQL {
        "INSERT INTO profile_photo (account, id, media) VALUES (\(account), \(photo.id), \(photo.media))"
    }
}
