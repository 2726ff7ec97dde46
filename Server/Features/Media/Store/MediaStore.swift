import Blobs
import Core
import Database
import FeatureKit
import Foundation
import Jobs
import Live
import Search
import Web

/// All SQL of the table `media`.
struct MediaStore: Sendable {
    let database: any Database
    let ledger: BlobLedger
    let clock: WallClock
    let quota: MediaQuota
    let events: EventLog
    let uses: [FileUse]
    var erasures = FileErasures()
    var search = SearchIndex()
    /// Enqueues the conversions of films; `nil` when the server converts none.
    var conversions: JobQueue?
    /// The time zone of an account, for photos whose camera stated none.
    var timeZone: @Sendable (_ account: String, ReadTransaction) throws -> TimeZone = { _, _ in .gmt }

    var usage: UsageLedger { UsageLedger(quota: quota) }

    /// Stores the files of one request: all or none.
    /// - Parameters:
    ///   - words: those of the files' labels, which all files of a request have in common.
    ///   - asProfilePicture: the only file becomes the owner's profile picture, and the previous one is deleted.
    ///   - answering: makes the response inside the transaction, so that the response is stored together with the rows.
    /// - Returns: the response, and the staged blobs that duplicate stored bytes.
    /// - Throws: `.tooLarge` when the files exceed the owner's quota.
    func add<Answer: Sendable>(
        _ files: [NewAsset], _ words: SearchWords, owner: String, asProfilePicture: Bool = false,
        answering: @escaping @Sendable ([Asset], WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey]) {
        let words = files.map { words.adding($0.nameTexts) }
        if asProfilePicture, let old = try await profilePicture(of: owner) { try await erasures.prepare([old.id], owner) }
        return try await database.write { tx in
            // Reservations are locked before the account's row, which deleting the previous picture changes.
            let reserved = try takeReservations(of: files, owner: owner, tx)
            if asProfilePicture {
                try tx.lock(Self.pictureLock(owner))
                if let old = try picture(of: owner, tx) { try erase(old, tx) }
            }
            let (assets, surplus) = try add(files, owner: owner, reserved: reserved, tx)
            if asProfilePicture, let asset = assets.first {
                try tx.send("INSERT INTO profile_picture (account, media) VALUES (\(owner), \(asset.id))")
            }
            // A search finds files of other features through their entries, so only these files are indexed.
            for (asset, words) in zip(assets, words) { try search.put(asset.document, words, tx) }
            return (try answering(assets, tx), surplus)
        }
    }

    /// The name of the lock for writes that read an asset and then change it.
    static func lock(_ asset: String) -> String { "media " + asset }

    /// - Returns: `nil` when the asset does not exist or belongs to another account.
    func asset(_ id: String, owner: String) async throws -> Asset? {
        try await database.first(Self.one(id, owner: owner), Asset.init(_:))
    }

    /// - Parameter split: see `SearchIndex.splitting`.
    /// - Returns: `nil` when the asset does not exist or belongs to another account.
    func update(_ id: String, owner: String, _ change: MediaChange, split: SplitTexts?) async throws -> Asset? {
        try await database.write { tx in
            try tx.lock(Self.lock(id))
            guard var asset = try asset(id, owner: owner, tx), asset.isListed else { return nil }
            let counted: Int64? = try tx.row("SELECT row_bytes FROM media WHERE id = \(id) AND owner = \(owner)")?.get("row_bytes")
            let before = asset
            let old = asset.rowBytes
            change.apply(to: &asset)
            // Without a change there is no event, because other devices would fetch a file that is the same.
            if asset == before { return asset }
            let changed = try tx.run(
                """
                UPDATE media SET title = \(asset.title), description = \(asset.description), category = \(asset.category),
                    group_id = \(asset.groupID), tags = \(TextList.encode(asset.tags)), taken_at = \(asset.takenAt),
                    timeline_at = CASE WHEN timeline_at IS NOT NULL THEN \(asset.moment) END, row_bytes = \(asset.rowBytes)
                WHERE id = \(id) AND owner = \(owner)
                """)
            // The asset was deleted after it was read.
            guard changed == 1 else { return nil }
            try usage.change(from: counted, old, to: asset.rowBytes, of: owner, tx)
            try tx.send("DELETE FROM media_tag WHERE media = \(id)")
            try insertTags(asset, tx)
            try search.put(asset.document, split: split, tx)
            try events.emit(.mediaChanged, MediaEvent(asset), to: owner, tx)
            return asset
        }
    }

    /// - Returns: whether the owner had such an asset.
    func delete(_ id: String, owner: String) async throws -> Bool {
        try await erasures.prepare([id], owner)
        return try await database.write { tx in
            guard let asset = try asset(id, owner: owner, tx) else { return false }
            try erase(asset, tx)
            return true
        }
    }

    /// - Returns: 200 peaks, each from 0 to 255 (full scale); `nil` when there is no such audio file or it belongs to another account.
    func peaks(_ id: String, owner: String) async throws -> [UInt8]? {
        try await database.read { tx in
            try tx.row("SELECT peaks FROM media WHERE id = \(id) AND owner = \(owner)")?.get("peaks", as: [UInt8]?.self)
        }
    }

    // MARK: Inside a transaction

    /// Inserts the rows of received files.
    /// - Parameters:
    ///   - rowBytes: bytes of the caller's own rows, counted against the quota together with the files.
    ///   - reserved: bytes that the files' reservations held; `nil` when this call must take the reservations itself.
    /// - Returns: the assets in the order of `files`, and the staged blobs that duplicate stored bytes.
    /// - Throws: `.tooLarge` when the files exceed the owner's quota.
    func add(
        _ files: [NewAsset], rowBytes: Int64 = 0, owner: String, reserved: Int64? = nil, _ tx: WriteTransaction
    ) throws -> ([Asset], surplus: [BlobKey]) {
        let reserved = try reserved ?? takeReservations(of: files, owner: owner, tx)
        let now = clock.now
        let zone = files.contains { $0.facts.isTakenAtLocal == true } ? try timeZone(owner, tx) : .gmt
        // A file that was uploaded without a credential may be given to an account together with its bytes, so no two such files may share
        // bytes.
        let adoptions = try ledger.adopt(files.map(\.blob), owner: owner, isShared: owner != Authentication.anonymous, tx)
        var assets: [Asset] = []
        for (file, adoption) in zip(files, adoptions) {
            let asset = file.asset(owner: owner, blob: adoption.key, zone: zone, createdAt: now)
            try insert(asset, file, tx)
            assets.append(asset)
        }
        let charge = UsageLedger.Charge(
            byteCount: files.reduce(0) { $0 + $1.blob.byteCount }, fileCount: Int64(files.count),
            rowBytes: zip(assets, files).reduce(rowBytes) { $0 + $1.0.rowBytes + $1.1.furtherRowBytes }, reserved: reserved)
        try usage.add(charge, to: owner, tx)
        for asset in assets where asset.isListed { try events.emit(.mediaAdded, MediaEvent(asset), to: owner, tx) }
        if files.contains(where: { $0.playback == .waiting }) { try startNextConversion(of: owner, tx) }
        return (assets, zip(files, adoptions).filter(\.1.isSurplus).map(\.0.blob.key))
    }

    func asset(_ id: String, owner: String, _ tx: ReadTransaction) throws -> Asset? {
        try tx.first(Self.one(id, owner: owner), Asset.init)
    }

    private static func one(_ id: String, owner: String) -> SQL { "\(sql: Asset.table.select) WHERE id = \(id) AND owner = \(owner)" }

    /// Removes the files' reservations.
    /// - Returns: the bytes they held.
    func takeReservations(of files: [NewAsset], owner: String, _ tx: WriteTransaction) throws -> Int64 {
        try usage.take(Set(files.compactMap(\.reservation)), of: owner, tx)
    }

    /// - Returns: `nil` when the account has no profile picture.
    func profilePicture(of owner: String) async throws -> Asset? {
        try await database.read { tx in try picture(of: owner, tx) }
    }

    func picture(of owner: String, _ tx: ReadTransaction) throws -> Asset? {
        try tx.first(
            """
            SELECT \(sql: Asset.table.columns) FROM profile_picture JOIN media ON media.id = profile_picture.media
            WHERE profile_picture.account = \(owner)
            """, Asset.init)
    }

    /// Locked by every write that chooses or erases the account's profile picture.
    static func pictureLock(_ owner: String) -> String { "profile picture of " + owner }

    /// Makes a file its owner's profile picture. The previous one stays in the library.
    /// - Throws: `Problem.noSuchFile` unless the owner has such a picture.
    func setProfilePicture(_ id: String, of owner: String, _ tx: WriteTransaction) throws {
        try tx.lock(Self.pictureLock(owner))
        guard let asset = try asset(id, owner: owner, tx), MediaType(rawValue: asset.type)?.kind == .image else { throw Problem.noSuchFile }
        try tx.send(
            """
            INSERT INTO profile_picture (account, media) VALUES (\(owner), \(id))
            ON CONFLICT (account) DO UPDATE SET media = excluded.media
            """)
    }

    private func insert(_ asset: Asset, _ file: NewAsset, _ tx: WriteTransaction) throws {
        try tx.send(
            Asset.table.insert(
                asset,
                with: [
                    "peaks": file.facts.peaks, "row_bytes": asset.rowBytes + file.furtherRowBytes,
                    "has_position": file.facts.mayHavePosition, "timeline_at": (file.isAlone ? asset.moment : nil) as Timestamp?,
                    "playback": file.playback?.rawValue,
                ]))
        try insertTags(asset, tx)
    }

    /// Deletes the row, its reference to the blob and the upload's stored response, and releases the bytes that count against the quota.
    func erase(_ asset: Asset, _ tx: WriteTransaction) throws {
        // This runs before the row is deleted, because the deletion cascades to the rows by which other features find their references.
        for use in uses { try use.willErase(asset.id, asset.owner, tx) }
        let growth = try erasures.run(asset.id, asset.owner, tx)
        // If there is no row, a concurrent transaction has deleted the asset and released the blob.
        guard let deleted = try tx.row("DELETE FROM media WHERE id = \(asset.id) AND owner = \(asset.owner) RETURNING row_bytes")
        else { return growth == 0 ? () : try usage.note(.init(rowBytes: growth), of: asset.owner, tx) }
        let answerBytes = try IdempotencyStore.forget(asset.resource, of: asset.owner, tx)
        try releaseFile(asset.blob, tx)
        try search.remove(kind: Asset.kind, id: asset.id, owner: asset.owner, tx)
        if asset.isListed { try events.emit(.mediaDeleted, MediaEvent(asset), to: asset.owner, tx) }
        let rowBytes: Int64 = try deleted.get("row_bytes") ?? 0
        try usage.note(.init(byteCount: -asset.byteCount, fileCount: -1, rowBytes: growth - rowBytes - answerBytes), of: asset.owner, tx)
    }
}
