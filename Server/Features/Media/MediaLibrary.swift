package import Blobs
import Core
package import Database
package import Web

/// What other rooms do with files: each call is part of the caller's own transaction, so that its rows and the files' are one.
package struct MediaLibrary: Sendable {
    let store: MediaStore
    let presenter: MediaPresenter
    let identifiers: Identifiers

    /// Pictures and films that come with a request under `file` or `image`: 10 of 50 MB.
    package static var attachments: UploadRules.FileKind { MediaRules.attachments }
    /// One sound of 25 MB under `voiceNote`.
    package static var voiceNote: UploadRules.FileKind { MediaRules.voiceNote }
    /// One sound of 200 MB under `audio`.
    package static var recording: UploadRules.FileKind { MediaRules.recording }
    /// The field of a received file that holds a voice note.
    package static let voiceField = "voiceNote"

    /// As stored answers name a file.
    package static func resource(_ id: String) -> CreatedResource { CreatedResource(kind: Asset.kind, id: id) }

    /// A received file, with the id it will have.
    package struct File: Sendable {
        package let id: String
        /// Milliseconds, as measured.
        package let durationMilliseconds: Int64?
        let asset: NewAsset

        package var byteCount: Int64 { asset.blob.byteCount }
        /// 64 lower-case hexadecimal digits.
        package var sha256: String { asset.blob.sha256 }
        /// 200 peaks, 0...255 of full scale, of a sound.
        package var peaks: [UInt8]? { asset.facts.peaks }
        /// Under which its bytes are staged.
        package var stagedKey: BlobKey { asset.blob.key }
    }

    /// - Parameter category: what it is listed under in the library.
    package func file(_ received: ReceivedUpload.File, category: String, groupID: String?) -> File {
        let asset = NewAsset(
            received, id: identifiers.next(), labels: MediaRules.Labels(category: category, tags: [], groupID: groupID))
        return File(id: asset.id, durationMilliseconds: received.facts.durationMilliseconds, asset: asset)
    }

    /// Adds the files, and counts them and the caller's own new rows against the owner's quota.
    /// - Parameter rowBytes: what the caller's rows count, see `RowBytes`.
    /// - Returns: which staged bytes turned out to be there already.
    /// - Throws: `.tooLarge` when the owner's quota does not hold them.
    package func add(_ files: [File], rowBytes: Int64, owner: String, _ tx: WriteTransaction) throws -> [BlobKey] {
        try store.add(files.map(\.asset), rowBytes: rowBytes, owner: owner, tx).surplus
    }

    /// Gives back what was reserved for a file that is not added.
    package func pass(over file: File, owner: String, _ tx: WriteTransaction) throws {
        let reserved = try store.takeReservations(of: [file.asset], owner: owner, tx)
        if reserved > 0 { try store.usage.note(.init(reserved: reserved), of: owner, tx) }
    }

    // MARK: Rows of other features, as they count against the quota

    /// A row is changed: what it grows by may be refused.
    /// - Parameters:
    ///   - counted: what it was counted with; `nil` for a row from before rows were counted.
    ///   - old: what it would be counted with as it was.
    /// - Throws: `.tooLarge` when the owner's quota does not hold it.
    package func change(rowFrom counted: Int64?, _ old: Int64, to new: Int64, owner: String, _ tx: WriteTransaction) throws {
        try store.usage.change(from: counted, old, to: new, of: owner, tx)
    }

    /// Counts rows that are made or, with a negative amount, deleted.
    /// - Throws: `.tooLarge` when the owner's quota does not hold what is added.
    @Sendable package func count(rowBytes: Int64, owner: String, _ tx: WriteTransaction) throws {
        if rowBytes > 0 { try store.usage.add(.init(rowBytes: rowBytes), to: owner, tx) }
        if rowBytes < 0 { try store.usage.note(.init(rowBytes: rowBytes), of: owner, tx) }
    }

    /// Counts what cannot be refused, because the server wrote it; negative when rows are deleted.
    package func note(rowBytes: Int64, owner: String, _ tx: WriteTransaction) throws {
        if rowBytes != 0 { try store.usage.note(.init(rowBytes: rowBytes), of: owner, tx) }
    }

    /// Ids that are nobody's, or somebody else's, are passed over.
    package func erase(_ ids: [String], owner: String, _ tx: WriteTransaction) throws {
        for id in ids {
            if let asset = try store.asset(id, owner: owner, tx) { try store.erase(asset, tx) }
        }
    }

    /// Where a file's bytes are.
    /// - Returns: `nil` when there is no such file, or it is somebody else's.
    package func blob(_ id: String, owner: String) async throws -> BlobKey? { try await store.asset(id, owner: owner)?.blob }

    /// Absolute and signed, until the file is deleted or the link's days are over.
    package func link(_ id: String, owner: String) -> String { presenter.link(id, owner: owner) }

    /// The same for the files of a page: by id.
    package func links(of owner: String) -> LinkSeries { presenter.series(of: owner) }
}
