#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The program that started this one, for example systemd, if it asked to be told when the server is ready (`Type=notify`). `systemctl start`
/// then waits until the server accepts requests, also while it migrates the database.
struct ServiceManager: Sendable {
    /// The path of a datagram socket, or `@` and an abstract name.
    let address: String

    /// - Parameter environment: with `NOTIFY_SOCKET`, see sd_notify(3).
    /// - Returns: `nil` without this variable.
    init?(_ environment: [String: String]) {
        guard let address = environment["NOTIFY_SOCKET"], address.hasPrefix("/") || address.hasPrefix("@"), address.utf8.count > 1 else {
            return nil
        }
        self.address = address
    }

    /// Reports that the server accepts requests. Does nothing when the socket is gone or its queue is full, because the server can run
    /// without the report.
    func ready() { send("READY=1") }

    private func send(_ text: String) {
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        var name = Array(address.utf8)
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        let capacity = MemoryLayout.size(ofValue: target.sun_path)
        guard name.count < capacity else { return }
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: name) }
        // An abstract name ends with the length that is passed, not with a NUL.
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count + (name[0] == 0 ? 0 : 1)

        #if canImport(Glibc)
            let handle = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let handle = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        guard handle >= 0 else { return }
        defer { close(handle) }
        withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(handle, text, text.utf8.count, Int32(MSG_DONTWAIT), address, socklen_t(length))
            }
        }
    }
}
