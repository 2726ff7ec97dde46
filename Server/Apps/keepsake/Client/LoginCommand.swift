import ArgumentParser
import Foundation
import KeepsakeKit
import KeepsakeWire

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in to a server, for the other client commands.",
        discussion: "The tokens are kept in $XDG_CONFIG_HOME/keepsake, by default ~/.config/keepsake, where only you can read them.")

    @Argument(help: "The server's address, for example https://keepsake.example.org")
    var url: String

    @Option(help: "The account's e-mail address. Without it, the command asks for it.")
    var email: String?

    @Flag(help: "Read the password from the first line of standard input instead of the terminal.")
    var passwordStdin = false

    @Flag(help: "Create the account first.")
    var register = false

    @Option(help: "With --register: the person's name.")
    var name: String?

    @Option(help: "With --register: the invitation's code, if the server requires one.")
    var invite: String?

    @Flag(help: "One line of JSON: url, user_id, email, name.")
    var json = false

    func validate() throws {
        guard register || (name == nil && invite == nil) else { throw ValidationError("--name and --invite require --register.") }
    }

    func run() async throws {
        try await ClientFailure.reporting(json: json) {
            let address = try ServerAddress(url)
            if address.isReadableOnTheWay {
                ClientOutput.note(
                    "the connection is not encrypted: everybody on the way can read the password. Use https:// if the server has it")
            }
            let email = try email ?? TerminalPrompt.line("E-mail address: ", hint: "Name the account with --email.")
            let password =
                try passwordStdin
                ? readLine() ?? ""
                : TerminalPrompt.password(
                    hint: "There is no terminal to ask for the password. Send it to standard input, with --password-stdin.")
            let folder = ClientFolder()
            let previous = try? folder.current()
            // If the stored tokens cannot be read, there is no sign-in to end.
            let replaced = try? await folder.tokens(for: address).load()
            let server = try folder.server(at: address)
            let user: User
            do {
                user =
                    try await register
                    ? server.auth.register(email: email, password: password, name: name, invite: invite)
                    : server.auth.signIn(email: email, password: password)
            } catch let error as KeepsakeError where error.status == 404 || error.status == 405 || error.code == .invalidResponse {
                throw ClientFailure(.unavailable, "There is no Keepsake server at \(address.text).")
            }
            try folder.select(address)
            // Only one sign-in is in use at a time. The previous one ends on its server, and its tokens are deleted from the disk.
            if let replaced { try? await folder.server(at: address, tokens: MemoryTokenStore(replaced)).auth.signOut() }
            if let previous, previous != address { try? await folder.server(at: previous).auth.signOut() }
            try Identity(address, user).print(json: json)
        }
    }
}

struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Sign out: end the session on the server and delete the tokens.")

    @Flag(help: "One line of JSON: url, which is null if nobody was signed in.")
    var json = false

    func run() async throws {
        try await ClientFailure.reporting(json: json) {
            let folder = ClientFolder()
            let address = try folder.current()
            if let address { try await folder.server(at: address).auth.signOut() }
            try folder.select(nil)
            if json {
                try ClientOutput.print(json: ["url": address?.text], .capsules)
            } else {
                try ClientOutput.print(address.map { "signed out of \($0.text)" } ?? "nobody was signed in")
            }
        }
    }
}

struct WhoamiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "whoami", abstract: "Show the server and the account that is signed in.")

    @Flag(help: "One line of JSON: url, user_id, email, name.")
    var json = false

    func run() async throws {
        try await ClientFailure.reporting(json: json) {
            let folder = ClientFolder()
            let user = try await folder.server().auth.me()
            guard let address = try folder.current() else { throw KeepsakeError(.sessionChanged, "") }
            try Identity(address, user).print(json: json)
        }
    }
}

/// The account that is signed in, and its server, as output.
private struct Identity: Encodable {
    let url: String
    let userID: String
    @OrNull var email: String?
    @OrNull var name: String?

    enum CodingKeys: String, CodingKey {
        case url
        case userID = "user_id"
        case email, name
    }

    init(_ address: ServerAddress, _ user: User) {
        url = address.text
        userID = user.id
        _email = OrNull(wrappedValue: user.email)
        _name = OrNull(wrappedValue: user.name)
    }

    func print(json: Bool) throws {
        if json { return try ClientOutput.print(json: self, .capsules) }
        let person = [name, email].compactMap { $0 }.joined(separator: ", ")
        try ClientOutput.print("signed in to \(url) as \(ClientOutput.line(person.isEmpty ? userID : person))")
    }
}
