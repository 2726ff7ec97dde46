internal import Core
internal import Logging
internal import Phone

extension AdmitIdentity {
    /// Stores the phone number that a bearer token proves. Most requests carry a token that an earlier request has carried already; for
    /// these, this method runs no SQL statement.
    /// - Parameter known: the phone number that was read together with the identity.
    func provePhone(_ identity: VerifiedIdentity, of account: String, _ known: KnownPhone) async {
        guard known.isOlder(than: identity.issuedAt), let proof = phone(identity, knownAs: known.number) else { return }
        do {
            // Check with a read first. A client sends a token with many requests. If another account has a newer proof of the number, each
            // of them would cost a write that changes nothing.
            if proof.number != known.number, try await store.isTaken(proof, from: account) { return }
            try await store.provePhone(proof, of: account, by: IdentityName(issuer: identity.issuer, subject: identity.subject))
        } catch is CancellationError {
        } catch {
            // A failed write, for example on a full disk, must not fail the request. The next request with this token tries again.
            logger.warning("a proved phone number was not stored; the next request will retry it", metadata: ["error": "\(error)"])
        }
    }

    /// - Parameter number: a number in E.164; a claim that equals it is not parsed.
    /// - Returns: `nil` when the token proves no phone number.
    func phone(_ identity: VerifiedIdentity, knownAs number: String? = nil) -> PhoneProof? {
        guard let claim = identity.phoneNumber else { return nil }
        if claim == number { return PhoneProof(number: claim, provedAt: identity.issuedAt) }
        do {
            return try PhoneNumber.e164(claim, region: nil).map { PhoneProof(number: $0, provedAt: identity.issuedAt) }
        } catch {
            logger.error("phone numbers cannot be read; run keepsake doctor")
            return nil
        }
    }
}
