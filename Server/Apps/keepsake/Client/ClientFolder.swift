import Foundation
import KeepsakeKit
import KitTransport

/// The client library's type `Keepsake`. It needs another name here, because the program has a type of this name.
typealias KeepsakeServer = KeepsakeKit.Keepsake

/// The files that client commands keep between two runs, in `$XDG_CONFIG_HOME/keepsake`, by default `~/.config/keepsake`:
///
/// - `server`: the address of the server that the last `keepsake login` named;
/// - `sessions/ADDRESS.json`: the tokens for that address, readable only by this user. Each address has its own file. So tokens cannot go
///   to another server, even if a command is interrupted.
///
/// Entries that wait to be sent are in `$XDG_DATA_HOME/keepsake/queue`, by default `~/.local/share/keepsake/queue`. `~` is `$HOME`, or if
/// that is not set, the account's home folder.
struct ClientFolder {
    private let folder: URL
    private let queueFolder: URL
    /// A file with the certificates to trust instead of the system's; `nil` to trust the system's.
    private let authorities: String?

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        func base(_ name: String, _ otherwise: String) -> URL {
            // A relative path counts as not set, as the XDG specification demands.
            if let path = environment[name], path.hasPrefix("/") { return URL(filePath: path) }
            if let home = environment["HOME"], home.hasPrefix("/") { return URL(filePath: home).appending(path: otherwise) }
            return FileManager.default.homeDirectoryForCurrentUser.appending(path: otherwise)
        }
        authorities = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        folder = base("XDG_CONFIG_HOME", ".config").appending(path: "keepsake")
        queueFolder = base("XDG_DATA_HOME", ".local/share").appending(path: "keepsake/queue")
    }

    /// - Returns: the address of the selected server; `nil` if nobody has signed in yet.
    func current() throws -> ServerAddress? {
        let text: String
        do {
            text = try String(contentsOf: folder.appending(path: "server"), encoding: .utf8)
        } catch let error as CocoaError where [.fileReadNoSuchFile, .fileNoSuchFile].contains(error.code) {
            return nil
        }
        return try ServerAddress(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Selects the server that other commands use; `nil` selects none.
    func select(_ address: ServerAddress?) throws {
        let file = folder.appending(path: "server")
        guard let address else {
            try? FileManager.default.removeItem(at: file)
            return
        }
        try Data((address.text + "\n").utf8).write(to: file, options: .atomic)
    }

    /// - Parameter tokens: where the tokens are stored; by default in this folder.
    /// - Throws: `ClientFailure` with exit code 64 if `SSL_CERT_FILE` names a file without certificates.
    func server(at address: ServerAddress, tokens: (any TokenStore)? = nil) throws -> KeepsakeServer {
        // Use another transport than URLSession: captures and live events need WebSockets, which URLSession does not have on Linux.
        KeepsakeServer(url: address.url, tokens: tokens ?? self.tokens(for: address), transport: try transport())
    }

    private func transport() throws -> AsyncHTTPTransport {
        guard let authorities else { return AsyncHTTPTransport() }
        guard let transport = AsyncHTTPTransport(authorities: authorities) else {
            throw ClientFailure(.usage, "SSL_CERT_FILE names a file without certificates in PEM: \(authorities). Correct it, or unset it.")
        }
        return transport
    }

    /// The server that the person is signed in to.
    /// - Throws: `ClientFailure` with exit code 77 if there is none.
    func server() throws -> KeepsakeServer {
        guard let address = try current() else { throw ClientFailure(KeepsakeError(.signedOut, "")) }
        return try server(at: address)
    }

    /// The queue of entries of the account that is signed in.
    func queue() throws -> OfflineQueue { OfflineQueue(try server(), folder: queueFolder) }

    func tokens(for address: ServerAddress) -> FileTokenStore {
        FileTokenStore(folder.appending(path: "sessions").appending(path: address.fileName))
    }
}
