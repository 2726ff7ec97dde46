internal import Core
internal import Crypto

/// Who else may say who somebody is. Nobody, unless set.
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
    /// Every sign-in must bring the raw value of its token's nonce.
    package var requiresNonce = false
    /// With it, authorization codes are exchanged, so that Apple's tokens can be revoked when an account is deleted.
    package var client: AppleClient?

    package init(clientIDs: Set<String>) { self.clientIDs = clientIDs }
}

/// What Apple knows us by: the key that a team made for Sign in with Apple.
package struct AppleClient: Sendable {
    package let teamID: String
    package let keyID: String
    let key: Secret<P256.Signing.PrivateKey>

    /// - Parameter pem: the .p8 file's text.
    /// - Returns: `nil` when it holds no P-256 private key.
    package init?(teamID: String, keyID: String, pem: String) {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else { return nil }
        self.teamID = teamID
        self.keyID = keyID
        self.key = Secret(key)
    }
}

/// ID tokens of one Firebase project.
package struct FirebaseSettings: Sendable {
    package var projectID: String
    /// A JSON Web Key Set, or a map from key ids to X.509 certificates in PEM, as Google publishes both.
    package var keysURL = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"

    package init(projectID: String) { self.projectID = projectID }

    var issuer: String { "https://securetoken.google.com/\(projectID)" }
}

/// An issuer of OpenID Connect.
package struct OIDCSettings: Sendable, Equatable {
    /// Exactly as it stands in `iss`.
    package var issuer: String
    /// Client ids that tokens for us are made out to.
    package var audiences: Set<String>
    /// `nil`: the issuer's discovery document says (OpenID Connect Discovery 1.0 §4).
    package var keysURL: String?

    package init(issuer: String, audiences: Set<String>, keysURL: String? = nil) {
        self.issuer = issuer
        self.audiences = audiences
        self.keysURL = keysURL
    }
}
