#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The program that started this one, for example systemd, if it asked to be told when the server is ready (`Type=notify`). `systemctl
/// start` then waits until the server accepts requests, even if a migration takes long.
struct ServiceManager: Sendable {
    /// The path of a datagram socket; or `@` and the name of an abstract socket.
    let address: String

    /// - Parameter environment: the environment; sd_notify(3) explains its variable `NOTIFY_SOCKET`.
    /// - Returns: `nil` if this variable is not set.
    init?(_ environment: [String: String]) {
        guard let address = environment["NOTIFY_SOCKET"], address.hasPrefix("/") || address.hasPrefix("@"), address.utf8.count > 1 else {
            return nil
        }
        self.address = address
    }

    /// Reports that the server accepts requests. If the socket is gone or its queue is full, it does nothing, because the server can run
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
        // The length decides where an abstract name ends; it has no NUL at the end.
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
