import Database

/// Rows of tags, which repeat what lists by a tag need of their file.
extension MediaStore {
    func insertTags(_ asset: Asset, _ tx: WriteTransaction) throws {
        for tag in asset.tags {
            try tx.send(
                """
                INSERT INTO media_tag (media, owner, tag, category, group_id, created_at, type, taken_at, timeline_at)
                VALUES (\(asset.id), \(asset.owner), \(tag), \(asset.category), \(asset.groupID), \(asset.createdAt), \(asset.type),
                    \(asset.takenAt), (SELECT timeline_at FROM media WHERE media.id = \(asset.id)))
                ON CONFLICT DO NOTHING
                """)
        }
    }

    /// Fills in the columns that a node of the last release does not know. During an upgrade, such a node writes rows of tags without them.
    /// Until the next run, the lists that read these columns leave such rows out: the lists of a tag with a type or by time taken, and the
    /// timeline.
    func completeTags() async throws {
        var last = ""
        while true {
            let ids = try await database.read { [last] tx in
                try tx.rows(Self.incompleteTags(after: last, limit: 100)).map { try $0.get("media", as: String.self) }
            }
            guard let end = ids.last else { return }
            try await database.write { tx in
                for id in ids {
                    // `update` takes the same lock, so the file cannot change before this write ends.
                    try tx.lock(Self.lock(id))
                    try tx.run(
                        """
                        UPDATE media_tag SET type = (SELECT media.type FROM media WHERE media.id = media_tag.media),
                            taken_at = (SELECT media.taken_at FROM media WHERE media.id = media_tag.media),
                            timeline_at = (SELECT media.timeline_at FROM media WHERE media.id = media_tag.media)
                        WHERE media = \(id) AND type IS NULL
                        """)
                }
            }
            last = end
        }
    }

    static func incompleteTags(after id: String, limit: Int) -> SQL {
        "SELECT DISTINCT media FROM media_tag WHERE type IS NULL AND media > \(id) ORDER BY media LIMIT \(limit)"
    }
}
