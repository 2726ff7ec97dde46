internal import Core
internal import Foundation
internal import Jobs
internal import Mail

/// Sends the mails that `OwnerNotices` enqueues.
struct OwnerMails: Sendable {
    let store: AccountStore
    let mailer: SMTPClient?
    /// The server's public URL, which the mail names.
    let place: @Sendable () -> String

    var handler: JobHandler { JobHandler(NotifyOwner.self, send) }

    private func send(_ run: JobRun<NotifyOwner>) async throws {
        // Without an e-mail address there is no recipient.
        guard let email = try await store.account(run.payload.account)?.email else { return }
        guard let mailer else { throw JobFailure.permanent("no mail server is configured; set KEEPSAKE_SMTP") }
        guard let address = MailAddress(email) else {
            throw JobFailure.permanent("the server cannot send mail to an e-mail address of this form")
        }
        do {
            try await mailer.send(try Self.mail(run.payload, from: mailer.settings.from, to: address, place: place()))
        } catch SMTPFailure.permanent(let reason) {
            throw JobFailure.permanent(reason)
        }
    }

    static func mail(_ notice: NotifyOwner, from: MailSender, to: MailAddress, place: String) throws -> MailMessage {
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

            If it was not you, set a new password: that signs out every device and
            removes the ways to sign in that were added since the last change.
            """
        return try MailMessage(from: from, to: to, subject: subject, text: text + "\n", date: notice.at, id: notice.id)
    }

    private static func passwordSet(_ notice: NotifyOwner, _ list: String) -> String {
        let ended = "Your password was changed, and every \(notice.keepsSession == true ? "other " : "")device was signed out."
        if notice.identities.isEmpty { return ended }
        return notice.areKept
            ? "\(ended) These ways to sign in\nwere added since the last change, and still work:\n\n\(list)"
            : "\(ended) These ways to sign in\nwere added since the last change, and were removed:\n\n\(list)\n\nLink those again that are yours."
    }
}
