internal import Core
internal import Crypto
internal import Database

/// Identifies a user at an issuer.
struct IdentityName: Sendable, Hashable {
    let issuer: String
    let subject: String

    /// The id in `DELETE /auth/identities/{id}`: a hash, since a subject may be any text.
    var id: String { AccountStore.identityHash(issuer, subject) }
}

/// A user of an issuer, linked to an account.
struct LinkedIdentity: Sendable, Equatable {
    let issuer: String
    let subject: String
    /// As the issuer sent it.
    let email: String?
    let createdAt: Timestamp
    /// When the account's owner linked it; `nil` when the account was created with it.
    let linkedAt: Timestamp?

    var id: String { IdentityName(issuer: issuer, subject: subject).id }
}

/// A verified sign-in. `account(for:)` finds or creates its account.
struct IdentitySignIn: Sendable {
    let issuer: String
    let subject: String
    let issuedAt: Timestamp
    /// The hash of a single-use nonce, and when its token expires.
    let nonce: (hash: String, until: Timestamp)?
    /// The address shown with the identity.
    let email: String?
    /// The address that the account gets if it has none and no other account has it.
    let accountEmail: String?
    let name: String?
    /// Ids for a new account, in order of preference.
    let accountIDs: [String]
    /// Stored so that Apple's tokens can be revoked when the account is deleted.
    let appleToken: AppleToken?
    let mayRegister: Bool
    /// Allows a registration that `mayRegister` does not.
    let invitation: PresentedInvitation?
    let at: Timestamp
    /// `nil` when the token proves no phone number.
    var phone: PhoneProof?

    var key: String { AccountStore.identityHash(issuer, subject) }
}

extension AccountStore {
    /// The result of a sign-in with an identity.
    enum SignInResult: Sendable, Equatable {
        case account(Account)
        /// The token was issued before the account was deleted.
        case accountDeleted
        /// The account is suspended, and nothing changes.
        case suspended
        /// The nonce was used before.
        case replayed
        /// The account does not exist, and registration does not allow one.
        case unknown
        /// The account does not exist, and the invitation is not valid.
        case refused(InvitationRules.Verdict)
    }

    enum Linking: Sendable, Equatable {
        case linked([LinkedIdentity])
        case accountDeleted, replayed, tooMany
        /// The identity belongs to another account.
        case taken
        case accountGone
        /// The session has ended meanwhile.
        case signedOut
    }

    /// A hash that stands for an identity where nobody must be able to read its issuer and subject. For example, tombstones contain it, so
    /// that they do not reveal whose account was deleted.
    static func identityHash(_ issuer: String, _ subject: String) -> String {
        Base64URL.encode(SHA256.hash(data: Array("\(issuer.utf8.count) \(issuer) \(subject)".utf8)))
    }

    /// - Returns: the identity's account, if any, and what is known about the account's phone number. Also the time when an account of the
    ///   identity was last deleted.
    func identity(
        _ issuer: String, _ subject: String
    ) async throws -> (account: Account?, phone: KnownPhone, deletedAt: Timestamp?) {
        try await database.read { tx in
            let known = try tx.first(Self.identity(issuer, subject)) { row in (try Account(&row), try KnownPhone(&row)) }
            let deletedAt: Timestamp? = try tx.row(Self.tombstone(Self.identityHash(issuer, subject)))?.get("deleted_at")
            return (known?.0, known?.1 ?? .none, deletedAt)
        }
    }

    /// Finds the account of an identity, and creates it if there is none. A later sign-in fills in missing values of the account, but never
    /// overwrites a value.
    func account(for signIn: IdentitySignIn) async throws -> SignInResult {
        try await database.write { tx in
            // A write that removes identities holds the account's lock. As in `link`, it is taken before the identity's lock.
            let owner = try signIn.phone.flatMap { _ in try tx.first(Self.identity(signIn.issuer, signIn.subject), Account.init)?.id }
            if let owner { try tx.lock(AccountLocks.password(of: owner)) }
            // Two concurrent first sign-ins must create one account.
            try tx.lock(AccountLocks.identity(signIn.key))
            if try Self.wasDeletedAfterwards(signIn, tx) { return .accountDeleted }
            let known = try tx.first(Self.identity(signIn.issuer, signIn.subject), Account.init)
            guard known?.suspendedAt == nil else { return .suspended }
            let invitation = known == nil && !signIn.mayRegister ? signIn.invitation : nil
            if let invitation {
                try tx.lock(AccountLocks.invitation(invitation.hash))
                let verdict = try Self.judge(invitation, at: signIn.at, tx)
                guard verdict == .good else { return .refused(verdict) }
            }
            guard known != nil || signIn.mayRegister || invitation != nil else { return .unknown }
            guard try Self.useNonce(signIn, tx) else { return .replayed }
            let account: Account
            if let known {
                account = try Self.fillMissingValues(of: known, from: signIn, tx)
            } else {
                account = try Self.makeAccount(for: signIn, tx)
                try tx.run(Self.insertIdentity(signIn, account: account.id))
                if let invitation { try tx.run(Self.useInvitation(invitation.hash, by: account.id, signIn.at)) }
            }
            if let token = signIn.appleToken { try tx.run(Self.keepAppleToken(token, of: account.id, signIn.subject, signIn.at)) }
            // If the account is another one than at the first read, its lock is not held. Then the next token proves the number.
            if let phone = signIn.phone, known?.id == owner { try Self.provePhone(phone, of: account.id, tx) }
            return .account(account)
        }
    }

    /// Links the identity to the account, as another way to sign in.
    func link(_ signIn: IdentitySignIn, to viewer: Viewer, _ notices: OwnerNotices) async throws -> Linking {
        let account = viewer.accountID
        do {
            return try await database.write { tx in
                // A password reset takes the same lock. A reset that runs afterwards removes this identity. A reset that ran before has
                // ended the session, so this write links nothing.
                try tx.lock(AccountLocks.password(of: account))
                guard try Self.isSignedIn(viewer, tx) else { return .signedOut }
                try tx.lock(AccountLocks.identity(signIn.key))
                // Keeps the number of identities of one account within its limit under concurrent requests.
                try tx.lock(AccountLocks.identities(of: account))
                if try Self.wasDeletedAfterwards(signIn, tx) { return .accountDeleted }
                if let owner = try tx.first(Self.identity(signIn.issuer, signIn.subject), Account.init), owner.id != account {
                    return .taken
                }
                let known = try tx.list(Self.identities(of: account), LinkedIdentity.init)
                let isNew = !known.contains { $0.issuer == signIn.issuer && $0.subject == signIn.subject }
                guard !isNew || known.count < IdentityRules.maxIdentityCount else { return .tooMany }
                guard try Self.useNonce(signIn, tx) else { return .replayed }
                if isNew { try tx.run(Self.insertIdentity(signIn, account: account, linkedAt: signIn.at)) }
                if let token = signIn.appleToken { try tx.run(Self.keepAppleToken(token, of: account, signIn.subject, signIn.at)) }
                if let phone = signIn.phone { try Self.provePhone(phone, of: account, tx) }
                let all = try tx.list(Self.identities(of: account), LinkedIdentity.init)
                if isNew { try notices.notify(.identityLinked(all.filter { $0.id == signIn.key }), account, at: signIn.at, tx) }
                return .linked(all)
            }
        } catch DatabaseError.foreignKeyViolation {
            return .accountGone
        }
    }

    /// Oldest first.
    func identities(of account: String) async throws -> [LinkedIdentity] {
        try await database.list(Self.identities(of: account), LinkedIdentity.init)
    }

    func isLinked(_ subject: String, to account: String) async throws -> Bool {
        try await database.read { tx in try tx.row(Self.linkedSubject(subject, account)) != nil }
    }

    /// Deletes the identities of an account in the transaction that deletes the account. It stores a tombstone for each, so that the server
    /// refuses tokens that were issued before. Apple's refresh tokens stay until `revokeAppleTokens` has revoked them.
    static func deleteIdentitiesAndKeepTombstones(of account: String, at now: Timestamp, in tx: WriteTransaction) throws {
        for identity in try tx.list(identities(of: account), LinkedIdentity.init) {
            let hash = identityHash(identity.issuer, identity.subject)
            try tx.lock(AccountLocks.identity(hash))
            try tx.run(insertTombstone(hash, now))
        }
        try tx.run(deleteIdentities(of: account))
    }

    /// Deletes tombstones older than any valid token, and nonces of expired tokens.
    func sweepIdentities(at now: Timestamp) async throws {
        let end = now - IdentityRules.longestLife - IdentityRules.leeway - IdentityRules.leeway
        try await sweep { limit, tx in try tx.run(Self.deleteTombstones(before: end, limit: limit)) }
        try await sweep { limit, tx in try tx.run(Self.deleteNonces(expiredBefore: now, limit: limit)) }
    }

    private static func wasDeletedAfterwards(_ signIn: IdentitySignIn, _ tx: WriteTransaction) throws -> Bool {
        guard let deletedAt: Timestamp = try tx.row(tombstone(signIn.key))?.get("deleted_at") else { return false }
        return signIn.issuedAt <= deletedAt
    }

    /// - Returns: `false` when the nonce was used before.
    private static func useNonce(_ signIn: IdentitySignIn, _ tx: WriteTransaction) throws -> Bool {
        guard let nonce = signIn.nonce else { return true }
        return try tx.row(insertNonce(nonce.hash, until: nonce.until)) != nil
    }

    private static func fillMissingValues(
        of account: Account, from signIn: IdentitySignIn, _ tx: WriteTransaction
    ) throws -> Account {
        if let email = signIn.email { try tx.run(updateIdentity(signIn.issuer, signIn.subject, email: email)) }
        var changed = false
        if account.name == nil, let name = signIn.name { changed = try tx.run(nameIfNone(account.id, name)) > 0 }
        if account.email == nil, let email = signIn.accountEmail {
            changed = try tx.run(emailIfNone(account.id, email)) > 0 || changed
        }
        guard changed else { return account }
        return try tx.first(Self.account(account.id), Account.init) ?? account
    }

    /// Never returns another account: skips ids and an e-mail address that are already taken.
    private static func makeAccount(for signIn: IdentitySignIn, _ tx: WriteTransaction) throws -> Account {
        for id in signIn.accountIDs {
            for email in signIn.accountEmail.map({ [$0, nil] }) ?? [nil] {
                let account = Account(id: id, email: email, name: signIn.name, isAdmin: false, isPro: false, createdAt: signIn.at)
                if try tx.row(insertIfUnused(account)) != nil { return account }
            }
        }
        throw DatabaseError.busy
    }

    // MARK: Statements

    static func identity(_ issuer: String, _ subject: String) -> SQL {
        """
        SELECT \(sql: Account.table.columns), account.phone, account.phone_proved_at FROM identity JOIN account ON account.id = identity.account
        WHERE identity.issuer = \(issuer) AND identity.subject = \(subject)
        """
    }

    static func identities(of account: String) -> SQL {
        "\(sql: LinkedIdentity.table.select) WHERE account = \(account) ORDER BY created_at, issuer, subject"
    }

    static func linkedSubject(_ subject: String, _ account: String) -> SQL {
        "SELECT subject FROM identity WHERE account = \(account) AND subject = \(subject) LIMIT 1"
    }

    /// Inserts nothing, and returns no row, if the id or the e-mail address is taken.
    static func insertIfUnused(_ account: Account) -> SQL {
        Account.table.insert(account) + " ON CONFLICT DO NOTHING RETURNING id"
    }

    static func insertIdentity(_ signIn: IdentitySignIn, account: String, linkedAt: Timestamp? = nil) -> SQL {
        let identity = LinkedIdentity(
            issuer: signIn.issuer, subject: signIn.subject, email: signIn.email, createdAt: signIn.at, linkedAt: linkedAt)
        return LinkedIdentity.table.insert(identity, with: ["account": account])
    }

    static func updateIdentity(_ issuer: String, _ subject: String, email: String) -> SQL {
        """
        UPDATE identity SET email = \(email)
        WHERE issuer = \(issuer) AND subject = \(subject) AND (email IS NULL OR email <> \(email))
        """
    }

    static func nameIfNone(_ id: String, _ name: String) -> SQL {
        "UPDATE account SET name = \(name) WHERE id = \(id) AND name IS NULL"
    }

    static func emailIfNone(_ id: String, _ email: String) -> SQL {
        """
        UPDATE account SET email = \(email)
        WHERE id = \(id) AND email IS NULL AND NOT EXISTS (SELECT 1 FROM account AS other WHERE other.email = \(email))
        """
    }

    static func tombstone(_ hash: String) -> SQL { "SELECT deleted_at FROM deleted_identity WHERE identity = \(hash)" }

    /// If the identity has a tombstone already, replaces its time.
    static func insertTombstone(_ hash: String, _ now: Timestamp) -> SQL {
        """
        INSERT INTO deleted_identity (identity, deleted_at) VALUES (\(hash), \(now))
        ON CONFLICT (identity) DO UPDATE SET deleted_at = excluded.deleted_at
        """
    }

    static func deleteIdentities(of account: String) -> SQL { "DELETE FROM identity WHERE account = \(account)" }

    /// Repeats the condition on the time, because `insertTombstone` may renew the row between the inner SELECT and the deletion.
    static func deleteTombstones(before end: Timestamp, limit: Int) -> SQL {
        """
        DELETE FROM deleted_identity WHERE deleted_at < \(end) AND identity IN (
            SELECT identity FROM deleted_identity WHERE deleted_at < \(end) LIMIT \(limit))
        """
    }

    static func insertNonce(_ hash: String, until end: Timestamp) -> SQL {
        "INSERT INTO used_nonce (hash, expires_at) VALUES (\(hash), \(end)) ON CONFLICT (hash) DO NOTHING RETURNING hash"
    }

    static func deleteNonces(expiredBefore end: Timestamp, limit: Int) -> SQL {
        "DELETE FROM used_nonce WHERE hash IN (SELECT hash FROM used_nonce WHERE expires_at < \(end) LIMIT \(limit))"
    }
}

extension LinkedIdentity: TableRow {
    static let table = Table<LinkedIdentity>("identity")

    init(_ row: inout RowReader, writing identity: LinkedIdentity?) throws {
        self.init(
            issuer: try row.next("issuer", identity?.issuer), subject: try row.next("subject", identity?.subject),
            email: try row.next("email", identity?.email), createdAt: try row.next("created_at", identity?.createdAt),
            linkedAt: try row.next("linked_at", identity?.linkedAt))
    }
}
