internal import NIOSSL

/// Why a TLS connection could not be established, as the end of a sentence about the server.
package enum CertificateFault: String, CaseIterable, Sendable {
    case untrusted = "its certificate has expired, or no authority that this computer trusts has signed it"
    case otherName = "its certificate is for another name"
    case noTLS = "it does not use TLS at this port"

    /// - Parameter error: what a request threw. The result is `nil` for an error that is none of these faults.
    init?(_ error: any Error) {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            self = .otherName
        } else if error is NIOSSLError || error is BoringSSLError {
            // The text contains BoringSSL's names of its errors.
            let text = "\(error)"
            if text.contains("CERTIFICATE_VERIFY_FAILED") {
                self = .untrusted
            } else if text.contains("WRONG_VERSION_NUMBER") {
                self = .noTLS
            } else {
                return nil
            }
        } else {
            return nil
        }
    }

    /// - Parameter message: the message of a `KeepsakeError` that `AsyncHTTPTransport` made.
    package init?(in message: String) {
        guard let fault = Self.allCases.first(where: { message.contains($0.rawValue) }) else { return nil }
        self = fault
    }
}
