package import Core

extension Problem {
    /// The request would remove the only administrator.
    package static let lastAdministrator = Problem(
        .conflict, "This account is the only administrator's. Make another account an administrator's first.")
}
