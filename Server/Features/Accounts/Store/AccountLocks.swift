/// The names of the locks that several writes take. Two writes exclude each other only if they spell the name in the same way.
enum AccountLocks {
    /// For writes that change how the owner signs in, and for writes that depend on it.
    static func password(of account: String) -> String { "password \(account)" }

    /// The identities that are linked to an account.
    static func identities(of account: String) -> String { "identities of \(account)" }

    /// - Parameter hash: of the identity's issuer and subject.
    static func identity(_ hash: String) -> String { "identity \(hash)" }

    /// - Parameter hash: of the invitation's code.
    static func invitation(_ hash: String) -> String { "invitation \(hash)" }

    static func sessions(of account: String) -> String { "sessions \(account)" }

    static let administrators = "administrators"
}
