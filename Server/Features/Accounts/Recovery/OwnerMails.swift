internal import Core
internal import Jobs

/// Sends the mails that `OwnerNotices` enqueues.
struct OwnerMails: Sendable {
    let store: AccountStore
    let mailer: AccountMailer

    var handler: JobHandler { JobHandler(NotifyOwner.self, send) }

    private func send(_ run: JobRun<NotifyOwner>) async throws {
        // Without an e-mail address there is no recipient.
        guard let email = try await store.account(run.payload.account)?.email else { return }
        let notice = run.payload
        try await mailer.send(to: email, id: notice.id, at: notice.at) { place in Self.text(notice, place) }
    }

    static func text(_ notice: NotifyOwner, _ place: String) -> MailText {
        let list = notice.identities.map { "    \($0)" }.joined(separator: "\n")
        let (subject, what) =
            switch notice.change {
            case .identityLinked: ("A new way to sign in", "Your account can now also be signed in to with:\n\n\(list)")
            case .identityRemoved: ("A way to sign in was removed", "Your account can no longer be signed in to with:\n\n\(list)")
            case .passwordSet: ("Your password was changed", passwordSet(notice, list))
            }
        let text = """
            This is about your account at
            \(place).

            \(what)

            If it was not you, set a new password with a code ("forgot password"). This
            signs out every device. It also removes all ways to sign in that were added
            after the account was made, or after its password was last set with a code.
            """
        return MailText(subject: subject, text: text)
    }

    private static func passwordSet(_ notice: NotifyOwner, _ list: String) -> String {
        var text = "Your password was changed, and every \(notice.keepsSession == true ? "other " : "")device was signed out."
        if !notice.identities.isEmpty {
            text += "\nThese ways to sign in were added lately, and "
            text += notice.areKept ? "still work:\n\n\(list)" : "were removed:\n\n\(list)\n\nLink those again that are yours."
        }
        for revoked in notice.revoked ?? [] { text += "\n\n\(revoked) was deleted. Make a new one if you use it." }
        if let left = notice.left, !left.isEmpty {
            text += "\n\nBesides the password, you can also sign in to your account with:\n\n"
            text += left.map { "    \($0)" }.joined(separator: "\n")
        }
        return text
    }
}
