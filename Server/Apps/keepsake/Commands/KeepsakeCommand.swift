import ArgumentParser

/// The program `keepsake`.
@main
struct KeepsakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keepsake",
        abstract: "A self-hosted backend for apps that keep people's moments.",
        version: Keepsake.version,
        subcommands: [
            Serve.self, Token.self, Invite.self, Users.self, ReportsCommand.self, JobsCommand.self, NodesCommand.self, Verify.self,
            BackupCommand.self, RestoreCommand.self, CopyCommand.self, Doctor.self, VersionCommand.self,
        ],
        groupedSubcommands: [CommandGroup(name: "Client", subcommands: ClientCommands.all)])

    static func main() async {
        let arguments = NegativeNumber.joined(CommandLine.arguments.dropFirst())
        await ClientFailure.checkUsage(of: Self.self, arguments)
        if let misspelt = MisspeltSubcommand.find(in: arguments, of: Self.self) {
            exit(withError: ValidationError(misspelt.description))
        }
        await main(arguments)
    }
}
