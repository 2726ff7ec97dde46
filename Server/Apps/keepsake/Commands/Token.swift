import AccountData
import Accounts
import ArgumentParser
import Core
import Foundation

struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print tokens for an account, and create it if it does not exist. Works while the server runs.")

    @Option(help: "The account's e-mail address.")
    var email: String

    @Flag(help: "Make the account an administrator.")
    var admin = false

    @Flag(help: "One line of JSON: user_id, access_token, refresh_token, expires_at.")
    var json = false

    @OptionGroup var beginning: BeginOptions

    @OptionGroup var options: ToolOptions

    /// The message of a command that created the installation. It names the folder, in case the path was mistyped.
    static func created(_ settings: Settings) -> String { "there was no installation in \(settings.dataFolder); this command created one" }

    func run() async throws {
        try await Exit.reporting {
            let settings = try await Settings.read(options)
            let backend = try await Backend.open(
                settings, mode: beginning.mode, logger: .silent)
            if backend.isNew { Exit.note(Token.created(settings)) }
            let issued = try await backend.accounts.issueToken(email: email, isAdmin: admin)
            var details: [String: String] = [:]
            if admin { details["admin"] = "true" }
            if issued.isNewAccount { details["created"] = "true" }
            if !details.isEmpty {
                try await backend.features[AccountDataFeature.self].record(
                    "token", on: issued.userID, by: .command(user: SystemUser.name), details: details)
            }
            try await backend.close()
            if json {
                print(try issued.json())
            } else {
                print(
                    "user          \(issued.userID)\naccess token  \(issued.accessToken)\nrefresh token \(issued.refreshToken)\nexpires       \(issued.expiresAt)"
                )
            }
        }
    }
}
