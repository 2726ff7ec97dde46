internal import Foundation

/// Creates TCP sockets over IPv4 on Linux and macOS.
enum StreamSocket {
    /// Writing to a closed connection returns an error instead of raising SIGPIPE.
    static let flags: CInt = {
        #if canImport(Darwin)
            0
        #else
            CInt(MSG_NOSIGNAL)
        #endif
    }()

    static func make() -> CInt {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            var on: CInt = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<CInt>.size))
            return descriptor
        #else
            return socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #endif
    }

    /// Listens on a free port of 127.0.0.1.
    static func listen() throws -> (descriptor: CInt, port: Int) {
        let descriptor = make()
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard bound, Foundation.listen(descriptor, 64) == 0 else {
            Foundation.close(descriptor)
            throw POSIXError(.EADDRINUSE)
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Connects a socket to a port of 127.0.0.1.
    /// - Returns: whether it is connected.
    static func connect(_ descriptor: CInt, toPort port: Int) -> Bool {
        var address = loopback(UInt16(port))
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
