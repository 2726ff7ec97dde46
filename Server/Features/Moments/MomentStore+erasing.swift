import Database

extension MomentStore {
    /// Erases some moments of an account that is being deleted. The media library erases their files.
    /// - Returns: the number of erased moments, at most `limit`.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try Moment.table.delete(Self.first(of: owner, limit: limit), of: owner, tx)
    }

    static func first(of owner: String, limit: Int) -> SQL {
        "SELECT id FROM moment WHERE owner = \(owner) ORDER BY happened_at, id LIMIT \(limit)"
    }
}
