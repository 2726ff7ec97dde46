internal import Core
internal import Database

/// Phone numbers, which only verified tokens prove. A number belongs to one account: the one with the newest proof.
extension AccountStore {
    /// Whether another account holds the number by a proof that is as new as this one, or newer.
    func isTaken(_ proof: PhoneProof, from account: String) async throws -> Bool {
        try await database.read { tx in try Self.isTaken(proof, from: account, tx) }
    }

    /// Does nothing if the identity whose token proves the number is no longer linked to the account: a reset may have removed it since the
    /// token was checked, together with the number that it had proved.
    func provePhone(_ proof: PhoneProof, of account: String, by identity: IdentityName) async throws {
        try await database.write { tx in
            // A write that removes identities holds this lock.
            try tx.lock(AccountLocks.password(of: account))
            guard try tx.first(Self.identity(identity.issuer, identity.subject), Account.init)?.id == account else { return }
            try Self.provePhone(proof, of: account, tx)
        }
    }

    /// Gives the number to the account, and takes it away from the account that had it. Does nothing if another account holds the number by
    /// a proof that is as new or newer, if the account's own newest proof, of whichever number, is as new or newer, or if the account is
    /// closed.
    static func provePhone(_ proof: PhoneProof, of account: String, _ tx: WriteTransaction) throws {
        // Every write that gives this number to an account holds this lock, so two accounts cannot get it at the same time.
        try tx.lock("phone \(proof.number)")
        if let holder: String = try tx.row(phoneHolder(proof.number))?.get("id"), holder != account {
            // Both rows change, so this locks them in a fixed order. Otherwise two accounts that swap their numbers at the same moment
            // would wait for each other's row.
            for id in [account, holder].sorted() { try tx.lock("phone of \(id)") }
        }
        guard let known = try tx.first(knownPhone(of: account), KnownPhone.init), known.isOlder(than: proof.provedAt),
            try !isTaken(proof, from: account, tx)
        else { return }
        if known.number != proof.number { try tx.run(takePhone(proof.number, forAccount: account)) }
        try tx.run(setPhone(proof, of: account))
    }

    private static func isTaken(_ proof: PhoneProof, from account: String, _ tx: ReadTransaction) throws -> Bool {
        guard let holder = try tx.row(phoneHolder(proof.number)), try holder.get("id", as: String.self) != account else { return false }
        let provedAt: Timestamp? = try holder.get("phone_proved_at")
        return !KnownPhone(number: proof.number, provedAt: provedAt).isOlder(than: proof.provedAt)
    }

    // MARK: Statements

    static func knownPhone(of account: String) -> SQL {
        "SELECT phone, phone_proved_at FROM account WHERE id = \(account) AND closed_at IS NULL"
    }

    static func phoneHolder(_ number: String) -> SQL { "SELECT id, phone_proved_at FROM account WHERE phone = \(number)" }

    /// The account that loses the number keeps the time of its own newest token, so that this token does not take the number back.
    static func takePhone(_ number: String, forAccount account: String) -> SQL {
        "UPDATE account SET phone = NULL WHERE phone = \(number) AND id <> \(account)"
    }

    /// The time of the newest token stays, so that this token does not bring the number back.
    static func dropPhone(of account: String) -> SQL { "UPDATE account SET phone = NULL WHERE id = \(account) AND phone IS NOT NULL" }

    static func setPhone(_ proof: PhoneProof, of account: String) -> SQL {
        """
        UPDATE account SET phone = \(proof.number), phone_proved_at = \(proof.provedAt)
        WHERE id = \(account) AND closed_at IS NULL AND (phone_proved_at IS NULL OR phone_proved_at < \(proof.provedAt))
        """
    }
}

extension KnownPhone {
    /// Reads `phone` and `phone_proved_at`, which must come next in the row.
    init(_ row: inout RowReader) throws {
        self.init(number: try row.next("phone"), provedAt: try row.next("phone_proved_at"))
    }
}
