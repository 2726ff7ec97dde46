import AccountData
import Accounts
import ArgumentParser
import Core
import Foundation

struct Users: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manage accounts.",
        subcommands: [
            List.self, Show.self, Quota.self, Admin.self, Suspend.self, Restore.self, Verify.self, Unverify.self, Reset.self, Delete.self,
        ])

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Print a code that sets a new password, or set a password from standard input. Works while the server runs.",
            discussion: "With KEEPSAKE_RESET_URL or its key, which keepsake serve --help explains, it also prints a link.")

        @Option(help: "The account's e-mail address.")
        var email: String

        @Flag(help: "Set the password on the first line of standard input instead of printing a code.")
        var passwordStdin = false

        @Flag(
            help: "With --password-stdin: keep the identities that were linked after the account was made, instead of removing them."
        )
        var keepIdentities = false

        @Option(help: "How long the code is valid: 90m, 12h, 7d; a minute to 7 days")
        var expires: Lifetime = Lifetime(.days(1))

        @Flag(
            help: "One line of JSON: user_id, token, link, expires_at; with --password-stdin user_id, sessions_ended, identities_removed.")
        var json = false

        @OptionGroup var options: ToolOptions

        func run() async throws {
            try await Exit.reporting {
                let settings = try await Settings.read(options)
                // Read the password before anything is opened, so that a person at a terminal is prompted at once.
                if passwordStdin, isatty(0) == 1 {
                    let hint = "Type the new password, then Enter. The terminal shows what you type.\n"
                    try? FileHandle.standardError.write(contentsOf: Data(hint.utf8))
                }
                let password = passwordStdin ? readLine(strippingNewline: true) ?? "" : nil
                let backend = try await Backend.open(
                    settings, mode: .tool, logger: .silent)
                if let password {
                    let reset = try await backend.accounts.setPassword(
                        password, email: email, keepsIdentities: keepIdentities)
                    try await backend.features[AccountDataFeature.self].record(
                        "password", on: reset.userID, by: .command(user: SystemUser.name))
                    if !json { print("The password was set.") }
                    try Output.print(
                        json: json, ("user_id", reset.userID), ("sessions_ended", "\(reset.endedSessions)"),
                        ("identities_removed", "\(reset.removedIdentities)"))
                } else {
                    let reset = try await backend.accounts.issueReset(email: email, lifetime: expires.duration)
                    try await backend.features[AccountDataFeature.self].record(
                        "password-code", on: reset.userID, by: .command(user: SystemUser.name))
                    try Output.print(
                        json: json, ("user_id", reset.userID), ("token", reset.code), ("link", reset.link),
                        ("expires_at", Output.time(reset.expiresAt)))
                }
                try await backend.close()
            }
        }
    }
}
