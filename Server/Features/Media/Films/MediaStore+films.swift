import Blobs
import Core
import Database
import Jobs

/// Converts one film. An account has one such job at a time, so that accounts take turns. The write that ends a job enqueues the account's
/// next one.
struct ConvertFilm: Job {
    static let kind = "media/convert-film"
    // The conversion has a time limit of its own, which is below this one.
    static let policy = JobPolicy(attempts: 5, firstBackoff: .seconds(30), longestBackoff: .minutes(30), timeout: .hours(6))

    let media: String
}

/// Chooses which film of an account is converted next. `startNextConversion` takes a lock, because a new film could otherwise wait for
/// ever: the write that adds it would see another film converting, while the job of that other film ends and does not see the new film yet.
extension MediaStore {
    /// Enqueues the account's next film, unless one of its films is converting.
    func startNextConversion(of owner: String, _ tx: WriteTransaction) throws {
        guard let conversions else { return }
        try tx.lock("films of " + owner)
        guard try tx.row(Self.first(.converting, of: owner)) == nil,
            let id = try tx.row(Self.first(.waiting, of: owner))?.get("id", as: String.self)
        else { return }
        try tx.run("UPDATE media SET playback = \(Playback.converting.rawValue) WHERE id = \(id) AND owner = \(owner)")
        try conversions.enqueue(ConvertFilm(media: id), key: id, owner: owner, tx)
    }

    /// Stores the result of a film's conversion, and starts the account's next one.
    /// - Returns: whether the film still exists.
    @discardableResult
    func end(_ id: String, of owner: String, as playback: Playback, _ tx: WriteTransaction) throws -> Bool {
        let count = try tx.run("UPDATE media SET playback = \(playback.rawValue) WHERE id = \(id) AND owner = \(owner)")
        try startNextConversion(of: owner, tx)
        return count == 1
    }

    /// Adds the row of a film's copy, and enqueues the conversion of the account's next film.
    /// - Returns: the staged blobs that are not needed.
    func end(_ asset: Asset, with copy: StagedBlob, _ tx: WriteTransaction) throws -> [BlobKey] {
        // Change the film's row before the copy's row: a deletion locks them in this order.
        guard try end(asset.id, of: asset.owner, as: .copy, tx) else { return [copy.key] }
        return try addVariant(copy, of: asset, spec: FilmCopy.name, type: FilmCopy.type, createdAt: clock.now, tx).surplus
    }

    /// Stores whether browsers play a film that was stored before the server read codecs, and starts its conversion if it needs one.
    func note(_ playback: Playback, of asset: Asset) async throws {
        try await database.write { tx in
            let changed = try tx.run(
                """
                UPDATE media SET playback = \(playback.rawValue)
                WHERE id = \(asset.id) AND owner = \(asset.owner)
                    AND (playback IS NULL OR playback = \(Playback.copy.rawValue))
                """)
            if changed == 1, playback == .waiting { try startNextConversion(of: asset.owner, tx) }
        }
    }

    /// Enqueues conversions whose jobs are missing: the operator switched conversions on or removed a job, or the rows come from a backup.
    func resumeConversions() async throws {
        guard let conversions else { return }
        var last = TimeKey(at: Timestamp(microseconds: 0), id: "")
        var owner = ""
        while true {
            let rows = try await database.read { [last, owner] tx in
                try tx.rows(Self.all(.converting, after: (owner, last), limit: 100)).map { row in
                    (
                        id: try row.get("id", as: String.self), owner: try row.get("owner", as: String.self),
                        at: try row.get("created_at", as: Timestamp.self)
                    )
                }
            }
            guard let end = rows.last else { break }
            try await database.write { tx in
                for row in rows { try conversions.enqueue(ConvertFilm(media: row.id), key: row.id, owner: row.owner, tx) }
            }
            (owner, last) = (end.owner, TimeKey(at: end.at, id: end.id))
        }
        while true {
            let owners = try await database.read { tx in
                try tx.rows(Self.idleOwners(limit: 100)).map { try $0.get("owner", as: String.self) }
            }
            guard !owners.isEmpty else { return }
            for owner in owners { try await database.write { tx in try startNextConversion(of: owner, tx) } }
        }
    }

    // MARK: Statements

    static func first(_ playback: Playback, of owner: String) -> SQL {
        "SELECT id FROM media WHERE playback = \(playback.rawValue) AND owner = \(owner) ORDER BY created_at, id LIMIT 1"
    }

    static func all(_ playback: Playback, after last: (owner: String, key: TimeKey), limit: Int) -> SQL {
        """
        SELECT id, owner, created_at FROM media
        WHERE playback = \(playback.rawValue) AND (owner, created_at, id) > (\(last.owner), \(last.key.at), \(last.key.id))
        ORDER BY owner, created_at, id LIMIT \(limit)
        """
    }

    /// Accounts that have waiting films and no film that is being converted.
    static func idleOwners(limit: Int) -> SQL {
        """
        SELECT DISTINCT media.owner AS owner FROM media
        WHERE media.playback = \(Playback.waiting.rawValue) AND NOT EXISTS (
            SELECT 1 FROM media AS other WHERE other.playback = \(Playback.converting.rawValue) AND other.owner = media.owner)
        ORDER BY media.owner LIMIT \(limit)
        """
    }
}
