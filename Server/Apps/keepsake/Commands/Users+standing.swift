import AccountData
import Accounts
import ArgumentParser
import Core
import Foundation

/// `keepsake users suspend`, `restore`, `verify` and `unverify`.
protocol StandingCommand: AsyncParsableCommand {
    static var action: AccountOperations.Action { get }
    var account: AccountName { get }
    /// Whether to perform the action even if it leaves no administrator.
    var force: Bool { get }
    var json: Bool { get }
    var options: ToolOptions { get }
}

extension StandingCommand {
    var force: Bool { false }

    func run() async throws {
        try await Users.open(options) { feature, _ in
            let operations = feature.operations
            let id = try await operations.account(account.name).id
            let who = Operator.command(user: SystemUser.name)
            let account = try await operations.perform(Self.action, on: id, by: who, evenLast: force).account
            try Output.print(
                json: json, ("user_id", account.id), ("email", account.email), ("phone", account.phone),
                ("suspended_at", account.suspendedAt.map(Output.time)), ("verified_at", account.verifiedAt.map(Output.time)))
        }
    }
}

/// The options that name an account.
struct AccountName: ParsableArguments {
    @Option(help: "The account's e-mail address.")
    var email: String?

    @Option(help: "The account's verified phone number, in international form: +491701234567.")
    var phone: String?

    @Option(help: "The account's id.")
    var id: String?

    var name: AccountOperations.Name {
        get throws {
            switch (email, phone, id) {
            case (let email?, nil, nil): .email(email)
            case (nil, let phone?, nil): .phone(phone)
            case (nil, nil, let id?): .id(id)
            default: throw ValidationError("Pass exactly one of --email, --phone and --id.")
            }
        }
    }

    func validate() throws { _ = try name }
}

extension Users {
    /// Opens the installation and runs a command about accounts. It works while the server runs.
    static func open(_ options: ToolOptions, _ body: (AccountDataFeature, Settings) async throws -> Void) async throws {
        try await Exit.reporting {
            let settings = try await Settings.read(options)
            try settings.requireInstallation()
            let backend = try await Backend.open(settings, mode: .tool, logger: .silent)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(backend.features[AccountDataFeature.self], settings))
            } catch let problem as Problem where problem == Problem.lastAdministrator {
                result = .failure(Problem(.invalid, problem.message + " Or pass --force."))
            } catch {
                result = .failure(error)
            }
            try await backend.close()
            try result.get()
        }
    }

    struct Suspend: StandingCommand {
        static let action = AccountOperations.Action.suspend
        static let configuration = CommandConfiguration(
            abstract: "Suspend an account: it cannot sign in, and others see nothing of it. Deletes nothing. Works while the server runs.")

        @OptionGroup var account: AccountName

        @Flag(help: "Even if no other administrator is left.")
        var force = false

        @Flag(help: AccountOutput.help)
        var json = false

        @OptionGroup var options: ToolOptions
    }

    struct Restore: StandingCommand {
        static let action = AccountOperations.Action.restore
        static let configuration = CommandConfiguration(
            abstract: "Undo a suspension: everything of the account is back, its sessions too. Works while the server runs.")

        @OptionGroup var account: AccountName

        @Flag(help: AccountOutput.help)
        var json = false

        @OptionGroup var options: ToolOptions
    }

    struct Verify: StandingCommand {
        static let action = AccountOperations.Action.verify
        static let configuration = CommandConfiguration(
            abstract: "Put an account on the list of verified accounts. Works while the server runs.")

        @OptionGroup var account: AccountName

        @Flag(help: AccountOutput.help)
        var json = false

        @OptionGroup var options: ToolOptions
    }

    struct Unverify: StandingCommand {
        static let action = AccountOperations.Action.unverify
        static let configuration = CommandConfiguration(
            abstract: "Take an account off the list of verified accounts. Works while the server runs.")

        @OptionGroup var account: AccountName

        @Flag(help: AccountOutput.help)
        var json = false

        @OptionGroup var options: ToolOptions
    }
}

private enum AccountOutput {
    static let help: ArgumentHelp = "One line of JSON: user_id, email, phone, suspended_at, verified_at."
}
