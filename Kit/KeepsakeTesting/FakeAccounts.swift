import Foundation
import KeepsakeWire

extension FakeRoutes {
    mutating func addAccounts() {
        serve(AccountEndpoints.register) { input, call, state in
            let email = input.email.lowercased()
            guard email.contains("@") else { throw FakeProblem.invalid("email must be an e-mail address.", "email") }
            guard 8...1_024 ~= input.password.utf8.count else {
                throw FakeProblem.invalid("password must have 8 to 1,024 bytes.", "password")
            }
            guard !state.accounts.values.contains(where: { $0.user.email == email }) else {
                throw FakeProblem(409, "An account with this address exists.", field: "email")
            }
            let timeZone = try input.timeZone.map { try FakeText.zone($0) }
            let id = state.newID()
            let user = User(
                id: id, email: email, name: input.name, createdAt: call.now, isProUser: false, timeZone: timeZone)
            state.accounts[id] = FakeState.Account(user: user, password: input.password)
            return try state.signIn(id, method: "password", call.now)
        }
        // The fake server creates accounts at once, like a server that does not confirm addresses.
        serve(AccountEndpoints.confirmRegistration) { _, _, _ in throw FakeProblem(403, "Registrations need no confirmation here.") }
        serve(AccountEndpoints.resendConfirmation) { _, _, _ in throw FakeProblem(403, "Registrations need no confirmation here.") }
        serve(AccountEndpoints.login) { input, call, state in
            let account = state.accounts.values.first { $0.user.email == input.email.lowercased() && $0.password == input.password }
            guard let account else { throw FakeProblem(401, "The address or the password is wrong.") }
            return try state.signIn(account.user.id, method: "password", call.now)
        }
        serve(IdentityEndpoints.apple) { input, call, state in
            let subject = input.userIdentifier ?? input.identityToken
            let name = [input.fullName?.givenName, input.fullName?.familyName].compactMap { $0 }.joined(separator: " ")
            return try state.signIn(
                issuer: "https://appleid.apple.com", subject, name: name.isEmpty ? nil : name, method: "apple", call.now)
        }
        serve(IdentityEndpoints.oidc) { input, call, state in
            try state.signIn(issuer: input.issuer, input.idToken, name: nil, method: "oidc", call.now)
        }
        serve(AccountEndpoints.refresh) { input, call, state in
            guard let session = state.refreshTokens[input.refreshToken], state.isLive(session) else {
                throw FakeProblem(401, "The refresh token is invalid, or its session has ended.")
            }
            // If two clients refresh at the same time, the real server gives both the same tokens. The fake server gives each client other
            // tokens of the same session.
            return state.issue(session, call.now)
        }
        serve(AccountEndpoints.signOut) { _, call, state in
            state.sessions[call.session] = nil
            return Empty()
        }
        serve(AccountEndpoints.changePassword) { input, call, state in
            guard 8...1_024 ~= input.newPassword.utf8.count, input.newPassword != input.oldPassword else {
                throw FakeProblem.invalid("new_password must have 8 to 1,024 bytes, and differ from old_password.", "new_password")
            }
            guard let password = try state.account(call.caller).password else { throw FakeProblem(409, "This account has no password.") }
            // The new password is accepted too: a client sends the request again if the response was lost.
            guard [input.oldPassword, input.newPassword].contains(password) else {
                throw FakeProblem(403, "The password is wrong.", code: "wrong_password")
            }
            state.accounts[call.caller]?.password = input.newPassword
            return PasswordChanged(ended: state.endSessions(of: call.caller, keeping: call.session), recentIdentities: [])
        }
        serve(AccountEndpoints.me) { _, call, state in try state.ownUser(call.caller) }
        serve(AccountEndpoints.updateMe) { input, call, state in
            var user = try state.account(call.caller).user
            FakeText.apply(input.name, &user.name)
            FakeText.apply(input.timeZone, &user.timeZone)
            if case .set(let zone) = input.timeZone { user.timeZone = try FakeText.zone(zone) }
            switch input.outsideEngines {
            case .unchanged: break
            case .clear: user.outsideEngines = true
            case .set(let value): user.outsideEngines = value
            }
            state.accounts[call.caller]?.user = user
            return try state.ownUser(call.caller)
        }
        addSessions()
    }

    private mutating func addSessions() {
        serve(AccountEndpoints.sessions) { _, call, state in
            let own = state.sessions.filter { $0.value.user == call.caller }.sorted { $0.key > $1.key }
            return SessionList(
                sessions: own.map { id, session in
                    SessionList.Session(
                        id: id, method: session.method, userAgent: nil, createdAt: session.createdAt, lastUsedAt: call.now,
                        expiresAt: call.now.addingTimeInterval(30 * 86_400), isCurrent: id == call.session)
                })
        }
        serve(AccountEndpoints.endSession) { input, call, state in
            guard state.sessions[input.id]?.user == call.caller else { throw FakeProblem.notFound("The session") }
            state.sessions[input.id] = nil
            return Empty()
        }
        serve(AccountEndpoints.endSessions) { input, call, state in
            SessionsEnded(ended: state.endSessions(of: call.caller, keeping: input.keepCurrent == true ? call.session : nil))
        }
        serve(IdentityEndpoints.identities) { _, call, state in IdentityList(identities: try state.account(call.caller).identities) }
        serve(AccountDataEndpoints.delete) { input, call, state in
            state.delete(call.caller, keepingCoves: input.keepCoves ?? false)
            return DeletedAccount(accountID: call.caller, deletedAt: call.now, receipt: "")
        }
    }
}

extension FakeState {
    func account(_ id: String) throws -> Account {
        guard let account = accounts[id] else { throw FakeProblem(401, "The account does not exist.") }
        return account
    }

    /// The user, together with the usage of the account.
    func ownUser(_ id: String) throws -> User {
        var user = try account(id).user
        let files = files[id] ?? []
        user.profilePictureURL = files.first { $0.item.fileId == profilePictures[id] }?.item.url
        user.usage = AccountUsage(files: files.count, bytes: files.reduce(0) { $0 + $1.data.count }, quota: Self.quota)
        return user
    }

    /// The account's quota in bytes. The fake server only reports it and does not enforce it.
    private static let quota = 10_240 * 1_048_576

    mutating func signIn(issuer: String, _ subject: String, name: String?, method: String, _ now: Date) throws -> SignedIn {
        let known = accounts.values.first { $0.identities.contains { $0.issuer == issuer && $0.subject == subject } }
        if let known { return try signIn(known.user.id, method: method, now) }
        let id = newID()
        var account = Account(user: User(id: id, email: nil, name: name, createdAt: now, isProUser: false))
        account.identities = [Identity(id: newID(), issuer: issuer, subject: subject, email: nil, createdAt: now)]
        accounts[id] = account
        return try signIn(id, method: method, now)
    }

    mutating func delete(_ user: String, keepingCoves: Bool) {
        endSessions(of: user, keeping: nil)
        accounts[user] = nil
        moods[user] = nil
        memories[user] = nil
        events[user] = nil
        files[user] = nil
        capsules[user] = nil
        captures[user] = nil
        contacts[user] = nil
        logs[user] = nil
        requests.removeAll { $0.senderId == user || $0.recipientId == user }
        friendships.removeAll { $0.user1Id == user || $0.user2Id == user }
        blocks.removeAll { $0.blocker == user || $0.blocked == user }
        if keepingCoves { handOverCoves(of: user) }
        coves.removeAll { $0.creator == user }
        for index in coves.indices { coves[index].members.removeAll { $0.user == user } }
        invites.removeAll { $0.sender == user }
        let left = Set(coves.map(\.id))
        coveEvents.removeAll { $0.host == user || !left.contains($0.cove) }
    }

    /// Makes the longest-standing ADMIN of each cove its creator, or without one the longest-standing member. A cove without other members
    /// keeps its creator.
    private mutating func handOverCoves(of user: String) {
        for index in coves.indices where coves[index].creator == user {
            let others = coves[index].members.indices.filter { coves[index].members[$0].user != user }
            guard let heir = others.first(where: { coves[index].members[$0].role == .admin }) ?? others.first else { continue }
            coves[index].members[heir].role = .admin
            coves[index].creator = coves[index].members[heir].user
        }
    }
}
