internal import Core
internal import Web

/// Recognises devices that signed in to an account with its password before. They hold a sealed number; nothing of it is stored here.
struct KnownDevices: Sendable {
    let secrets: ServerSecrets
    let entropy: Entropy

    /// Whose devices they are. A new password makes strangers of all: one of them may have been an intruder's.
    struct Owner: Sendable {
        let account: String
        let passwordSetAt: Timestamp?

        /// For a name that nobody has, so that it takes as long.
        static let nobody = Owner(account: "", passwordSetAt: nil)
    }

    /// - Parameter presented: what the device sent, if it did.
    /// - Returns: the device's number; `nil` unless it is the owner's.
    func recognise(_ presented: String?, of owner: Owner) async throws -> String? {
        guard let presented else { return nil }
        let parts = presented.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let code = Base64URL.decode(parts[1]) else { return nil }
        let number = String(parts[0])
        return try await seal().isGenuine(code, of: Self.parts(number, owner), purpose: Self.purpose) ? number : nil
    }

    /// What the device presents at its next sign-in.
    /// - Parameter number: its own, if it has one already; `nil` makes one.
    func text(_ number: String?, of owner: Owner) async throws -> String {
        let number = number ?? Base64URL.encode(entropy.bytes(16))
        let code = try await seal().sign(Self.parts(number, owner), purpose: Self.purpose)
        return "\(number).\(Base64URL.encode(code))"
    }

    private static let purpose = "known device"
    private static func parts(_ number: String, _ owner: Owner) -> [String] {
        [number, owner.account, owner.passwordSetAt.map { String($0.microseconds) } ?? ""]
    }
    private func seal() async throws -> Seal { Seal(key: try await secrets.secret("known-devices").exposed) }
}

/// What a try to sign in brings beside the name and the password.
struct SignInAttempt: Sendable {
    var userAgent: String?
    /// What the device kept of its last sign-in.
    var device: String?
    /// Counts the try, by the device if it is known, else by the name; throws when there were too many.
    var count: @Sendable (_ device: String?) async throws -> Void = { _ in }
    /// Has the device keep what it is recognised by.
    var remember: @Sendable (String) -> Void = { _ in }
}

extension SignInAttempt {
    /// What a request that signs in as `name` brings beside the name and the password.
    init(as name: String, _ context: WebContext) {
        self.init(
            userAgent: context.userAgent, device: context.device, count: { try await context.countTry(of: name, by: $0) },
            remember: { context.setDevice($0) })
    }
}
