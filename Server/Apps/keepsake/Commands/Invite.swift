import Accounts
import ArgumentParser
import Core
import Foundation

struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print an invitation code, which allows one registration. Works while the server runs.")

    @Option(help: "The only e-mail address that can register with it. Default: any")
    var email: String?

    @Option(help: "How long it is valid: 90m, 12h, 7d; a minute to 365 days")
    var expires: Lifetime = Lifetime(.days(7))

    @Flag(help: "One line of JSON: invite, email, expires_at.")
    var json = false

    @OptionGroup var beginning: BeginOptions

    @OptionGroup var options: ToolOptions

    func run() async throws {
        try await Exit.reporting {
            let settings = try await Settings.read(options)
            let backend = try await Backend.open(
                settings, mode: beginning.mode, logger: .silent)
            if backend.isNew { Exit.note(Token.created(settings)) }
            let invitation = try await backend.accounts.invite(email: email, lifetime: expires.duration)
            try await backend.close()
            switch settings.registration {
            case .invite: break
            case .open:
                Exit.note(
                    settings.naming(
                        "registration is open here: people can register without the invitation, until KEEPSAKE_REGISTRATION is invite"))
            case .closed:
                Exit.note(
                    settings.naming(
                        "registration is closed here: the invitation lets nobody register, until KEEPSAKE_REGISTRATION is invite"))
            }
            let time = Output.time(invitation.expiresAt)
            if json {
                try Output.print(json: true, ("invite", invitation.code), ("email", email), ("expires_at", time))
            } else {
                let link = Self.link(invitation.code, settings)
                try Output.print(json: false, ("invite", invitation.code), ("link", link), ("email", email), ("expires_at", time))
            }
        }
    }

    /// A link to the console's page on which people register with the code; `nil` without a public URL.
    static func link(_ code: String, _ settings: Settings) -> String? { settings.publicURL.map { "\($0)/console/?invite=\(code)" } }
}
