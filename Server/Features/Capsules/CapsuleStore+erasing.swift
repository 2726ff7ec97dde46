import Database

extension CapsuleStore {
    /// Erases some capsules of an account that is being deleted, with their transcripts. The media library erases the recordings.
    /// - Returns: the number of erased capsules, at most `limit`.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try StoredCapsule.table.delete(Self.first(of: owner, limit: limit), of: owner, tx)
    }

    static func first(of owner: String, limit: Int) -> SQL {
        "SELECT id FROM capsule WHERE owner = \(owner) ORDER BY created_at, id LIMIT \(limit)"
    }
}
