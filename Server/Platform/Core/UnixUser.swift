#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A user of the operating system, as messages to operators name it.
package struct UnixUser: Sendable, Equatable, CustomStringConvertible {
    package let id: UInt32
    /// `nil` for a user without a name, for example in a container.
    package let name: String?

    package init(id: UInt32) {
        self.init(id: id, name: getpwuid(id).flatMap { $0.pointee.pw_name }.map { String(cString: $0) })
    }

    package init(id: UInt32, name: String?) {
        self.id = id
        self.name = name
    }

    /// The user who runs this program.
    package static var current: UnixUser { UnixUser(id: getuid()) }

    package var isRoot: Bool { id == 0 }

    /// `keepsake`; `#1000` for a user without a name.
    package var description: String { name ?? "#\(id)" }

    /// The user as an argument of `chown` and `install --owner`.
    package var argument: String { name ?? "\(id)" }

    /// The beginning of a command line that runs a command as this user: `sudo -u keepsake`.
    package var sudo: String { "sudo -u \(name ?? "'#\(id)'")" }
}
