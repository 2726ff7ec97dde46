import Core
import Jobs
import KeepsakeWire
import Logging
import Nodes
import Web

/// `GET /admin/status`: the state of the installation.
struct ReadStatus: Sendable {
    let program: InstallationFeature.Program
    let nodes: NodeStore
    let clock: WallClock
    let logger: Logger

    /// The most nodes that the response lists. An installation has a few nodes, and each restart after a crash leaves a row for a day.
    private static let nodeCount = 200

    /// - Throws: `.forbidden` unless the caller is an administrator.
    func handle(_ input: Empty, _ context: WebContext) async throws -> AdminStatus {
        _ = try context.requireAdministrator()
        let figures = program.figures()
        let now = clock.now
        return AdminStatus(
            version: program.version, checks: await checks(), measuredAt: figures.measuredAt?.date,
            database: AdminStatus.Database(engine: program.databaseEngine, bytes: figures.databaseByteCount.map(Int.init)),
            disk: figures.disk.map { AdminStatus.Disk(free: Int($0.free), used: Int($0.used)) }, accounts: figures.accounts,
            stored: figures.stored.map { AdminStatus.Stored(kind: $0.kind, files: $0.fileCount, bytes: Int($0.byteCount)) },
            jobs: figures.jobs.map {
                AdminStatus.JobCount(
                    kind: $0.kind, ready: $0.ready, running: $0.running, parked: $0.parked,
                    oldestSeconds: ($0.oldestReady / .milliseconds(1)).rounded() / 1_000)
            },
            nodes: try await nodes.all(limit: Self.nodeCount).map { AdminStatus.Node($0, at: now) })
    }

    private func checks() async -> [AdminStatus.Check] {
        var answers: [AdminStatus.Check] = []
        for check in program.checks {
            do {
                try await check.run()
                answers.append(AdminStatus.Check(name: check.name, isOK: true, error: nil))
            } catch {
                logger.error("a check failed", metadata: ["check": "\(check.name)", "error": "\(error)"])
                answers.append(AdminStatus.Check(name: check.name, isOK: false, error: String("\(error)".prefix(500))))
            }
        }
        return answers
    }
}

extension AdminStatus.Node {
    fileprivate init(_ node: Node, at now: Timestamp) {
        self.init(
            id: node.id, host: node.host, version: node.version, startedAt: node.startedAt.date, lastHeartbeat: node.seenAt.date,
            isAlive: node.isAlive(at: now), requests: node.requests, jobs: node.jobs)
    }
}
