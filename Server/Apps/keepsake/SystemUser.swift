import Core
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The user of the operating system who runs this command.
enum SystemUser {
    /// The user's name: `keepsake`; `keepsake (sudo by ada)` when sudo says who called it; `user 1000` for a user without a name.
    static var name: String {
        let user = UnixUser.current
        return name(user.name ?? "user \(user.id)", sudoUser: ProcessInfo.processInfo.environment["SUDO_USER"])
    }

    /// - Parameter sudoUser: a value from the environment, where anybody can write anything.
    static func name(_ own: String, sudoUser: String?) -> String {
        guard let sudoUser, !sudoUser.isEmpty, sudoUser != own, sudoUser.utf8.count <= 64 else { return own }
        return "\(own) (sudo by \(sudoUser))"
    }

    /// - Throws: `.unavailable` with one line when root runs the command and another user owns the file or folder. Root may use it, but
    ///   files that root creates there, such as the log of a SQLite database, would stop that user's server. If the path does not exist, it
    ///   does not throw.
    static func requireOwner(of path: String, user: UInt32 = geteuid()) throws {
        guard user == 0, let owner = owner(of: path), !owner.isRoot else { return }
        throw Problem(.unavailable, refusal(of: path, toRootBecauseOf: owner))
    }

    /// - Returns: `nil` when there is no such file, or this user may not read its folder.
    private static func owner(of path: String) -> UnixUser? {
        let id = (try? FileManager.default.attributesOfItem(atPath: path))?[.ownerAccountID] as? NSNumber
        return id.map { UnixUser(id: $0.uint32Value) }
    }

    static func refusal(of path: String, toRootBecauseOf owner: UnixUser) -> String {
        """
        root may not run this: \(path) belongs to \(owner), and files that root creates there would stop that user's server; run the command \
        as \(owner) (\(owner.sudo) keepsake …), or give the data to root (chown -R root) if root runs the server
        """
    }

    /// - Throws: `.unavailable` with one line when this user may not read and write the file or folder, or enter the folder. If the path
    ///   does not exist, it does not throw.
    static func requireAccess(to path: String) throws {
        // Do not use `stat`: in some partial builds, the compiler mistakes that struct for one of CoreFoundation's, which is not imported.
        var isDirectory: ObjCBool = false
        let isFolder = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
        guard access(path, isFolder ? R_OK | W_OK | X_OK : R_OK | W_OK) != 0 else { return }
        switch errno {
        case EACCES, EPERM:
            throw Problem(
                .unavailable, refusal(of: path, to: .current, owner: owner(of: path), content: isFolder ? content(of: path) : .data))
        case EROFS: throw Problem(.unavailable, "\(path) is on a file system that is mounted read-only")
        default: return
        }
    }

    /// What a folder holds.
    enum Content {
        /// Files of an installation.
        case data
        case nothing
        /// Other files, for example those of `/etc`.
        case other
        /// This user may not list the folder.
        case unknown
    }

    private static func content(of folder: String) -> Content {
        if URL(filePath: folder).pathComponents.suffix(2).contains("blobs") { return .data }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return .unknown }
        if names.isEmpty { return .nothing }
        return names.contains("keepsake.sqlite") || names.contains("blobs") ? .data : .other
    }

    /// The message of the refusal. It never advises running the command as root: files that the command creates would belong to root, and a
    /// server that runs as another user could not use them.
    /// - Parameters:
    ///   - owner: the owner of the path; `nil` when it is not known.
    ///   - content: what the folder contains. The message advises changing the owner of all files only for a folder of an installation:
    ///     `chown -R` of `/etc` would ruin the machine.
    static func refusal(of path: String, to user: UnixUser, owner: UnixUser?, content: Content = .data) -> String {
        let refused = "the user \(user) may not read and write \(path)"
        guard let owner else { return "\(refused); run the command as the user who owns the data (sudo -u NAME keepsake …)" }
        if owner == user { return "\(refused); its owner, \(owner), lacks the permission (chmod u+rwX \(path))" }
        let command = owner.isRoot ? nil : "run the command as \(owner) (\(owner.sudo) keepsake …)"
        let advice: [String?]
        switch content {
        case .data:
            let gift = "give the data to \(user) (sudo chown -R \(user.argument) \(path))"
            advice = owner.isRoot ? ["unless root runs the server, \(gift)"] : [command, gift]
        case .nothing: advice = [command, "give it to \(user) (sudo chown \(user.argument) \(path))"]
        case .unknown where owner.isRoot:
            advice = [
                "choose a folder that \(user) may write",
                "if this is Keepsake's data folder, give it to \(user) (sudo chown -R \(user.argument) \(path))",
            ]
        case .other, .unknown: advice = [command, "choose a folder that \(user) may write"]
        }
        return "\(refused), which belongs to \(owner); \(advice.compactMap { $0 }.joined(separator: ", or "))"
    }
}
