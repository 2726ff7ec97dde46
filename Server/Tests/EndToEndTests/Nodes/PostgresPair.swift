import Foundation
import TestKit

/// A PostgreSQL server and a standby that copies it, on loopback. After a failover they change places.
final class PostgresPair {
    private struct Server {
        let name: String
        let port: Int
    }

    enum Replication: String {
        /// A commit is acknowledged only after the standby has it on its disk.
        case sync
        case async
    }

    private let folder: TemporaryFolder
    private var primary: Server
    private var standby: Server
    private var replication = Replication.sync
    /// Delays what the primary sends to the standby. `nil` without a delay.
    private var line: Proxy?

    /// Starts the primary, without a standby.
    /// - Parameter ports: two ports on loopback that no other test uses.
    init(ports: (Int, Int)) throws {
        folder = try TemporaryFolder()
        primary = Server(name: "a", port: ports.0)
        standby = Server(name: "b", port: ports.1)
        try control(["primary", primary.name, "\(primary.port)"])
    }

    deinit {
        for name in ["a", "b"] { try? control(["stop", name]) }
    }

    /// Names both servers; libpq connects to the one that accepts writes.
    var address: String {
        let ports = [primary.port, standby.port].sorted()
        return "postgres://postgres@127.0.0.1:\(ports[0]),127.0.0.1:\(ports[1])/postgres"
    }

    /// Makes the other server a standby of the primary, and waits until it has caught up.
    /// - Parameter delay: how much later the standby receives everything.
    func attachStandby(_ replication: Replication, delay: Duration = .zero) throws {
        self.replication = replication
        line = delay > .zero ? try Proxy(toPort: primary.port, latency: delay) : nil
        try control(["standby", standby.name, "\(standby.port)", "\(line?.port ?? primary.port)"])
        try control(["sync", "\(primary.port)", replication == .sync ? standby.name : ""])
        try control(["wait", "\(primary.port)", replication.rawValue])
    }

    /// Kills the primary. What the standby has not received by then is lost. Then makes the standby the primary.
    func failOver() throws {
        try control(["kill", primary.name])
        line?.cutAll()
        line?.close()
        line = nil
        try control(["promote", standby.name, "\(standby.port)"])
        swap(&primary, &standby)
    }

    private func control(_ arguments: [String]) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "postgres-pair.sh").path
        let run = try ServerProcess.run([folder.path] + arguments, binary: script)
        guard run.status == 0 else { throw Tool.Failed(description: "postgres-pair.sh \(arguments): \(run.errors)") }
    }
}
