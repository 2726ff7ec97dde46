import Database

extension CapsuleStore {
    /// Erases some capsules of an account that is being deleted, with their transcripts. The media library erases the recordings.
    /// - Returns: the number of erased capsules, at most `limit` and what `DeletionStep` allows.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try StoredCapsule.table.deleteSome(of: owner, limit: limit, tx) { Self.first(of: owner, limit: $0) }
    }

    static func first(of owner: String, limit: Int) -> SQL {
        // Segments are not part of `row_bytes`, so a capsule that may have some (its transcript is not complete) has NULL as its size.
        """
        SELECT id, CASE WHEN status IN ('transcribing', 'failed') THEN NULL ELSE row_bytes END AS row_bytes
        FROM capsule WHERE owner = \(owner) ORDER BY created_at, id LIMIT \(limit)
        """
    }
}
