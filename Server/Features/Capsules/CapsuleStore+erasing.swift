import Database

extension CapsuleStore {
    /// Some capsules of an account that ends, with what was heard in them. Their sounds are the library's, which erases them itself.
    /// - Returns: how many are gone.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try StoredCapsule.table.delete(Self.first(of: owner, limit: limit), of: owner, tx)
    }

    static func first(of owner: String, limit: Int) -> SQL {
        "SELECT id FROM capsule WHERE owner = \(owner) ORDER BY created_at, id LIMIT \(limit)"
    }
}
