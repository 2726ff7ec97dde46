import AsyncHTTPClient
import Core
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestKit

/// Crashes the server during uploads, restarts it, and checks that every acknowledged upload still exists.
struct CrashCampaign {
    /// Crashes the server and its disk, then makes the disk usable again.
    let crash: (ServerProcess) throws -> Void
    /// The data folder, on the disk that will crash.
    let data: String
    var environment = ["KEEPSAKE_RATE_LIMITS": "off"]

    struct Report {
        var rounds = 0
        var acknowledged = 0
        /// Acknowledged files that are then missing or different.
        var lostPaths: Set<String> = []
        var lost: Int { lostPaths.count }
        /// Listed files whose bytes cannot be read completely.
        var halfFiles = 0
        var slowestStart = Duration.zero
        var verifyFailures: [String] = []

        var line: String {
            "\(rounds) crashes, \(acknowledged) files acknowledged, \(lost) lost, \(halfFiles) half files, slowest start \(slowestStart), \(verifyFailures.count) verify failures"
        }
    }

    private struct Acknowledged: Sendable {
        let path: String
        let sha256: String
    }

    mutating func run(rounds: Int, progress: (Int) -> Void = { _ in }) async throws -> Report {
        var report = Report()
        var all: [Acknowledged] = []
        var lastCount = 0
        var person = try issueToken()
        for round in 0..<rounds {
            // A token is valid for an hour, and a long campaign takes longer.
            if round % 50 == 49 { person = try issueToken() }
            let server = try ServerProcess(data: data, environment: environment)
            report.slowestStart = max(report.slowestStart, server.startTime)
            // First checks the uploads that were acknowledged before the previous crash.
            try await check(all.suffix(lastCount), server, person, &report)
            let load = Load(url: "http://127.0.0.1:\(server.port)", person: person)
            let working = Task { await load.run() }
            try await Task.sleep(for: .milliseconds(Int.random(in: 60...450)))
            try crash(server)
            load.stop()
            await working.value
            let made = load.acknowledged.map { Acknowledged(path: $0.0, sha256: $0.1) }
            lastCount = made.count
            all += made
            report.rounds += 1
            report.acknowledged += made.count
            if round % 20 == 19 || round == rounds - 1 { try verify(&report) }
            progress(round + 1)
        }
        let server = try ServerProcess(data: data, environment: environment)
        try await check(all[...], server, issueToken(), &report)
        try await checkList(server, person, &report)
        _ = server.terminate()
        try verify(&report)
        return report
    }

    private func issueToken() throws -> (id: String, token: String) {
        let run = try ServerProcess.run(
            ["token", "--begin-installation", "--data", data, "--email", "crash@example.org", "--json"], environment: environment)
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String] ?? [:]
        guard let id = json["user_id"], let token = json["access_token"] else { throw ServerProcess.Failure.didNotListen(run.errors) }
        return (id, token)
    }

    private func verify(_ report: inout Report) throws {
        let run = try ServerProcess.run(["verify", "--data", data], environment: environment)
        if run.status != 0 { report.verifyFailures.append(run.output + run.errors) }
    }

    private func check(
        _ files: ArraySlice<Acknowledged>, _ server: ServerProcess, _ person: (id: String, token: String), _ report: inout Report
    ) async throws {
        for file in files {
            let (status, bytes) = try await Load.get("http://127.0.0.1:\(server.port)\(file.path)", person.token)
            if status != 200 || Load.hash(bytes) != file.sha256 { report.lostPaths.insert(file.path) }
        }
    }

    /// Every listed file must be complete, acknowledged or not.
    private func checkList(_ server: ServerProcess, _ person: (id: String, token: String), _ report: inout Report) async throws {
        var cursor: String?
        repeat {
            let query = "?limit=100" + (cursor.map { "&cursor=\($0)" } ?? "")
            let (_, bytes) = try await Load.get(
                "http://127.0.0.1:\(server.port)/api/users/user/\(person.id)/multimedia\(query)", person.token)
            let page = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:]
            for file in page["files"] as? [[String: Any]] ?? [] {
                let (status, content) = try await Load.get(file["appUrl"] as? String ?? "", person.token)
                if status != 200 || content.count != file["size"] as? Int { report.halfFiles += 1 }
            }
            cursor = (page["pagination"] as? [String: Any])?["nextCursor"] as? String
        } while cursor != nil
    }
}
