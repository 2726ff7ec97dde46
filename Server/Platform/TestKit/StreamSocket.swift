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
}
