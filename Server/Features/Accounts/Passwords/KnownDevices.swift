internal import Core
internal import Web

/// Recognises devices that signed in to an account with its password before. A device stores a signed number; the server stores nothing.
struct KnownDevices: Sendable {
    let secrets: ServerSecrets
    let entropy: Entropy

    /// The account that devices belong to. A new password invalidates all of its devices: one of them may have been an intruder's.
    struct Owner: Sendable {
        let account: String
        let passwordSetAt: Timestamp?

        /// The owner for a sign-in name that has no account, so that the check takes the same time.
        static let nobody = Owner(account: "", passwordSetAt: nil)
    }

    /// - Parameter presented: what the device sent, if anything.
    /// - Returns: the device's number; `nil` when the value is missing, forged, or for another account or password.
    func recognise(_ presented: String?, of owner: Owner) async throws -> String? {
        guard let presented else { return nil }
        let parts = presented.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let code = Base64URL.decode(parts[1]) else { return nil }
        let number = String(parts[0])
        return try await signer().isGenuine(code, of: Self.parts(number, owner), purpose: Self.purpose) ? number : nil
    }

    /// What the device must present at its next sign-in.
    /// - Parameter number: the device's number if it has one; `nil` generates one.
    func text(_ number: String?, of owner: Owner) async throws -> String {
        let number = number ?? Base64URL.encode(entropy.bytes(16))
        let code = try await signer().sign(Self.parts(number, owner), purpose: Self.purpose)
        return "\(number).\(Base64URL.encode(code))"
    }

    private static let purpose = "known device"
    private static func parts(_ number: String, _ owner: Owner) -> [String] {
        [number, owner.account, owner.passwordSetAt.map { String($0.microseconds) } ?? ""]
    }
    private func signer() async throws -> Signer { Signer(key: try await secrets.secret("known-devices").exposed) }
}

/// What a sign-in attempt contains in addition to the name and the password.
struct SignInAttempt: Sendable {
    var userAgent: String?
    /// What the device stored at its last sign-in.
    var device: String?
    /// Counts the attempt against the rate limit of the device if the device is known, otherwise against that of the name. Throws above the
    /// limit.
    var count: @Sendable (_ device: String?) async throws -> Void = { _ in }
    /// Stores on the device what identifies it at its next sign-in.
    var remember: @Sendable (String) -> Void = { _ in }
}

extension SignInAttempt {
    /// The attempt of a request that signs in as `name`.
    init(as name: String, _ context: WebContext) {
        self.init(
            userAgent: context.userAgent, device: context.device, count: { try await context.countAttempt(of: name, by: $0) },
            remember: { context.setDevice($0) })
    }
}
