import ArgumentParser
import Foundation
import KeepsakeKit

/// A failure of a client command: one line for people, and an exit code.
struct ClientFailure: Error {
    enum Kind: Int32 {
        /// Wrong usage.
        case usage = 64
        /// The server refuses what was sent.
        case refused = 65
        /// The server, a file or the network is not available; the same command may succeed later.
        case unavailable = 69
        /// The server's response is not what the API describes.
        case fault = 70
        /// Not signed in, or the server refuses the e-mail address and password.
        case notSignedIn = 77
    }

    let kind: Kind
    let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    init(_ error: any Error) {
        switch error {
        case let error as ClientFailure: self = error
        case let error as KeepsakeError: self.init(error)
        case is CancellationError: self.init(.fault, "The command was cancelled.")
        default: self.init(.unavailable, error.localizedDescription)
        }
    }

    private init(_ error: KeepsakeError) {
        let request = error.requestID.map { " (request \($0))" } ?? ""
        switch error.code {
        case .signedOut: self.init(.notSignedIn, "Nobody is signed in. Sign in with: keepsake login URL")
        case .sessionChanged: self.init(.notSignedIn, "Another command signed in or out meanwhile. Try again.")
        case .invalidRequest: self.init(.usage, error.message)
        case .invalidResponse: self.init(.fault, error.message + request)
        case _ where error.status == 401: self.init(.notSignedIn, error.message + request)
        case _ where error.isRetryable:
            let wait = error.retryAfter.map { " Try again in \($0.components.seconds) s." } ?? ""
            self.init(.unavailable, error.message + wait + request)
        case _ where error.status.map({ 400..<500 ~= $0 }) == true: self.init(.refused, error.message + request)
        default: self.init(.unavailable, error.message + request)
        }
    }

    /// Runs a command. Prints a failure as one line on standard error and exits with its code.
    static func reporting(_ command: () async throws -> Void) async throws {
        do {
            try await command()
        } catch let code as ExitCode {
            throw code
        } catch {
            let failure = ClientFailure(error)
            ClientOutput.note(failure.message)
            throw ExitCode(failure.kind.rawValue)
        }
    }
}
