internal import Core
internal import Database

extension AccountStore {
    func keys() async throws -> KeyRing {
        try await database.read { tx in try KeyRing(tx.list(Self.allKeys(), SigningKey.init)) }
    }

    /// Adds `candidate` if a key is due, and deletes retired keys.
    /// - Returns: the ring afterwards; another process may have made its newest key.
    func renewKeys(with candidate: SigningKey, at now: Timestamp) async throws -> KeyRing {
        try await database.write { tx in
            // Every process that finds a key due comes here. The first one makes the key. The lock makes the others wait, so that they see
            // that key before they decide.
            try tx.lock("signing-key")
            var ring = try KeyRing(tx.list(Self.allKeys(), SigningKey.init))
            if ring.isDue(at: now) {
                let key = SigningKey(
                    kid: candidate.kid, privateKey: candidate.privateKey, createdAt: now, signsFrom: ring.nextSignsFrom(at: now))
                try tx.run(Self.insertKey(key))
                ring = KeyRing(ring.keys + [key])
            }
            for key in ring.retired(at: now) { try tx.run(Self.deleteKey(key.kid)) }
            return KeyRing(ring.accepted(at: now))
        }
    }

    /// The secret called `name`. Stores `candidate` under that name if there is none.
    func secret(_ name: String, candidate: Secret<[UInt8]>, at now: Timestamp) async throws -> Secret<[UInt8]> {
        if let known = try await secret(name) { return known }
        try await database.write { tx in _ = try tx.row(Self.insertSecret(name, candidate, now)) }
        // Read after the commit: another process may have stored its own candidate first.
        guard let made = try await secret(name) else { throw DatabaseError.column("server_secret.value") }
        return made
    }

    private func secret(_ name: String) async throws -> Secret<[UInt8]>? {
        try await database.read { tx in try tx.row(Self.secret(name)).map { Secret(try $0.get("value")) } }
    }

    // MARK: Statements

    /// Returns only a few rows: a key is made once a month, and deleted two hours after its successor starts to sign.
    static func allKeys() -> SQL { "\(sql: SigningKey.table.select) ORDER BY signs_from, kid" }

    static func insertKey(_ key: SigningKey) -> SQL { SigningKey.table.insert(key) }

    static func deleteKey(_ kid: String) -> SQL { "DELETE FROM signing_key WHERE kid = \(kid)" }

    static func secret(_ name: String) -> SQL { "SELECT value FROM server_secret WHERE name = \(name)" }

    static func insertSecret(_ name: String, _ value: Secret<[UInt8]>, _ now: Timestamp) -> SQL {
        """
        INSERT INTO server_secret (name, value, created_at) VALUES (\(name), \(value.exposed), \(now))
        ON CONFLICT (name) DO NOTHING RETURNING name
        """
    }
}

extension SigningKey: TableRow {
    static let table = Table<SigningKey>("signing_key")

    init(_ row: inout RowReader, writing key: SigningKey?) throws {
        self.init(
            kid: try row.next("kid", key?.kid), privateKey: Secret(try row.next("private_key", key?.privateKey.exposed)),
            createdAt: try row.next("created_at", key?.createdAt), signsFrom: try row.next("signs_from", key?.signsFrom))
    }
}
