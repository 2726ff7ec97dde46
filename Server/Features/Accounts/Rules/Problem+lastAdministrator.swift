package import Core

extension Problem {
    /// The account is the only administrator's, and what was asked would leave none.
    package static let lastAdministrator = Problem(
        .conflict, "This account is the only administrator's. Make another account an administrator's first.")
}
