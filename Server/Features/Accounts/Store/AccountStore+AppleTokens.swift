internal import Core
internal import Database

/// Apple's refresh token for one user and one app, encrypted. The server uses it only to revoke it.
struct AppleToken: Sendable {
    let clientID: String
    let sealed: Secret<[UInt8]>
}

extension AccountStore {
    struct KeptAppleToken: Sendable {
        let subject: String
        let clientID: String
        let sealed: Secret<[UInt8]>
    }

    /// The account may already be deleted.
    func appleTokens(of account: String) async throws -> [KeptAppleToken] {
        try await database.read { tx in
            try tx.rows(Self.appleTokens(of: account)).map { row in
                KeptAppleToken(
                    subject: try row.get("subject"), clientID: try row.get("client_id"), sealed: Secret(try row.get("sealed")))
            }
        }
    }

    /// - Parameter token: if a newer token has replaced it meanwhile, the newer one stays.
    func forget(_ token: KeptAppleToken, of account: String) async throws {
        _ = try await database.write { tx in try tx.run(Self.forgetAppleToken(token, of: account)) }
    }

    // MARK: Statements

    static func appleTokens(of account: String) -> SQL {
        "SELECT subject, client_id, sealed FROM apple_token WHERE account = \(account) ORDER BY subject, client_id"
    }

    static func keepAppleToken(_ token: AppleToken, of account: String, _ subject: String, _ now: Timestamp) -> SQL {
        """
        INSERT INTO apple_token (account, subject, client_id, sealed, created_at)
        VALUES (\(account), \(subject), \(token.clientID), \(token.sealed.exposed), \(now))
        ON CONFLICT (account, subject, client_id) DO UPDATE SET sealed = excluded.sealed, created_at = excluded.created_at
        """
    }

    static func forgetAppleToken(_ token: KeptAppleToken, of account: String) -> SQL {
        """
        DELETE FROM apple_token
        WHERE account = \(account) AND subject = \(token.subject) AND client_id = \(token.clientID) AND sealed = \(token.sealed.exposed)
        """
    }
}
