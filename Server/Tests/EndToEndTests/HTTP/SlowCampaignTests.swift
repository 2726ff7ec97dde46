import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing

@testable import keepsake

/// `make campaign NAME=slow` opens 5,000 slow connections. Other test runs open 500.
@Suite("Campaign: slow clients", .blocksThreads)
struct SlowCampaignTests {
    /// The sorted latencies of requests that query the database, sent one after the other on two connections.
    private func waits(_ port: Int, _ person: CampaignPerson, for time: Duration) async throws -> [Duration] {
        try await withThrowingTaskGroup(of: [Duration].self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let clock = ContinuousClock()
                    let end = clock.now + time
                    var waits: [Duration] = []
                    while clock.now < end {
                        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/user/me")
                        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
                        let start = clock.now
                        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
                        _ = try await response.body.collect(upTo: 10_000)
                        #expect(response.status == .ok)
                        waits.append(clock.now - start)
                        try await Task.sleep(for: .milliseconds(2))
                    }
                    return waits
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
    }

    /// Starts Debian's slowhttptest with heads that never end (slowloris) and bodies that trickle (R-U-Dead-Yet). It opens each
    /// connection once and does not reopen those that the server closes.
    private func crowd(_ count: Int, _ port: Int) throws -> [Process] {
        let login = "http://127.0.0.1:\(port)/auth/password/login"
        return try [["-H", "-u", "http://127.0.0.1:\(port)/user/me"], ["-B", "-f", "application/json", "-s", "10000", "-u", login]].map {
            kind in
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments =
                ["slowhttptest", "-c", "\(count / 2)", "-r", "\(count / 2)", "-i", "2", "-x", "8", "-l", "60", "-p", "60"] + kind
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }
    }

    private func openConnections(_ port: Int) async throws -> Int {
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: "http://127.0.0.1:\(port)/metrics"), timeout: .seconds(10))
        let page = String(buffer: try await response.body.collect(upTo: 1_048_576))
        return page.firstMatch(of: /\nkeepsake_connections (\d+)/).flatMap { Int($0.1) } ?? 0
    }

    @Test("slow clients do not delay the others")
    func slow() async throws {
        guard CampaignScale.runs("slow") else { return }
        let isFull = CampaignScale.isFull("slow")
        let count = isFull ? 5_000 : 500
        OpenFiles.raiseLimit()
        let server = try Installation(.embedded)
        let node = try server.node("one")
        let person = try server.person()
        // The deadline for heads and bodies is ten seconds.
        let time: Duration = .seconds(isFull ? 6 : 3)
        _ = try await waits(node.port, person, for: .seconds(1))
        let before = try await waits(node.port, person, for: time)
        let crowd = try crowd(count, node.port)
        defer { for process in crowd { process.terminate() } }
        var open = 0
        for _ in 0..<90 where open < count {
            try await Task.sleep(for: .milliseconds(100))
            open = max(open, try await openConnections(node.port))
        }
        let during = try await waits(node.port, person, for: time)
        let p99 = (before[before.count * 99 / 100], during[during.count * 99 / 100])
        print(
            "slow campaign: \(open) slow connections; p99 of \(before.count) requests before \(p99.0 / .milliseconds(1)) ms, of \(during.count) during \(p99.1 / .milliseconds(1)) ms; \((try node.residentByteCount()) >> 20) MB"
        )
        #expect(open >= count)
        // The small form shares the machine with other tests, so it only checks that no request starves.
        if isFull { #expect(p99.1 < max(p99.0 * 2, .milliseconds(5))) } else { #expect(p99.1 < .seconds(3)) }
        // A server that stops waits for these clients until their deadline.
        if !isFull { for process in crowd { process.terminate() } }
        #expect(node.terminate() == 0)
    }
}
