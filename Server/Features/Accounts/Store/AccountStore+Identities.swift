internal import Core
internal import Crypto
internal import Database

/// What an issuer calls somebody.
struct IdentityName: Sendable, Hashable {
    let issuer: String
    let subject: String

    /// What `DELETE /auth/identities/{id}` calls it: a hash, as a subject may be any text.
    var id: String { AccountStore.identityHash(issuer, subject) }
}

/// Somebody whom an issuer knows, as one of our accounts.
struct LinkedIdentity: Sendable, Equatable {
    let issuer: String
    let subject: String
    /// As the issuer gave it.
    let email: String?
    let createdAt: Timestamp
    /// When its owner linked it; `nil`: the account was made with it.
    let linkedAt: Timestamp?

    var id: String { IdentityName(issuer: issuer, subject: subject).id }
}

/// Somebody who proved who they are, about to be let in.
struct Arrival: Sendable {
    let issuer: String
    let subject: String
    let issuedAt: Timestamp
    /// Of a nonce that is good for one use, and until when its token is good.
    let nonce: (hash: String, until: Timestamp)?
    /// What the identity is shown with.
    let email: String?
    /// What the account gets if it has none and nobody else has it.
    let accountEmail: String?
    let name: String?
    /// Ids for an account that has to be made, the better one first.
    let accountIDs: [String]
    /// What lets us revoke Apple's tokens one day.
    let appleToken: AppleToken?
    let mayRegister: Bool
    /// Lets in whoever may not register otherwise.
    let invitation: PresentedInvitation?
    let at: Timestamp

    var key: String { AccountStore.identityHash(issuer, subject) }
}

extension AccountStore {
    enum Admission: Sendable, Equatable {
        case admitted(Account)
        /// The token is from before the account was deleted.
        case buried
        /// The nonce was used before.
        case replayed
        /// There is no such account, and none may be made.
        case unknown
        /// There is no such account, and the invitation is not good.
        case refused(InvitationRules.Verdict)
    }

    enum Linking: Sendable, Equatable {
        case linked([LinkedIdentity])
        case buried, replayed, tooMany
        /// It is another account's.
        case taken
        case accountGone
        /// The session has ended meanwhile.
        case signedOut
    }

    /// What stands for an identity where it is not to be read: whom a deleted account belonged to is nobody's business.
    static func identityHash(_ issuer: String, _ subject: String) -> String {
        Base64URL.encode(SHA256.hash(data: Array("\(issuer.utf8.count) \(issuer) \(subject)".utf8)))
    }

    /// - Returns: the account, if the identity has one, and when one of its accounts was deleted last.
    func identity(_ issuer: String, _ subject: String) async throws -> (account: Account?, buriedAt: Timestamp?) {
        try await database.read { tx in
            (
                try tx.first(Self.identity(issuer, subject), Account.init),
                try tx.row(Self.burial(Self.identityHash(issuer, subject)))?.get("deleted_at")
            )
        }
    }

    /// The account of an identity, made if need be. Later visits add what was not known and take nothing away.
    func admit(_ arrival: Arrival) async throws -> Admission {
        try await database.write { tx in
            // Two first visits at once are one account.
            try tx.lock("identity \(arrival.key)")
            if try Self.isBuried(arrival, tx) { return .buried }
            let known = try tx.first(Self.identity(arrival.issuer, arrival.subject), Account.init)
            let invitation = known == nil && !arrival.mayRegister ? arrival.invitation : nil
            if let invitation {
                try tx.lock("invitation \(invitation.hash)")
                let verdict = try Self.judge(invitation, at: arrival.at, tx)
                guard verdict == .good else { return .refused(verdict) }
            }
            guard known != nil || arrival.mayRegister || invitation != nil else { return .unknown }
            guard try Self.spendNonce(arrival, tx) else { return .replayed }
            let account: Account
            if let known {
                account = try Self.complete(known, arrival, tx)
            } else {
                account = try Self.makeAccount(for: arrival, tx)
                try tx.run(Self.insertIdentity(arrival, account: account.id))
                if let invitation { try tx.run(Self.useInvitation(invitation.hash, by: account.id, arrival.at)) }
            }
            if let token = arrival.appleToken { try tx.run(Self.keepAppleToken(token, of: account.id, arrival.subject, arrival.at)) }
            return .admitted(account)
        }
    }

    /// Makes the identity another door to the account.
    func link(_ arrival: Arrival, to viewer: Viewer, _ notices: OwnerNotices) async throws -> Linking {
        let account = viewer.accountID
        do {
            return try await database.write { tx in
                // A reset holds this lock: what was linked before it is removed by it, and afterwards the session has ended.
                try tx.lock("password \(account)")
                guard try Self.isSignedIn(viewer, tx) else { return .signedOut }
                try tx.lock("identity \(arrival.key)")
                // And no more than the limit of one account, whichever come at once.
                try tx.lock("identities of \(account)")
                if try Self.isBuried(arrival, tx) { return .buried }
                if let owner = try tx.first(Self.identity(arrival.issuer, arrival.subject), Account.init), owner.id != account {
                    return .taken
                }
                let known = try tx.list(Self.identities(of: account), LinkedIdentity.init)
                let isNew = !known.contains { $0.issuer == arrival.issuer && $0.subject == arrival.subject }
                guard !isNew || known.count < IdentityRules.maxIdentityCount else { return .tooMany }
                guard try Self.spendNonce(arrival, tx) else { return .replayed }
                if isNew { try tx.run(Self.insertIdentity(arrival, account: account, linkedAt: arrival.at)) }
                if let token = arrival.appleToken { try tx.run(Self.keepAppleToken(token, of: account, arrival.subject, arrival.at)) }
                let all = try tx.list(Self.identities(of: account), LinkedIdentity.init)
                if isNew { try notices.tell(.identityLinked, account, all.filter { $0.id == arrival.key }, at: arrival.at, tx) }
                return .linked(all)
            }
        } catch DatabaseError.foreignKeyViolation {
            return .accountGone
        }
    }

    /// The oldest first.
    func identities(of account: String) async throws -> [LinkedIdentity] {
        try await database.read { tx in try tx.list(Self.identities(of: account), LinkedIdentity.init) }
    }

    func isLinked(_ subject: String, to account: String) async throws -> Bool {
        try await database.read { tx in try tx.row(Self.linkedSubject(subject, account)) != nil }
    }

    /// For whoever deletes an account, in the same transaction: from now on tokens that were issued before are refused, and the
    /// identities are gone. What Apple gave us for them stays until `revokeAppleTokens` is through.
    static func buryIdentities(of account: String, at now: Timestamp, in tx: WriteTransaction) throws {
        for identity in try tx.list(identities(of: account), LinkedIdentity.init) {
            let hash = identityHash(identity.issuer, identity.subject)
            try tx.lock("identity \(hash)")
            try tx.run(bury(hash, now))
        }
        try tx.run(deleteIdentities(of: account))
    }

    /// Forgets burials that no token is old enough for, and nonces whose tokens are over.
    func sweepIdentities(at now: Timestamp) async throws {
        try await database.write { tx in
            try tx.run(Self.deleteBurials(before: now - IdentityRules.longestLife - IdentityRules.leeway - IdentityRules.leeway))
            try tx.run(Self.deleteNonces(expiredBefore: now))
        }
    }

    private static func isBuried(_ arrival: Arrival, _ tx: WriteTransaction) throws -> Bool {
        guard let deletedAt: Timestamp = try tx.row(burial(arrival.key))?.get("deleted_at") else { return false }
        return arrival.issuedAt <= deletedAt
    }

    private static func spendNonce(_ arrival: Arrival, _ tx: WriteTransaction) throws -> Bool {
        guard let nonce = arrival.nonce else { return true }
        return try tx.row(insertNonce(nonce.hash, until: nonce.until)) != nil
    }

    private static func complete(_ account: Account, _ arrival: Arrival, _ tx: WriteTransaction) throws -> Account {
        if let email = arrival.email { try tx.run(updateIdentity(arrival.issuer, arrival.subject, email: email)) }
        var changed = false
        if account.name == nil, let name = arrival.name { changed = try tx.run(nameIfNone(account.id, name)) > 0 }
        if account.email == nil, let email = arrival.accountEmail {
            changed = try tx.run(emailIfNone(account.id, email)) > 0 || changed
        }
        guard changed else { return account }
        return try tx.first(Self.account(account.id), Account.init) ?? account
    }

    /// Never somebody else's account: an id or an e-mail address that is taken already is passed over.
    private static func makeAccount(for arrival: Arrival, _ tx: WriteTransaction) throws -> Account {
        for id in arrival.accountIDs {
            for email in arrival.accountEmail.map({ [$0, nil] }) ?? [nil] {
                let account = Account(id: id, email: email, name: arrival.name, isAdmin: false, isPro: false, createdAt: arrival.at)
                if try tx.row(insertVisitor(account)) != nil { return account }
            }
        }
        throw DatabaseError.busy
    }

    // MARK: Statements

    static func identity(_ issuer: String, _ subject: String) -> SQL {
        """
        SELECT \(sql: Account.table.columns) FROM identity JOIN account ON account.id = identity.account
        WHERE identity.issuer = \(issuer) AND identity.subject = \(subject)
        """
    }

    static func identities(of account: String) -> SQL {
        "\(sql: LinkedIdentity.table.select) WHERE account = \(account) ORDER BY created_at, issuer, subject"
    }

    static func linkedSubject(_ subject: String, _ account: String) -> SQL {
        "SELECT subject FROM identity WHERE account = \(account) AND subject = \(subject) LIMIT 1"
    }

    static func insertVisitor(_ account: Account) -> SQL {
        Account.table.insert(account) + " ON CONFLICT DO NOTHING RETURNING id"
    }

    static func insertIdentity(_ arrival: Arrival, account: String, linkedAt: Timestamp? = nil) -> SQL {
        let identity = LinkedIdentity(
            issuer: arrival.issuer, subject: arrival.subject, email: arrival.email, createdAt: arrival.at, linkedAt: linkedAt)
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

    static func burial(_ hash: String) -> SQL { "SELECT deleted_at FROM deleted_identity WHERE identity = \(hash)" }

    /// The latest counts.
    static func bury(_ hash: String, _ now: Timestamp) -> SQL {
        """
        INSERT INTO deleted_identity (identity, deleted_at) VALUES (\(hash), \(now))
        ON CONFLICT (identity) DO UPDATE SET deleted_at = excluded.deleted_at
        """
    }

    static func deleteIdentities(of account: String) -> SQL { "DELETE FROM identity WHERE account = \(account)" }

    static func deleteBurials(before end: Timestamp) -> SQL { "DELETE FROM deleted_identity WHERE deleted_at < \(end)" }

    static func insertNonce(_ hash: String, until end: Timestamp) -> SQL {
        "INSERT INTO used_nonce (hash, expires_at) VALUES (\(hash), \(end)) ON CONFLICT (hash) DO NOTHING RETURNING hash"
    }

    static func deleteNonces(expiredBefore end: Timestamp) -> SQL { "DELETE FROM used_nonce WHERE expires_at < \(end)" }
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
