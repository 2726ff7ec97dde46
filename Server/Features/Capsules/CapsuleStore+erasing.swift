import Database

extension CapsuleStore {
    /// Some capsules of an account that ends, with what was heard in them. Their sounds are the library's, which erases them itself.
    /// - Returns: how many are gone.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        let ids: [String] = try tx.rows(Self.first(of: owner, limit: limit)).map { try $0.get("id") }
        for id in ids { try tx.run("DELETE FROM capsule WHERE id = \(id) AND owner = \(owner)") }
        return ids.count
    }

    static func first(of owner: String, limit: Int) -> SQL {
        "SELECT id FROM capsule WHERE owner = \(owner) ORDER BY created_at, id LIMIT \(limit)"
    }
}
