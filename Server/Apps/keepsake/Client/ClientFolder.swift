import Foundation
import KeepsakeKit

/// The client library's `Keepsake`; the program's own command has the same name.
typealias KeepsakeServer = KeepsakeKit.Keepsake

/// What client commands keep between two runs, in `$XDG_CONFIG_HOME/keepsake`, by default `~/.config/keepsake`:
///
/// - `server`: the address of the server that the last `keepsake login` named;
/// - `sessions/ADDRESS.json`: the tokens for that address, readable only by this user. Each address has a file of its own, so that tokens
///   cannot go to another server, wherever a command is interrupted.
struct ClientFolder {
    private let folder: URL

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        // The XDG specification ignores a relative path.
        let base =
            if let path = environment["XDG_CONFIG_HOME"], path.hasPrefix("/") {
                URL(filePath: path)
            } else {
                FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
            }
        folder = base.appending(path: "keepsake")
    }

    /// - Returns: `nil` if nobody signed in yet.
    func current() throws -> ServerAddress? {
        let text: String
        do {
            text = try String(contentsOf: folder.appending(path: "server"), encoding: .utf8)
        } catch let error as CocoaError where [.fileReadNoSuchFile, .fileNoSuchFile].contains(error.code) {
            return nil
        }
        return try ServerAddress(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Makes an address the one that other commands use; `nil` makes none.
    func select(_ address: ServerAddress?) throws {
        let file = folder.appending(path: "server")
        guard let address else {
            try? FileManager.default.removeItem(at: file)
            return
        }
        try Data((address.text + "\n").utf8).write(to: file, options: .atomic)
    }

    func server(at address: ServerAddress) -> KeepsakeServer { KeepsakeServer(url: address.url, tokens: tokens(for: address)) }

    /// The server that the person is signed in to.
    /// - Throws: `ClientFailure` with exit code 77 if there is none.
    func server() throws -> KeepsakeServer {
        guard let address = try current() else { throw ClientFailure(KeepsakeError(.signedOut, "")) }
        return server(at: address)
    }

    func tokens(for address: ServerAddress) -> FileTokenStore {
        FileTokenStore(folder.appending(path: "sessions").appending(path: address.fileName))
    }
}
