import Foundation
import TestKit
import TestThreads
import Testing

@testable import Web

/// Measures the memory of a server process whose clients request large files.
@Suite("Response memory", .serialized, .blocksThreads, .runsAlone)
struct AnswerMemoryTests {
    private static let request = "GET /file HTTP/1.1\r\nHost: a\r\n\r\n"

    private func unread(_ count: Int, _ process: AnswerProcess) throws -> [RawConnection] {
        let clients = try (0..<count).map { _ in try RawConnection(port: process.port) }
        for client in clients { try client.send(Self.request) }
        return clients
    }

    private func shut(_ connections: Int, _ streams: Int, _ process: AnswerProcess) throws -> [RawHTTP2] {
        try (0..<connections).map { _ in
            let client = try RawHTTP2(port: process.port, window: 0)
            for index in 0..<streams { try client.request(UInt32(2 * index + 1), "GET", "/file", ends: true) }
            return client
        }
    }

    /// Downloads the file from another network.
    /// - Returns: the duration of the download.
    private func victim(_ process: AnswerProcess) throws -> Duration {
        let start = ContinuousClock.now
        let client = try RawConnection(port: process.port, from: "127.0.0.2")
        try client.send(Self.request)
        let head = try client.head()
        #expect(head.status == 200)
        _ = try client.bytes(AnswerServer.content.count)
        return ContinuousClock.now - start
    }

    private func best(_ process: AnswerProcess) throws -> Duration { try (0..<5).map { _ in try victim(process) }.min()! }

    @Test("250 stalled downloads hold less than 0.2 MB each, and another network's download stays fast")
    func unread() async throws {
        let process = try AnswerProcess()
        let alone = try best(process)
        let idle = try await process.settledByteCount()
        let clients = try unread(250, process)
        let grown = try await process.settledByteCount() - idle
        #expect(grown < 250 * 200_000, "\(grown)")
        let beside = try best(process)
        #expect(beside < max(alone * 3, .milliseconds(300)), "\(alone), then \(beside)")
        withExtendedLifetime(clients) {}
    }

    @Test("ten HTTP/2 connections with a hundred downloads each and closed windows hold less than 60 MB together")
    func shut() async throws {
        let process = try AnswerProcess()
        let alone = try best(process)
        let idle = try await process.settledByteCount()
        let clients = try shut(10, 100, process)
        let grown = try await process.settledByteCount() - idle
        #expect(grown < 60_000_000, "\(grown)")
        let beside = try best(process)
        #expect(beside < max(alone * 3, .milliseconds(300)), "\(alone), then \(beside)")
        withExtendedLifetime(clients) {}
    }

    @Test("control: with pieces of 4 MiB and no budget the same clients hold hundreds of megabytes")
    func control() async throws {
        let process = try AnswerProcess(isBounded: false)
        _ = try victim(process)
        let idle = try await process.settledByteCount()
        let clients = try unread(25, process)
        let unread = try await process.settledByteCount() - idle
        #expect(unread > 25 * 1_000_000, "\(unread)")
        let others = try shut(1, 25, process)
        let shut = try await process.settledByteCount() - idle - unread
        #expect(shut > 25 * 2_000_000, "\(shut)")
        withExtendedLifetime((clients, others)) {}
    }

    @Test("200 connections that have sent a large body hold less than 64 KB each while they are idle")
    func sentOnce() async throws {
        let process = try AnswerProcess()
        let body = [UInt8](repeating: 7, count: 1_000_000)
        func sender() throws -> RawConnection {
            let client = try RawConnection(port: process.port)
            try client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
            try client.send(body)
            let text = try client.answer().text
            #expect(text == "1000000")
            return client
        }
        // After these connections, the allocator keeps memory for reuse, which does not count as growth.
        for _ in 0..<20 { try sender().close() }
        let idle = try await process.settledByteCount()
        let clients = try (0..<200).map { _ in try sender() }
        let grown = try await process.settledByteCount() - idle
        #expect(grown < 200 * 64_000, "\(grown / 200)")
        withExtendedLifetime(clients) {}
    }

    /// The most bytes of memory by which the process may grow for each of 64 connections.
    private static let share = 300_000

    /// - Returns: the most bytes by which the process grows while 64 clients read a file of 53 MB.
    private func growth(_ process: AnswerProcess, above idle: Int, _ way: [String], _ rate: [String]) async throws -> Int {
        var most = idle
        let port = process.port
        let load = Task.detached(executorPreference: BlockingThreads.shared) { AnswerProcess.load(port, way + rate, seconds: "1.2") }
        for _ in 0..<24 {
            try await Task.sleep(for: .milliseconds(50))
            most = max(most, process.residentByteCount)
        }
        await load.value
        return most - idle
    }

    @Test(
        "64 clients that read a large file, fast or at 100 KB/s, hold at most 0.3 MB each",
        arguments: [["--http1.1"], ["--http1.1", "-k"], ["--http2", "-k"]])
    func readers(_ way: [String]) async throws {
        let process = try AnswerProcess(isSecure: way.contains("-k"), isLong: true)
        let idle = try await process.warmByteCount(way)
        for rate in [[], ["--limit-rate", "100K"]] {
            let grown = try await Figure.measured(until: { $0 <= 64 * Self.share }) { try await growth(process, above: idle, way, rate) }
            #expect(grown <= 64 * Self.share, "\(rate): \(grown / 64)")
        }
    }

    @Test("control: with pieces of 4 MiB and no budget the same clients hold more")
    func readersControl() async throws {
        let way = ["--http1.1"]
        let process = try AnswerProcess(isBounded: false, isLong: true)
        // Other tests first run a load to warm up. Here the allocator would keep its large pieces, and the measured load would reuse them.
        let idle = try await process.settledByteCount()
        let grown = try await Figure.measured(until: { $0 > 64 * Self.share }) {
            try await growth(process, above: idle, way, ["--limit-rate", "100K"])
        }
        #expect(grown > 64 * Self.share, "\(grown / 64)")
    }
}

extension AnswerProcess {
    /// Reads the file on 64 connections at the same time, each with curl's options, and stops when the time is up.
    fileprivate static func load(_ port: Int, _ options: [String], seconds: String) {
        let url = "\(options.contains("-k") ? "https" : "http")://127.0.0.1:\(port)/file?[1-64]"
        let line =
            (["curl", "-s", "--parallel", "--parallel-immediate", "--parallel-max", "64", "--max-time", seconds] + options)
            .joined(separator: " ") + " -o /dev/null '\(url)'"
        _ = try? ServerProcess.run(["-c", line], binary: "/bin/sh")
    }

    /// Resident memory after a first load, which loads code and starts threads and pools.
    fileprivate func warmByteCount(_ way: [String]) async throws -> Int {
        Self.load(port, way, seconds: "0.6")
        try await Task.sleep(for: .milliseconds(200))
        return residentByteCount
    }
}
