import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestKit

struct RetryReport: Sendable {
    var keys = 0
    var kills = 0
    var sent = 0
    /// Responses 409: another of the five requests was still running.
    var busy = 0
    var failed = 0
    /// Responses that repeated the stored response of another request.
    var repeated = 0
    /// Keys whose five responses differed.
    var disagreeing = 0
    var rows = 0

    var line: String {
        "\(keys) keys × 5, \(kills) kills: \(rows) rows, \(disagreeing) disagreeing; \(sent) sent, \(repeated) repeated answers, \(busy) busy, \(failed) failed"
    }
}

/// The ports of the running nodes.
final class NodePorts: Sendable {
    private let ports = Mutex<[Int]>([])
    func set(_ new: [Int]) { ports.withLock { $0 = new } }
    var any: Int? { ports.withLock { $0.randomElement() } }
}

/// Sends every creation five times at once, each to a random node, and repeats it until the response is 200.
final class RetryLoad: Sendable {
    private let person: CampaignPerson
    private let sendsKeys: Bool
    private let ports: NodePorts
    private let report = Mutex(RetryReport())

    init(_ person: CampaignPerson, _ ports: NodePorts, sendsKeys: Bool) {
        self.person = person
        self.ports = ports
        self.sendsKeys = sendsKeys
    }

    var counted: RetryReport { report.withLock { $0 } }

    /// Creates files with 32 keys at a time.
    func run(keys: Int, progress: @escaping @Sendable (Int) -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for key in 0..<keys {
                if key >= 32 { try await group.next() }
                group.addTask { try await self.createFive(key) }
                progress(key + 1)
            }
            try await group.waitForAll()
        }
    }

    private func createFive(_ key: Int) async throws {
        let film = Film.bytes(400, isRandom: true)
        let answers = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 1...5 { group.addTask { try await self.create("key-\(key)", film) } }
            return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
        }
        report.withLock {
            $0.keys += 1
            if answers.count != 1 { $0.disagreeing += 1 }
        }
    }

    /// Repeats the request until the response is 200.
    private func create(_ key: String, _ film: Data) async throws -> Data {
        while true {
            try Task.checkCancellation()
            do {
                guard let port = ports.any else { throw CancellationError() }
                var body = MultipartBody()
                body.add("file", fileName: "film.mp4", type: "video/mp4", film)
                body.close()
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(person.library)/swift")
                request.method = .POST
                request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
                request.headers.add(name: "Content-Type", value: body.contentType)
                if sendsKeys { request.headers.add(name: "Idempotency-Key", value: key) }
                request.body = .bytes(ByteBuffer(bytes: body.data))
                report.withLock { $0.sent += 1 }
                let response = try await campaignClient.execute(request, timeout: .seconds(20))
                let answer = Data(try await response.body.collect(upTo: 1_048_576).readableBytesView)
                if response.status == .ok {
                    if response.headers.first(name: "Idempotency-Replayed") != nil { report.withLock { $0.repeated += 1 } }
                    return answer
                }
                report.withLock { if response.status == .conflict { $0.busy += 1 } else { $0.failed += 1 } }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                report.withLock { $0.failed += 1 }
                // The node starts sooner when 160 clients do not keep the processors busy meanwhile.
                try await Task.sleep(for: .milliseconds(Int.random(in: 50...200)))
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 20...120)))
        }
    }
}
