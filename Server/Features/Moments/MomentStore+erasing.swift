import Database

extension MomentStore {
    /// Some moments of an account that ends. Their files are the library's, which erases them itself.
    /// - Returns: how many are gone.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try Moment.table.delete(Self.first(of: owner, limit: limit), of: owner, tx)
    }

    static func first(of owner: String, limit: Int) -> SQL {
        "SELECT id FROM moment WHERE owner = \(owner) ORDER BY happened_at, id LIMIT \(limit)"
    }
}
