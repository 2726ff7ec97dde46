import Database
import Foundation
import Jobs
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

/// Captures whose analysis comes from a model over the network, which fails.
@Suite("Captures and a failing provider", .blocksThreads)
struct FailingProviderTests {
    private static let time = "2026-05-01T08:00:00Z"

    private func run(
        _ engine: Engine, _ usual: ModelStandIn.Reply, _ test: @Sendable (TestServer, ModelStandIn) async throws -> Void
    ) async throws {
        try await ModelStandIn.run(usual: usual) { standIn in
            let url = standIn.url
            try await TestServer.run(engine) { settings in
                settings.analyzer.model = AnalyzerSettings.Model(engine: .openai, base: url, key: nil, model: "m-1")
            } _: { server in
                try await test(server, standIn)
            }
        }
    }

    @Test("a capture that always fails delays no other and ends in the local analysis; a retry replaces it", arguments: Engine.allCases)
    func alwaysFails(_ engine: Engine) async throws {
        let reply = ModelStandIn.Reply.thinks { prompt in
            prompt.contains("broken") ? "This is no JSON." : ModelStandIn.analysis(names: ["John"])
        }
        try await run(engine, reply) { server, standIn in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            try client.take("bad", at: Self.time, "Just met with John, but it is broken.")
            for number in 0..<6 { try client.take("good\(number)", at: Self.time, "Number \(number) with John.") }
            for number in 0..<6 {
                let capture = try await server.processed("good\(number)", as: ada)
                #expect(capture.analysis?.engine == "openai" && capture.analysis?.mentionedNames == ["John"])
            }
            #expect(try await server.capture("bad", as: ada).status != .processed)
            // The pauses between attempts follow the test's clock.
            try await eventually {
                try await server.settle()
                server.clock.advance(by: .seconds(20))
                return try await server.capture("bad", as: ada).status == .processed
            }
            let stood = try await server.capture("bad", as: ada)
            #expect(stood.analysis?.engine == "local" && stood.analysis?.error?.isEmpty == false, "\(stood)")
            #expect(stood.analysis?.mentionedNames == ["John"])

            standIn.reply([], then: .writes(ModelStandIn.analysis(themes: ["work"], names: ["John"])))
            let parked = try await server.backend.jobs.list(state: .parked)
            #expect(parked.map(\.kind) == ["captures/analyse"])
            #expect(try await server.backend.jobs.retry(try #require(parked.first).id))
            try await eventually { try await server.capture("bad", as: ada).analysis?.engine == "openai" }
            #expect(try await server.capture("bad", as: ada).analysis?.error == nil)
            try await server.settle()
            #expect(try await server.contacts(as: ada).map(\.mentionCount) == [7])
        }
    }

    @Test("a user who refuses outside engines is served by the local one", arguments: Engine.allCases)
    func refusing(_ engine: Engine) async throws {
        try await run(engine, .writes(ModelStandIn.analysis())) { server, standIn in
            let ada = try await server.person()
            let answer = try await server.sendJSON("PATCH", "/user/me", ["outside_engines": false], as: ada)
            #expect(answer.status == 200, "\(answer.text)")
            let client = try CaptureClient(server, ada)
            try client.take("a", at: Self.time, "Just met with John.")
            let capture = try await server.processed("a", as: ada)
            #expect(capture.analysis?.engine == "local" && capture.analysis?.error == nil)
            #expect(standIn.calls.isEmpty)
        }
    }

    @Test("a picture whose text cannot be read does not take the analysis of its words away", arguments: StoragePair.allCases)
    func unreadablePicture(_ pair: StoragePair) async throws {
        // Tesseract never ends in time.
        try await TestServer.run(pair) { settings in
            settings.analyzer.tesseractTimeout = .milliseconds(1)
        } _: { server in
            let ada = try await server.person()
            #expect(try await server.uploadCapture("a", "photo.jpg", as: ada).status == 200)
            try CaptureClient(server, ada).take("a", at: Self.time, "Just met with John.")
            try await eventually {
                try await server.settle()
                server.clock.advance(by: .seconds(20))
                return try await [.processed, .failed].contains(server.capture("a", as: ada).status)
            }
            let capture = try await server.capture("a", as: ada)
            #expect(capture.status == .processed && capture.analysis?.mentionedNames == ["John"], "\(capture)")
            #expect(capture.analysis?.imageText == nil && capture.analysis?.imageSummary != nil)
            #expect(capture.analysis?.error?.isEmpty == false)
            // Such jobs have a limit of their own, so captures without pictures do not wait for Tesseract.
            #expect(try await server.backend.jobs.list(state: .parked).map(\.kind) == ["captures/analyse-picture"])
        }
    }

    @Test("a stand-in that runs after the provider has succeeded changes nothing")
    func lateStandIn() async throws {
        try await run(.sqlite, .writes(ModelStandIn.analysis(names: ["John"]))) { server, _ in
            let ada = try await server.person()
            try CaptureClient(server, ada).take("a", at: Self.time, "Just met with John.")
            #expect(try await server.processed("a", as: ada).analysis?.engine == "openai")
            let store = server.backend.features[CapturesFeature.self].store
            try await store.database.write { tx in
                try store.standIn(for: "a", version: 1, owner: ada.id, error: "openai cannot be reached", tx)
                try store.fail("a", version: 1, owner: ada.id, reason: "nothing works", tx)
            }
            try await server.settle()
            let capture = try await server.capture("a", as: ada)
            #expect(capture.status == .processed && capture.analysis?.engine == "openai" && capture.analysis?.error == nil)
        }
    }

    @Test("a capture that was changed and could then not be analysed is filed too, with its new words")
    func failsAfterChange() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            try client.take("a", at: Self.time, "Just met with John.")
            _ = try await server.processed("a", as: ada)
            #expect(try client.next()["type"] as? String == "memory_processed")
            let store = server.backend.features[CapturesFeature.self].store
            try await store.database.write { tx in
                // Puts the capture in the state that it has after a change, before the jobs of the pipeline have processed it.
                try tx.run("UPDATE capture SET version = 2, status = 'received' WHERE owner = \(ada.id) AND id = 'a'")
                try store.fail("a", version: 2, owner: ada.id, reason: "nothing works", tx)
            }
            let message = try client.next()
            #expect(message["type"] as? String == "memory_processed" && message["captureId"] as? String == "a", "\(message)")
            #expect(try await server.capture("a", as: ada).status == .failed)
        }
    }
}
