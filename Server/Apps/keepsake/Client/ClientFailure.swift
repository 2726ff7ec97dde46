import ArgumentParser
import Foundation
import KeepsakeKit
import KeepsakeWire
import KitTransport

/// A failure of a client command: one line on standard error, for people or as JSON, and an exit code.
struct ClientFailure: Error {
    enum Kind: Int32 {
        /// Wrong usage.
        case usage = 64
        /// The server refuses the data that was sent.
        case refused = 65
        /// The server, a file or the network is not available. The same command may succeed later.
        case unavailable = 69
        /// The server's response is not what the API describes.
        case fault = 70
        /// Nobody is signed in, or the server refuses the e-mail address and password.
        case notSignedIn = 77

        /// The code for failures that have none from the client library.
        fileprivate var code: String {
            switch self {
            case .usage: "usage"
            case .refused: "refused"
            case .unavailable: "unavailable"
            case .fault: "fault"
            case .notSignedIn: "signed_out"
            }
        }
    }

    let kind: Kind
    let message: String
    private let cause: KeepsakeError?

    init(_ kind: Kind, _ message: String) { self.init(kind, message, nil) }

    private init(_ kind: Kind, _ message: String, _ cause: KeepsakeError?) {
        self.kind = kind
        self.message = message
        self.cause = cause
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
        switch error.code {
        case .signedOut: self.init(.notSignedIn, "Nobody is signed in. Sign in with: keepsake login URL", error)
        case .sessionChanged: self.init(.notSignedIn, "Another command signed in or out meanwhile. Try again.", error)
        case .network:
            self.init(.unavailable, "\(error.message) \(Self.advice(on: CertificateFault(in: error.message)))", error)
        case .invalidRequest: self.init(.usage, error.message, error)
        case .invalidResponse: self.init(.fault, error.message, error)
        case _ where error.status == 401: self.init(.notSignedIn, error.message, error)
        case _ where error.isRetryable: self.init(.unavailable, error.message, error)
        case _ where error.status.map({ 400..<500 ~= $0 }) == true: self.init(.refused, error.message, error)
        default: self.init(.unavailable, error.message, error)
        }
    }

    private static func advice(on fault: CertificateFault?) -> String {
        switch fault {
        case .untrusted:
            """
            If it is your server, name a file with the certificate of its authority in PEM, or with its own, in the variable SSL_CERT_FILE. \
            Otherwise somebody may be reading along: do not sign in.
            """
        case .otherName: "Sign in with a name that the certificate has: keepsake login URL"
        case .noTLS: "If it has no certificate, sign in with http:// in place of https://: keepsake login URL"
        case nil: "Check that it runs, or sign in to another server with: keepsake login URL"
        }
    }

    /// The failure as a line for people.
    var line: String {
        let wait = cause?.retryAfter.map { " Try again in \($0.components.seconds) s." } ?? ""
        let request = cause?.requestID.map { " (request \($0))" } ?? ""
        return message + wait + request
    }

    /// The failure as JSON for programs.
    struct Report: Encodable {
        let code: String
        let message: String
        @OrNull var field: String?
        @OrNull var status: Int?
        @OrNull var requestID: String?
        /// How many seconds to wait before a retry.
        @OrNull var retryAfter: Int64?
        let exitCode: Int32

        enum CodingKeys: String, CodingKey {
            case code, message, field, status
            case requestID = "request_id"
            case retryAfter = "retry_after"
            case exitCode = "exit_code"
        }

        init(_ failure: ClientFailure) {
            code = failure.cause?.code.rawValue ?? failure.kind.code
            message = failure.message
            _field = OrNull(wrappedValue: failure.cause?.field)
            _status = OrNull(wrappedValue: failure.cause?.status)
            _requestID = OrNull(wrappedValue: failure.cause?.requestID)
            _retryAfter = OrNull(wrappedValue: failure.cause?.retryAfter?.components.seconds)
            exitCode = failure.kind.rawValue
        }
    }

    private func show(json: Bool) {
        if json, let report = try? ClientOutput.json(Report(self), .capsules) {
            ClientOutput.note(json: report)
        } else {
            ClientOutput.note(line)
        }
    }

    /// Runs a command. If it fails, prints the failure as one line on standard error, and exits with the failure's code.
    /// - Parameter json: whether that line is JSON.
    static func reporting(json: Bool, _ command: () async throws -> Void) async throws {
        do {
            try await command()
        } catch let code as ExitCode {
            throw code
        } catch {
            let failure = ClientFailure(error)
            failure.show(json: json)
            throw ExitCode(failure.kind.rawValue)
        }
    }

    /// If the arguments of a client command with `--json` are wrong, prints why as JSON, and exits. Otherwise it returns: ArgumentParser
    /// then prints other errors with a hint at the usage.
    static func checkUsage(of root: any AsyncParsableCommand.Type, _ arguments: some Sequence<String>) async {
        let arguments = Array(arguments)
        guard let name = arguments.first, ClientCommands.all.contains(where: { $0.configuration.commandName == name }),
            arguments.prefix(while: { $0 != "--" }).contains("--json")
        else { return }
        do {
            _ = try await root.asyncParseAsRoot(arguments)
        } catch {
            // Any other exit code belongs to a request for help.
            guard root.exitCode(for: error) == .validationFailure else { return }
            ClientFailure(.usage, root.message(for: error)).show(json: true)
            root.exit(withError: ExitCode(Kind.usage.rawValue))
        }
    }
}
