import Database

extension MomentStore {
    /// Some moments of an account that ends. Their files are the library's, which erases them itself.
    /// - Returns: how many are gone.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        let ids: [String] = try tx.rows(Self.first(of: owner, limit: limit)).map { try $0.get("id") }
        for id in ids { try tx.run("DELETE FROM moment WHERE id = \(id) AND owner = \(owner)") }
        return ids.count
    }

    static func first(of owner: String, limit: Int) -> SQL {
        "SELECT id FROM moment WHERE owner = \(owner) ORDER BY happened_at, id LIMIT \(limit)"
    }
}
