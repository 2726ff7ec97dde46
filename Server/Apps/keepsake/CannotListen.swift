import Foundation
import NIOCore
import NIOPosix

/// The error when the server cannot listen on the address and port that its settings name.
struct CannotListen: Error, CustomStringConvertible {
    let description: String
    /// Whether the setting must change. If `false`, another start may succeed once the program that uses the port has ended.
    let isWrongSetting: Bool

    /// - Returns: `nil` if the error does not come from listening.
    init?(_ error: any Error, _ settings: Settings) {
        let (host, port) = (settings.host, settings.port)
        let names = settings.listeningNames
        switch error {
        case let error as IOError where error.errnoCode == EADDRINUSE:
            isWrongSetting = false
            description = "port \(port) of \(host) is in use by another program; choose another one with --port"
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL:
            isWrongSetting = true
            description =
                "\(names.host) must be an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them; \(host) is none of them"
        case let error as IOError where error.errnoCode == EACCES:
            isWrongSetting = true
            description = "\(names.port): this user may not listen on port \(port); choose one from 1024 on, behind a reverse proxy"
        case is SocketAddressError, is SocketAddressError.UnknownHost:
            isWrongSetting = Self.isWrong(host, (error as? SocketAddressError.UnknownHost)?.errorCode)
            description =
                "\(names.host) must be an IP address of this machine or a name that it knows, without a scheme and a port: \(host)"
        default: return nil
        }
    }

    /// - Parameter code: the error code of getaddrinfo(3). `EAI_AGAIN` means that no name server answered, for example while the network
    ///   starts. In that case, the host is wrong only if it has characters that no host name can have.
    static func isWrong(_ host: String, _ code: Int?) -> Bool {
        code != Int(EAI_AGAIN) || host.wholeMatch(of: /[A-Za-z0-9.-]+/) == nil
    }
}

extension Settings {
    /// Listens on the server's address for a moment. Call it before anything is created, so that a start that cannot listen leaves no new
    /// installation.
    func requireAddress() async throws {
        do {
            let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            try await bootstrap.bind(host: host, port: port).get().close()
        } catch {
            throw CannotListen(error, self) ?? error
        }
    }
}
