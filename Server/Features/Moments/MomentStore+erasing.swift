import Database

extension MomentStore {
    /// Erases some moments of an account that is being deleted. The media library erases their files.
    /// - Returns: the number of erased moments, at most `limit` and what `DeletionStep` allows.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try Moment.table.deleteSome(of: owner, limit: limit, tx) { Self.first(of: owner, limit: $0) }
    }

    static func first(of owner: String, limit: Int) -> SQL {
        "SELECT id, row_bytes FROM moment WHERE owner = \(owner) ORDER BY happened_at, id LIMIT \(limit)"
    }
}
