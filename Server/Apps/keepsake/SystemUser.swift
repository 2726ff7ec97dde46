import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The operating system's user who runs this command.
enum SystemUser {
    /// `keepsake`; `keepsake (sudo by ada)` when sudo says who called it; `user 1000` for a user without a name.
    static var name: String {
        let id = getuid()
        let own = getpwuid(id).flatMap { $0.pointee.pw_name }.map { String(cString: $0) } ?? "user \(id)"
        return name(own, sudoUser: ProcessInfo.processInfo.environment["SUDO_USER"])
    }

    /// - Parameter sudoUser: from the environment, where anybody can write anything.
    static func name(_ own: String, sudoUser: String?) -> String {
        guard let sudoUser, !sudoUser.isEmpty, sudoUser != own, sudoUser.utf8.count <= 64 else { return own }
        return "\(own) (sudo by \(sudoUser))"
    }
}
