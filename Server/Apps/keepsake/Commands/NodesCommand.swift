import ArgumentParser
import Core
import Foundation
import KeepsakeWire
import Nodes

struct NodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes", abstract: "List the servers that share this database, with their load and last heartbeat.")

    @Flag(help: "A line of JSON for each node.")
    var json = false

    @OptionGroup var options: ToolOptions

    func run() async throws {
        try await Exit.reporting {
            let settings = try await Settings.read(options)
            try settings.requireInstallation()
            let backend = try await Backend.open(settings, mode: .tool, logger: .silent)
            let nodes = try await backend.nodes.all(limit: Self.limit)
            let now = WallClock.system.now
            try await backend.close()
            if json {
                for node in nodes { print(node.json(at: now)) }
            } else if nodes.isEmpty {
                print("no nodes")
            } else {
                print(Output.table(Node.headings, nodes.map { $0.cells(at: now) }))
            }
        }
    }

    /// The most nodes that the command lists. An installation has a few nodes, and each restart after a crash leaves a row for a day.
    private static let limit = 10_000
}

extension Node {
    fileprivate static let headings = ["ID", "HOST", "VERSION", "STARTED", "REQUESTS", "JOBS", "LAST HEARTBEAT"]

    fileprivate func cells(at now: Timestamp) -> [String] {
        let seconds = max(0, (now - seenAt).components.seconds)
        let heartbeat = "\(seconds) s ago" + (isAlive(at: now) ? "" : ", dead")
        return [id, host, version, Output.time(startedAt), String(requests), String(jobs), heartbeat]
    }

    fileprivate func json(at now: Timestamp) -> String {
        Output.json([
            ("id", .string(id)), ("host", .string(host)), ("version", .string(version)), ("started_at", .string(Output.time(startedAt))),
            ("last_heartbeat", .string(Output.time(seenAt))), ("alive", .bool(isAlive(at: now))), ("requests", .integer(Int64(requests))),
            ("jobs", .integer(Int64(jobs))),
        ])
    }
}
