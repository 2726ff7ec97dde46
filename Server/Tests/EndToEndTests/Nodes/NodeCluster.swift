import Foundation
import TestKit

/// Several nodes on one database behind nginx with `deploy/nginx.conf`. Each node has its own data folder, and keeps its port when it is
/// started again.
final class NodeCluster {
    let nginx: NginxProcess
    let ports: [Int]
    private let folder: TemporaryFolder
    private let environment: [String: String]
    private var nodes: [ServerProcess?]

    /// - Parameters:
    ///   - count: number of nodes.
    ///   - database: in the format of `KEEPSAKE_DATABASE`.
    ///   - settings: further environment variables of the nodes, such as `KEEPSAKE_BLOBS`.
    ///   - binary: path of the build that the nodes start with; default the one built with the tests. The first node migrates the database.
    init(_ count: Int, database: String, settings: [String: String] = [:], binary: String? = nil) throws {
        folder = try TemporaryFolder()
        ports = try Self.freePorts(count)
        nginx = try NginxProcess.start(beforePorts: ports)
        environment = [
            "KEEPSAKE_RATE_LIMITS": "off", "KEEPSAKE_CONNECTIONS_PER_ADDRESS": "20000", "KEEPSAKE_DATABASE": database,
            "KEEPSAKE_DATABASE_CONNECTIONS": "8", "KEEPSAKE_PUBLIC_URL": "http://127.0.0.1:\(nginx.port)",
            "KEEPSAKE_TRUSTED_PROXIES": "127.0.0.1",
        ].merging(settings) { $1 }
        nodes = [ServerProcess?](repeating: nil, count: count)
        for number in 0..<count { try start(number, binary: binary) }
    }

    /// Where clients send their requests.
    var url: String { "http://127.0.0.1:\(nginx.port)" }

    /// - Parameter binary: path of another build; default the one built with the tests.
    func start(_ number: Int, binary: String? = nil) throws {
        nodes[number] = try ServerProcess(
            data: folder.path + "/node-\(number)", port: ports[number], environment: environment, binary: binary)
    }

    func kill(_ number: Int) { nodes[number]?.killNow() }
    func pause(_ number: Int) { nodes[number]?.pause() }
    func resume(_ number: Int) { nodes[number]?.resume() }

    /// Stops a node as an upgrade does, and waits until it has ended.
    /// - Returns: the exit code.
    @discardableResult
    func stop(_ number: Int) -> Int32 {
        defer { nodes[number] = nil }
        return nodes[number]?.terminate() ?? 0
    }

    /// - Returns: the exit codes.
    func stopAll() -> [Int32] { nodes.indices.map { stop($0) } }

    /// Runs another command with the nodes' settings.
    func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        try ServerProcess.run(arguments + ["--data", folder.path + "/tool"], environment: environment)
    }

    func person(_ email: String) throws -> CampaignPerson {
        let run = try run(["token", "--begin-installation", "--email", email, "--json"])
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String] ?? [:]
        guard let id = json["user_id"], let token = json["access_token"] else { throw ServerProcess.Failure.didNotListen(run.errors) }
        return CampaignPerson(id: id, token: token)
    }

    /// Ports below the range from which the kernel takes those of outgoing connections. So no connection takes a node's port while the node
    /// restarts.
    private static func freePorts(_ count: Int) throws -> [Int] {
        var ports: Set<Int> = []
        while ports.count < count {
            let port = Int.random(in: 20_000..<30_000)
            if (try? RawConnection(port: port, timeout: 1)) == nil { ports.insert(port) }
        }
        return ports.sorted()
    }
}
