internal import Foundation
internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Why a connection to another program failed or was lost, as text for the operator.
package struct ConnectionFault: Sendable, Equatable {
    /// One phrase, such as "nothing listens there".
    package let meaning: String
    /// The system's own words, such as "Connection refused".
    package let words: String

    /// - Parameter error: what a bootstrap or a channel of NIO threw.
    package init(_ error: any Error) {
        let attempts = error as? NIOConnectionError
        let errors = attempts.map { $0.connectionErrors.map(\.error) } ?? [error]
        if let code = errors.lazy.compactMap({ ($0 as? IOError)?.errnoCode }).first {
            meaning = Self.meaning(of: code)
            words = String(cString: strerror(code))
        } else if errors.contains(where: { if case ChannelError.connectTimeout = $0 { true } else { false } }) {
            meaning = "nothing answers there"
            words = "timed out"
        } else if let unknown = (attempts?.dnsAError ?? attempts?.dnsAAAAError) as? SocketAddressError.UnknownHost {
            meaning = unknown.errorCode == Int(EAI_AGAIN) ? "no name server answers" : "no name server knows the host"
            words = unknown.errorDescription
        } else {
            meaning = "it failed"
            words = "\(error)"
        }
    }

    /// The fault with its advice, for example `nothing listens there; start it (Connection refused)`.
    /// - Parameter advice: what the operator can do.
    package func text(advice: String) -> String { "\(meaning); \(advice) (\(words))" }

    private static func meaning(of code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "nothing listens there"
        case ENOENT: "there is no such socket"
        case EACCES, EPERM: "the user who runs Keepsake may not connect to it"
        case ETIMEDOUT: "nothing answers there"
        case EHOSTUNREACH, ENETUNREACH: "this machine does not reach it"
        case ECONNRESET, EPIPE, ENOTCONN: "the other side closed it"
        default: "it failed"
        }
    }
}
