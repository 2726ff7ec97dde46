import ArgumentParser

@main
struct Keepsake: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keepsake",
        abstract: "A self-hosted backend for apps that keep people's moments.",
        discussion: FeatureFlags.help,
        version: version,
        subcommands: [
            Serve.self, Token.self, Invite.self, Users.self, ReportsCommand.self, JobsCommand.self, Verify.self, Doctor.self, Version.self,
        ])

    static let version = "0.1.0"

    static func main() async { await main(FeatureFlags.rewritten(Array(CommandLine.arguments.dropFirst()))) }
}
