import Core
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// Clients whose connection breaks again and again read each word once. `make campaign NAME=streams` tests 200 streams on each engine,
/// every other run 20.
@Suite("Campaign: streams", .blocksThreads)
struct StreamCampaignTests {
    /// Numbered words, so that the test notices a missing or a doubled word.
    private static func words(_ count: Int) -> [String] { (0..<count).map { "w\($0) " } }

    /// Reads an answer in parts: each part ends after a random number of frames, then the client resumes on one of the nodes.
    private static func readInParts(
        of count: Int, from nodes: [TestServer], as ada: TestServer.Person, numbered: Bool, _ random: inout SplitMix64
    ) async throws -> TestServer.Stream {
        let node = nodes[Int.random(in: 0..<nodes.count, using: &random)]
        var whole = try await node.stream(
            "POST", "/api/chat/agents/chat/openAI", TestServer.body("Count"), frames: Int.random(in: 1...count, using: &random), as: ada)
        let conversation = try #require(whole.frames.first?.conversation)
        for _ in 0..<200 where whole.final == nil {
            let node = nodes[Int.random(in: 0..<nodes.count, using: &random)]
            let part = try await node.resume(
                conversation, after: numbered ? whole.numbers.last : 0, frames: Int.random(in: 1...count, using: &random), as: ada)
            whole.frames += part.frames.filter { numbered || !$0.isCreated }
        }
        return whole
    }

    @Test("streams that are cut at random frames and resumed on either node have every word once")
    func cut() async throws {
        guard CampaignScale.runs("streams") else { return }
        let (streams, words) = (CampaignScale.isFull("streams") ? 200 : 20, Self.words(30))
        for engine in Engine.allCases {
            let stores = try TestStores(StoragePair(engine))
            try await ChatStandIn.run(.writes(words, pause: .milliseconds(8))) { standIn in
                let url = standIn.url
                try await TestServer.run(engine, on: stores, { $0.answer(by: url) }) { first in
                    let ada = try await first.person()
                    let test: @Sendable ([TestServer]) async throws -> Void = { nodes in
                        try await withThrowingTaskGroup(of: TestServer.Stream.self) { group in
                            for number in 0..<streams {
                                group.addTask {
                                    var random = SplitMix64(seed: UInt64(number) + 7)
                                    return try await Self.readInParts(of: words.count, from: nodes, as: ada, numbered: true, &random)
                                }
                                // Starts eight streams, and then waits for eight to end.
                                guard number % 8 == 7 else { continue }
                                for _ in 0..<8 { if let stream = try await group.next() { Self.check(stream, words) } }
                            }
                            for try await stream in group { Self.check(stream, words) }
                        }
                    }
                    // Only one process uses an SQLite file, so there is no second node.
                    guard engine == .postgres else { return try await test([first]) }
                    try await TestServer.run(engine, on: stores, { $0.answer(by: url) }) { second in try await test([first, second]) }
                }
            }
        }
    }

    private static func check(_ stream: TestServer.Stream, _ words: [String]) {
        let last = stream.final?.responseMessage
        #expect(
            stream.words == words.joined() && last?.text == words.joined(),
            "unfinished: \(String(describing: last?.unfinished)), error: \(String(describing: last?.error)), read: \(stream.words)")
        #expect(stream.numbers == Array(1...Int64(stream.frames.count)))
    }

    @Test("control: a client that does not say which frame it has reads words twice")
    func control() async throws {
        guard CampaignScale.runs("streams") else { return }
        let words = Self.words(30)
        try await ChatStandIn.run(.writes(words, pause: .milliseconds(8))) { standIn in
            let url = standIn.url
            try await TestServer.run(.sqlite) {
                $0.answer(by: url)
            } _: { server in
                let ada = try await server.person()
                var doubled = 0
                for seed in 0..<4 {
                    var random = SplitMix64(seed: UInt64(seed))
                    let stream = try await Self.readInParts(of: 40, from: [server], as: ada, numbered: false, &random)
                    if stream.words.count > words.joined().count { doubled += 1 }
                }
                #expect(doubled > 0)
            }
        }
    }
}
