package import Blobs
import Core
package import Database
package import Web

/// File operations for other features. Each call runs in the caller's transaction, so that the caller's rows and the files' rows commit
/// together.
package struct MediaLibrary: Sendable {
    let store: MediaStore
    let presenter: MediaPresenter
    let identifiers: Identifiers
    var limits = GeneralUploadLimits()

    /// Pictures and videos in the fields `file` and `image`: at most 10 files of 50 MB, or of the size that `limited` sets.
    package static var attachments: UploadRules.FileKind { MediaRules.attachments }
    /// One audio file of at most 25 MB in the field `voiceNote`.
    package static var voiceNote: UploadRules.FileKind { MediaRules.voiceNote }
    /// One audio file of at most 200 MB in the field `audio`.
    package static var recording: UploadRules.FileKind { MediaRules.recording }
    /// One photo or recording of at most 50 MB in the field `file`.
    package static var captured: UploadRules.FileKind { MediaRules.captured }
    /// One picture of at most 10 MB: JPEG, PNG, WebP or HEIC. As everywhere in surface 1, an invalid file ends the request: with 413 when
    /// the picture is too large, otherwise with 400.
    /// - Parameter members: the form fields, or members of a JSON object, that may contain the picture.
    package static func picture(in members: Set<String>) -> UploadRules { MediaRules.picture(in: members) }
    /// The form field of a voice note.
    package static let voiceField = "voiceNote"

    /// The rules of a request that takes `attachments`, with the size limits that the operator has set.
    package func limited(_ rules: UploadRules) -> UploadRules { limits.applied(to: rules) }

    /// Identifies a file that a stored response names.
    package static func resource(_ id: String) -> CreatedResource { CreatedResource(kind: Asset.kind, id: id) }

    /// A received file with the id that its asset will have.
    package struct File: Sendable {
        package let id: String
        /// Milliseconds, as measured by the media worker; `nil` for pictures.
        package let durationMilliseconds: Int64?
        let asset: NewAsset

        /// The type that the server detected in the content.
        package var type: MediaType? { MediaType(rawValue: asset.facts.type) }
        package var byteCount: Int64 { asset.blob.byteCount }
        /// 64 lower-case hexadecimal digits.
        package var sha256: String { asset.blob.sha256 }
        /// 200 peaks, each from 0 to 255 (full scale); `nil` unless the file is audio.
        package var peaks: [UInt8]? { asset.facts.peaks }
        /// The blob key under which the bytes are staged.
        package var stagedKey: BlobKey { asset.blob.key }
    }

    /// - Parameter category: the asset's category in the library.
    package func file(_ received: ReceivedUpload.File, category: String, groupID: String?) -> File {
        let asset = NewAsset(
            received, id: identifiers.next(), labels: MediaRules.Labels(category: category, tags: [], groupID: groupID))
        return File(id: asset.id, durationMilliseconds: received.facts.durationMilliseconds, asset: asset)
    }

    /// As `file`, for the files of one request. Lists show them in this order.
    /// - Parameter category: returns the category of each file.
    package func files(_ received: [ReceivedUpload.File], groupID: String?, category: (ReceivedUpload.File) -> String) -> [File] {
        zip(received, identifiers.descending(received.count)).map { file, id in
            let labels = MediaRules.Labels(category: category(file), tags: [], groupID: groupID)
            return File(id: id, durationMilliseconds: file.facts.durationMilliseconds, asset: NewAsset(file, id: id, labels: labels))
        }
    }

    /// Adds the files. Counts them and the caller's new rows against the owner's quota.
    /// - Parameter rowBytes: bytes of the caller's rows, see `RowBytes`.
    /// - Returns: the staged blobs that duplicate stored bytes.
    /// - Throws: `.tooLarge` when the files and rows exceed the owner's quota.
    package func add(_ files: [File], rowBytes: Int64, owner: String, _ tx: WriteTransaction) throws -> [BlobKey] {
        try store.add(files.map(\.asset), rowBytes: rowBytes, owner: owner, tx).surplus
    }

    /// Releases the quota that an upload reserved for a file, when the file is not added.
    package func pass(over file: File, owner: String, _ tx: WriteTransaction) throws {
        let reserved = try store.takeReservations(of: [file.asset], owner: owner, tx)
        if reserved > 0 { try store.usage.note(.init(reserved: reserved), of: owner, tx) }
    }

    // MARK: Profile pictures

    /// The id of the account's profile picture; `nil` when it has none.
    package func profilePicture(of account: String, _ tx: ReadTransaction) throws -> String? {
        try store.picture(of: account, tx)?.id
    }

    /// The size of the account's profile picture. An upload that replaces the picture frees these bytes; pass them as `replacing` to its
    /// `UploadSession`.
    package func profilePictureByteCount(of account: String) async throws -> Int64 {
        try await store.profilePicture(of: account)?.byteCount ?? 0
    }

    // MARK: Quota of other features' rows

    /// Adjusts the owner's usage for a changed row.
    /// - Parameters:
    ///   - counted: bytes that were counted for the row so far; `nil` if an earlier version stored the row and did not count it.
    ///   - old: bytes of the row before the change, by the current rules of `RowBytes`.
    /// - Throws: `.tooLarge` when the row's growth exceeds the owner's quota.
    package func change(rowFrom counted: Int64?, _ old: Int64, to new: Int64, owner: String, _ tx: WriteTransaction) throws {
        try store.usage.change(from: counted, old, to: new, of: owner, tx)
    }

    /// Counts inserted rows, or deleted rows with a negative amount.
    /// - Throws: `.tooLarge` when a positive amount exceeds the owner's quota.
    @Sendable package func count(rowBytes: Int64, owner: String, _ tx: WriteTransaction) throws {
        if rowBytes > 0 { try store.usage.add(.init(rowBytes: rowBytes), to: owner, tx) }
        if rowBytes < 0 { try store.usage.note(.init(rowBytes: rowBytes), of: owner, tx) }
    }

    /// Counts inserted rows, without a separate round trip to the database.
    /// - Parameter error: the write fails with this error when the bytes exceed the owner's quota, or when the owner has stored nothing
    ///   before. Then retry with `count(rowBytes:owner:_:)` in another write.
    package func send(rowBytes: Int64, owner: String, otherwise error: any Error, _ tx: WriteTransaction) throws {
        try tx.send(UsageLedger.add(.init(rowBytes: rowBytes), to: owner, store.quota), expecting: 1, otherwise: error)
    }

    /// Waits for other writes that have locked the account's usage, and locks it until this write ends.
    package func lockUsage(of owner: String, _ tx: WriteTransaction) throws {
        _ = try tx.rows(UsageLedger.locked(owner, tx.lockingRows))
    }

    /// Locks the usage of accounts until this write ends. It skips accounts whose usage another write has locked.
    /// - Parameter owners: at least one.
    /// - Returns: the accounts whose usage this write has locked. The others have stored nothing yet, or another write has locked their
    ///   usage.
    package func tryLockUsage(of owners: [String], _ tx: WriteTransaction) throws -> Set<String> {
        Set(try tx.list(UsageLedger.free(among: owners, tx.skippingLocked)) { (row: inout RowReader) -> String in try row.next("account") })
    }

    /// Counts rows that the server itself writes. They may exceed the quota. A negative amount is for deleted rows.
    package func note(rowBytes: Int64, owner: String, _ tx: WriteTransaction) throws {
        if rowBytes != 0 { try store.usage.note(.init(rowBytes: rowBytes), of: owner, tx) }
    }

    /// Erases files. Skips ids that do not exist or belong to another account. Call `prepareErasing` first.
    package func erase(_ ids: [String], owner: String, _ tx: WriteTransaction) throws {
        for id in ids {
            if let asset = try store.asset(id, owner: owner, tx) { try store.erase(asset, tx) }
        }
    }

    /// The key of the file's blob.
    /// - Returns: `nil` when the file does not exist or belongs to another account.
    package func blob(_ id: String, owner: String) async throws -> BlobKey? { try await store.asset(id, owner: owner)?.blob }

    /// An absolute, signed URL. Valid until it expires or the file is deleted.
    package func link(_ id: String, owner: String) -> String { presenter.link(id, owner: owner) }

    /// Makes links as `link` does, for a page of files of one owner.
    package func links(of owner: String) -> LinkSeries { presenter.series(of: owner) }

    /// An absolute, signed URL under which other users see a picture: the original, or, if its metadata hold a position, the same pixels
    /// without metadata. The link never gives access to the original of such a picture. It is valid as long as `link`.
    package func sharedLink(_ id: String, owner: String) -> String { presenter.sharedLink(id, owner: owner) }

    /// Makes links as `sharedLink` does, for a list of files of one owner.
    package func sharedLinks(of owner: String) -> LinkSeries { presenter.sharedSeries(of: owner) }
}
