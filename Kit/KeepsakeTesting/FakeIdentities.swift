import Foundation
import KeepsakeWire

/// The routes for identities at other providers, for recovery by mail, and for the export of an account.
extension FakeRoutes {
    mutating func addIdentities() {
        serve(IdentityEndpoints.link) { input, call, state in
            try state.checkFreshSignIn(call)
            let (issuer, subject): (String, String)
            if let apple = input.apple {
                (issuer, subject) = ("https://appleid.apple.com", apple.userIdentifier ?? apple.identityToken)
            } else if let oidc = input.oidc {
                (issuer, subject) = (oidc.issuer, oidc.idToken)
            } else {
                throw FakeProblem.invalid("Send identity_token, or issuer and id_token.", "identity_token")
            }
            let owner = state.accounts.values.first { $0.identities.contains { $0.issuer == issuer && $0.subject == subject } }
            guard owner == nil || owner?.user.id == call.caller else { throw FakeProblem(409, "The identity belongs to another account.") }
            if owner == nil {
                let identity = Identity(id: state.newID(), issuer: issuer, subject: subject, email: nil, createdAt: call.now)
                state.accounts[call.caller]?.identities.append(identity)
            }
            return IdentityList(identities: try state.account(call.caller).identities)
        }
        serve(IdentityEndpoints.unlink) { input, call, state in
            try state.checkFreshSignIn(call)
            let account = try state.account(call.caller)
            guard account.identities.contains(where: { $0.id == input.id }) else { throw FakeProblem.notFound("The identity") }
            guard account.password != nil || account.identities.count > 1 else {
                throw FakeProblem(409, "This is the only way to sign in to the account.")
            }
            state.accounts[call.caller]?.identities.removeAll { $0.id == input.id }
            return IdentityList(identities: try state.account(call.caller).identities)
        }
        addRecovery()
        // The export is an archive without files.
        serve(file: AccountDataEndpoints.export) { _, _, _ in (FakeArchive().finished(), "application/zip") }
    }

    /// The routes for recovery respond as on a server that sends no mail.
    private mutating func addRecovery() {
        serve(AccountEndpoints.forgotPassword) { _, _, _ in throw FakeProblem(403, "This server sends no mail.") }
        serve(AccountEndpoints.changeEmail) { input, _, _ in
            guard input.email.contains("@") else { throw FakeProblem.invalid("email must be an e-mail address.", "email") }
            throw FakeProblem(403, "This server sends no mail.")
        }
        serve(AccountEndpoints.resetPassword) { _, _, _ in throw FakeProblem.invalid("This code is not known.", "token") }
        serve(AccountEndpoints.confirmEmail) { _, _, _ in throw FakeProblem.invalid("This code is not known.", "code") }
    }
}

extension FakeState {
    /// - Throws: `sign_in_again` when the session is older than ten minutes.
    fileprivate func checkFreshSignIn(_ call: FakeCall) throws {
        guard let session = sessions[call.session], call.now.timeIntervalSince(session.createdAt) <= 600 else {
            throw FakeProblem(403, "This needs a sign-in within the last 10 minutes.", code: "sign_in_again")
        }
    }
}
