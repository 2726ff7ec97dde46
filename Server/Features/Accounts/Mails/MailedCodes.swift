internal import Core

/// Creates the codes that are sent by mail. A code is derived from the id of its row and a secret of the server, so neither the row nor the
/// job that sends the mail contains it.
struct MailedCodes: Sendable {
    enum Use: Sendable {
        case emailChange, passwordReset, registration

        /// The name in `ServerSecrets`.
        fileprivate var secret: String {
            switch self {
            case .emailChange: "email-change"
            case .passwordReset: "password-reset"
            case .registration: "registration"
            }
        }

        fileprivate var purpose: String {
            switch self {
            case .emailChange: "email change code"
            case .passwordReset: "password reset code"
            case .registration: "registration code"
            }
        }
    }

    let use: Use
    let secrets: ServerSecrets
    let identifiers: Identifiers

    /// - Parameter id: `NewCode.id`.
    func code(_ id: String) async throws -> OneTimeCode {
        let signer = Signer(key: try await secrets.secret(use.secret).exposed)
        return OneTimeCode(bytes: signer.derive([id], purpose: use.purpose))
    }

    func new(lifetime: Duration) async throws -> (row: NewCode, code: OneTimeCode) {
        let id = identifiers.next()
        let code = try await code(id)
        let now = identifiers.clock.now
        return (NewCode(id: id, hash: code.hash, createdAt: now, expiresAt: now + lifetime), code)
    }
}
