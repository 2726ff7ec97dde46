import Core
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The operating system's user who runs this command.
enum SystemUser {
    /// `keepsake`; `keepsake (sudo by ada)` when sudo says who called it; `user 1000` for a user without a name.
    static var name: String { name(account, sudoUser: ProcessInfo.processInfo.environment["SUDO_USER"]) }

    /// `keepsake`; `user 1000` for a user without a name.
    private static var account: String {
        let id = getuid()
        return getpwuid(id).flatMap { $0.pointee.pw_name }.map { String(cString: $0) } ?? "user \(id)"
    }

    /// - Parameter sudoUser: from the environment, where anybody can write anything.
    static func name(_ own: String, sudoUser: String?) -> String {
        guard let sudoUser, !sudoUser.isEmpty, sudoUser != own, sudoUser.utf8.count <= 64 else { return own }
        return "\(own) (sudo by \(sudoUser))"
    }

    /// - Throws: `.unavailable` with one line when root runs the command and another user owns the file or folder. Root may do everything, but
    ///   files that it creates there, such as the log of a SQLite database, stop the server of that user. A path without a file passes.
    static func requireOwner(of path: String, user: UInt32 = geteuid()) throws {
        guard user == 0, let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value, owner != 0
        else { return }
        throw Problem(.unavailable, refusal(of: path, toRootBecauseOf: attributes[.ownerAccountName] as? String ?? "#\(owner)"))
    }

    /// - Parameter owner: a user's name, or `#` and an id.
    static func refusal(of path: String, toRootBecauseOf owner: String) -> String {
        let user = owner.hasPrefix("#") ? "'\(owner)'" : owner
        return """
            root may not run this: \(path) belongs to \(owner), and files that root creates there would stop that user's server; run the \
            command as \(owner) (sudo -u \(user) keepsake …), or give the data to root (chown -R root) if root runs the server
            """
    }

    /// - Throws: `.unavailable` with one line when this user may not read and write the file or folder, or go into the folder. A path without a
    ///   file passes.
    static func requireAccess(to path: String) throws {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let isFolder = attributes?[.type] as? FileAttributeType == .typeDirectory
        guard access(path, isFolder ? R_OK | W_OK | X_OK : R_OK | W_OK) != 0 else { return }
        switch errno {
        case EACCES, EPERM:
            throw Problem(
                .unavailable,
                refusal(
                    of: path, to: account, owner: attributes?[.ownerAccountName] as? String, content: isFolder ? content(of: path) : .data))
        case EROFS: throw Problem(.unavailable, "\(path) is on a file system that is mounted read-only")
        default: return
        }
    }

    /// What a folder holds.
    enum Content {
        /// Files of an installation, or nothing yet.
        case data
        /// Other files, for example those of `/etc`.
        case other
        /// This user may not list it.
        case unknown
    }

    private static func content(of folder: String) -> Content {
        if URL(filePath: folder).lastPathComponent == "blobs" { return .data }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return .unknown }
        return names.isEmpty || names.contains("keepsake.sqlite") || names.contains("blobs") ? .data : .other
    }

    /// - Parameters:
    ///   - owner: `nil` when it is not known.
    ///   - content: of a folder. Only a folder of an installation may be given to another user: `chown -R` of `/etc` would ruin the machine.
    static func refusal(of path: String, to user: String, owner: String?, content: Content = .data) -> String {
        let refused = "the user \(user) may not read and write \(path)"
        guard let owner else { return "\(refused); run the command as the user who owns the data" }
        if owner == user { return "\(refused); its owner, \(owner), lacks the permission (chmod u+rwX)" }
        let belonging = "\(refused), which belongs to \(owner)"
        let command = "run the command as \(owner) (sudo -u \(owner) keepsake …)"
        switch content {
        case .data: return "\(belonging); \(command), or give the data to \(user) (chown -R \(user))"
        case .other where owner == "root": return "\(belonging); choose a folder that \(user) may write"
        case .other, .unknown: return "\(belonging); \(command), or choose a folder that \(user) may write"
        }
    }
}
