import Core
import Database
import FeatureKit
import Media

extension StoredCapsule {
    /// How many bytes the capsule's rows count against the quota, without its recording.
    /// - Parameters:
    ///   - text: the transcript.
    ///   - words: the transcript's words with their times, as JSON.
    func rowBytes(text: String?, words: String?) -> Int64 {
        RowBytes.count(searchable: [text], tags: [], plain: [words, summary] + topics)
    }
}

extension CapsuleStore {
    /// Counts a row for `RowCounter.count`.
    static func countRow(_ id: String, _ tx: WriteTransaction) throws -> (owner: String, byteCount: Int64)? {
        // `finish` takes the same lock, so the transcript cannot change before this write ends.
        try tx.lock(Self.lock(id))
        guard let capsule = try tx.first("\(sql: StoredCapsule.table.select) WHERE id = \(id)", StoredCapsule.init) else { return nil }
        let transcript = try tx.row("SELECT text, words FROM capsule_transcript WHERE capsule = \(id)")
        let byteCount = capsule.rowBytes(text: try transcript?.get("text"), words: try transcript?.get("words"))
        guard try tx.run("UPDATE capsule SET row_bytes = \(byteCount) WHERE id = \(id) AND row_bytes IS NULL") == 1 else { return nil }
        return (capsule.owner, byteCount)
    }
}
