internal import Core
internal import Web

/// Checks the password of a caller who is signed in, before a change that the holder of a copied token must not make.
struct OwnPassword: Sendable {
    let store: AccountStore
    let hasher: PasswordHasher

    struct Credential: Sendable {
        let account: Account
        let hash: PasswordHash
        let setAt: Timestamp?
    }

    /// - Returns: the account, and the hash of its password, which `password` matches.
    /// - Throws: `Problem.wrongPassword`; the errors of `credential`.
    func prove(_ password: Secret<[UInt8]>, _ context: WebContext) async throws -> Credential {
        let credential = try await credential(context)
        guard try await hasher.matches(password, credential.hash) else { throw Problem.wrongPassword }
        return credential
    }

    /// Counts an attempt, and reads the hash to compare with.
    /// - Throws: `.conflict` for an account without a password; `.tooManyRequests`.
    func credential(_ context: WebContext) async throws -> Credential {
        let id = try context.requireViewer().accountID
        try await countAttempt(context)
        guard let found = try await store.credential(of: id) else { throw Problem.accountGone }
        guard let hash = found.passwordHash.flatMap(PasswordHash.init(stored:)) else {
            throw Problem(.conflict, "This account has no password. It signs in with another provider.")
        }
        return Credential(account: found.account, hash: hash, setAt: found.passwordSetAt)
    }

    /// Counts an attempt. The caller has signed in, so it counts against the limit of a known device. Strangers who guess passwords at the
    /// sign-in do not use this limit up.
    /// - Throws: `.tooManyRequests`.
    func countAttempt(_ context: WebContext) async throws {
        let id = try context.requireViewer().accountID
        try await context.countAttempt(of: id, by: "signed in \(id)")
    }
}
