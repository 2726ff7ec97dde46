package import Core

extension WebContext {
    /// The caller, who must be an administrator.
    /// - Throws: `.unauthenticated` without a caller; `.forbidden` for anybody else.
    package func requireAdministrator() throws -> Viewer {
        let viewer = try requireViewer()
        guard viewer.isAdmin else { throw Problem.notAnAdministrator }
        return viewer
    }
}

extension Problem {
    package static let notAnAdministrator = Problem(.forbidden, "Only administrators of this server may do this.")
}
