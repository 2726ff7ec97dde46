internal import Core
internal import Crypto

/// The issuers whose identity tokens are accepted; by default none.
package struct IdentitySettings: Sendable {
    package var apple: AppleSettings?
    package var firebase: FirebaseSettings?
    package var issuers: [OIDCSettings]

    package init(apple: AppleSettings? = nil, firebase: FirebaseSettings? = nil, issuers: [OIDCSettings] = []) {
        self.apple = apple
        self.firebase = firebase
        self.issuers = issuers
    }
}

/// Sign in with Apple.
package struct AppleSettings: Sendable {
    package var issuer = "https://appleid.apple.com"
    /// The apps' bundle ids, and the services ids of web pages.
    package var clientIDs: Set<String>
    package var keysURL = "https://appleid.apple.com/auth/keys"
    package var tokenURL = "https://appleid.apple.com/auth/token"
    package var revokeURL = "https://appleid.apple.com/auth/revoke"
    /// Whether every sign-in must send the raw value of its token's nonce.
    package var requiresNonce = false
    /// If set, the server exchanges authorization codes, so that it can revoke Apple's tokens when an account is deleted.
    package var client: AppleClient?

    package init(clientIDs: Set<String>) { self.clientIDs = clientIDs }
}

/// The credentials that identify this server to Apple: a team's key for Sign in with Apple.
package struct AppleClient: Sendable {
    package let teamID: String
    package let keyID: String
    let key: Secret<P256.Signing.PrivateKey>

    /// - Parameter pem: the contents of the .p8 file.
    /// - Returns: `nil` when it contains no P-256 private key.
    package init?(teamID: String, keyID: String, pem: String) {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else { return nil }
        self.teamID = teamID
        self.keyID = keyID
        self.key = Secret(key)
    }
}

/// The settings for ID tokens of one Firebase project.
package struct FirebaseSettings: Sendable {
    package var projectID: String
    /// URL of a JSON Web Key Set, or of a map from key ids to X.509 certificates in PEM. Google publishes both.
    package var keysURL = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"

    package init(projectID: String) { self.projectID = projectID }

    var issuer: String { "https://securetoken.google.com/\(projectID)" }
}

/// An OpenID Connect issuer.
package struct OIDCSettings: Sendable, Equatable {
    /// Exactly as in the tokens' `iss`.
    package var issuer: String
    /// The client ids that tokens may be issued to.
    package var audiences: Set<String>
    /// URL of the issuer's keys. If it is `nil`, the issuer's discovery document states the URL (OpenID Connect Discovery 1.0 §4).
    package var keysURL: String?

    package init(issuer: String, audiences: Set<String>, keysURL: String? = nil) {
        self.issuer = issuer
        self.audiences = audiences
        self.keysURL = keysURL
    }
}
