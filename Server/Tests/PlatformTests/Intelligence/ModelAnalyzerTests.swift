import Core
import Database
import Foundation
import Intelligence
import MediaTools
import NIOCore
import Outbound
import Synchronization
import TestKit
import TestThreads
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Analyzers outside the installation", .blocksThreads)
struct ModelAnalyzerTests {
    enum Provider: String, CaseIterable, Sendable { case gemini, openai }

    private func model(
        _ provider: Provider, _ url: String, ledger: CallLedger? = nil, clock: WallClock = .system, timeout: Duration = .seconds(30),
        permits: @escaping ProviderClient.Permission = { _ in true }
    ) -> any LanguageModel {
        let outbound = OutboundHTTP(.production)
        switch provider {
        case .gemini:
            let address = GeminiModel.address(base: url, key: Secret("k-geheim"), model: "gemini-x", timeout: timeout)
            return GeminiModel(ProviderClient(address, outbound: outbound, ledger: ledger, clock: clock, permits: permits))
        case .openai:
            let address = OpenAIAddress.make(base: url + "/v1/", key: Secret("k-geheim"), model: "gpt-x", timeout: timeout)
            return OpenAIModel(ProviderClient(address, outbound: outbound, ledger: ledger, clock: clock, permits: permits))
        }
    }

    private func input(_ transcription: String?, imageText: String? = nil, picture: CaptureFile? = nil, contacts: [String] = [])
        -> CaptureInput
    {
        CaptureInput(
            capture: "c-1", owner: "ada", at: Timestamp(seconds: 1_769_268_600), zone: .gmt, transcription: transcription,
            imageText: imageText, picture: picture, contacts: contacts)
    }

    private func file(_ name: String) -> CaptureFile {
        let path = RealFile.folder.appending(path: name).path
        return CaptureFile(contentType: "image/jpeg", byteCount: 0) { open(path, O_RDONLY) }
    }

    @Test("the request has the provider's form, and names neither account nor capture", arguments: Provider.allCases)
    func request(_ provider: Provider) async throws {
        try await WorkerFixture.run { workers in
            try await ModelStandIn.run { server in
                let analyzer = ModelAnalyzer(model(provider, server.url), workers: workers)
                _ = try await analyzer.analyse(input("Met John at the coffee shop.", picture: file("photo.jpg"), contacts: ["John Doe"]))
                let call = try #require(server.calls.first)
                let text = String(decoding: call.body, as: UTF8.self)
                #expect(text.contains("Met John at the coffee shop.") && text.contains("John Doe") && text.contains("2026-01-24 15:30"))
                #expect(!text.contains("c-1") && !text.contains("\"ada\"") && !text.contains("geheim"))
                let (type, bytes) = try #require(call.files.first)
                let picture = try DecodedImage([UInt8](bytes), "jpg")
                #expect(type == "image/jpeg" && max(picture.width, picture.height) <= 2_048)
                #expect(bytes.range(of: Data("Exif".utf8)) == nil)
                let json = call.json
                switch provider {
                case .gemini:
                    #expect(call.path == "/v1beta/models/gemini-x:generateContent" && call.headers["x-goog-api-key"] == "k-geheim")
                    let generation = json["generationConfig"] as? [String: Any]
                    let schema = generation?["responseSchema"] as? [String: Any]
                    #expect(generation?["responseMimeType"] as? String == "application/json" && schema?["type"] as? String == "OBJECT")
                case .openai:
                    #expect(call.path == "/v1/chat/completions" && call.headers["authorization"] == "Bearer k-geheim")
                    let format = json["response_format"] as? [String: Any]
                    let schema = format?["json_schema"] as? [String: Any]
                    #expect(json["model"] as? String == "gpt-x" && format?["type"] as? String == "json_schema")
                    #expect(schema?["strict"] as? Bool == true && schema?["name"] as? String == "capture_analysis")
                }
            }
        }
    }

    @Test("names and faces count only when the input says the name, and a key moment only when it was said", arguments: Provider.allCases)
    func checked(_ provider: Provider) async throws {
        try await WorkerFixture.run { workers in
            let answer = ModelStandIn.analysis(
                imageSummary: "Two people at a table.", themes: ["Work", "work", "coffee"], mood: "Happy", location: "coffee shop",
                faces: [("a man", "John"), ("a woman", "Mallory")], names: ["John", "john", "Mallory", "Grace Hopper", "Zoe"],
                keyMoment: "They decided to get married.", imageText: "MENU")
            try await ModelStandIn.run(usual: .writes(answer)) { server in
                let analyzer = ModelAnalyzer(model(provider, server.url), workers: workers)
                let analysis = try await analyzer.analyse(
                    input(
                        "Just met with John. It was short.", imageText: "Welcome, Zoe", picture: file("photo.jpg"),
                        contacts: ["Grace Hopper"]))
                #expect(analysis.mentionedNames == ["John", "Grace Hopper", "Zoe"])
                #expect(analysis.detectedFaces.map(\.possibleName) == ["John", nil])
                #expect(analysis.keyMoment == "Just met with John." && analysis.themes == ["work", "coffee"] && analysis.mood == "happy")
                #expect(analysis.imageText == "Welcome, Zoe" && analysis.engine == provider.rawValue && analysis.error == nil)
            }
        }
    }

    @Test("a face with a name that counts is one of the capture's people, though no word names it", arguments: Provider.allCases)
    func recognised(_ provider: Provider) async throws {
        try await WorkerFixture.run { workers in
            let answer = ModelStandIn.analysis(
                faces: [("a woman", "grace hopper"), ("a man", "john"), ("a man", "Mallory"), ("a child", nil)], names: ["John"])
            try await ModelStandIn.run(usual: .writes(answer)) { server in
                let analyzer = ModelAnalyzer(model(provider, server.url), workers: workers)
                let analysis = try await analyzer.analyse(
                    input("Just met with John.", picture: file("photo.jpg"), contacts: ["Grace Hopper"]))
                #expect(analysis.mentionedNames == ["John", "grace hopper"])
                #expect(analysis.detectedFaces.map(\.possibleName) == ["grace hopper", "john", nil, nil])
                let wordsAlone = try await analyzer.analyse(input("Just met with John.", contacts: ["Grace Hopper"]))
                #expect(wordsAlone.mentionedNames == ["John"] && wordsAlone.detectedFaces == [])
                server.reply([.writes(ModelStandIn.analysis(faces: [("a woman", "Grace Hopper")], confidence: 0.49))])
                let unsure = try await analyzer.analyse(input(nil, picture: file("photo.jpg"), contacts: ["Grace Hopper"]))
                #expect(unsure.mentionedNames == [] && unsure.detectedFaces.map(\.possibleName) == ["Grace Hopper"])
            }
        }
    }

    @Test("an answer that is not the schema's JSON, or makes no sense, is an error that may be retried", arguments: Provider.allCases)
    func nonsense(_ provider: Provider) async throws {
        try await WorkerFixture.run { workers in
            try await ModelStandIn.run { server in
                let good = ModelStandIn.analysis(names: ["John"])
                let analyzer = ModelAnalyzer(model(provider, server.url), workers: workers)
                let broken: [ModelStandIn.Reply] = [
                    .writes("Sure! Here is the JSON."), .writes(String(good.dropLast(3))), .writes("{}"), .writes("[]"),
                    .writes(good.replacing("[\"John\"]", with: "\"John\"")), .writes(good.replacing("[\"John\"]", with: "[1]")),
                    .writes(ModelStandIn.analysis(themes: Array(repeating: "x", count: 1_000))), .says("<html>bad gateway</html>"),
                    .says(""),
                    .says("{\"candidates\":[],\"choices\":[]}"), .breaksOff,
                ]
                for reply in broken {
                    server.reply([reply])
                    let failure = await #expect(throws: EngineFailure.self) { _ = try await analyzer.analyse(input("Met John.")) }
                    #expect(failure?.description.contains("geheim") == false && failure?.description.contains("John") == false)
                    // Several broken answers in a row would open the breaker, so a good answer follows each of them.
                    server.reply([.writes(good)])
                    let analysis = try await analyzer.analyse(input("Met John."))
                    #expect(analysis.mentionedNames == ["John"])
                }
            }
        }
    }

    @Test("errors of the provider say whether a retry helps and when, and never quote the key", arguments: Provider.allCases)
    func errors(_ provider: Provider) async throws {
        try await WorkerFixture.run { workers in
            for (reply, isPermanent, after) in [
                (.refuses(400), true, nil), (.refuses(401), true, nil), (.refuses(403), true, nil), (.refuses(404), true, nil),
                (.refuses(429, headers: ["Retry-After": "30"]), false, .seconds(30)), (.refuses(500), false, nil),
                (.refuses(503, headers: ["Retry-After": "9"]), false, .seconds(9)), (.hangs, false, nil),
            ] as [(ModelStandIn.Reply, Bool, Duration?)] {
                try await ModelStandIn.run([reply]) { server in
                    let analyzer = ModelAnalyzer(model(provider, server.url, timeout: .seconds(1)), workers: workers)
                    let failure = await #expect(throws: EngineFailure.self) { try await analyzer.analyse(input("Met John.")) }
                    #expect(failure?.description.contains("geheim") == false)
                    switch failure {
                    case .refused?: #expect(isPermanent)
                    case .unavailable(_, let time)?: #expect(!isPermanent && time == after)
                    case nil: break
                    }
                }
            }
        }
    }

    @Test("after five failures the provider is not called for a while", arguments: Provider.allCases)
    func breaker(_ provider: Provider) async throws {
        try await WorkerFixture.run { workers in
            try await ModelStandIn.run(usual: .refuses(503)) { server in
                let clock = TestClock()
                let analyzer = ModelAnalyzer(model(provider, server.url, clock: clock.wall), workers: workers)
                for _ in 0..<8 { _ = await #expect(throws: EngineFailure.self) { try await analyzer.analyse(input("Met John.")) } }
                #expect(server.calls.count == 5)
                server.reply([], then: .writes(ModelStandIn.analysis()))
                clock.advance(by: .seconds(11))
                let analysis = try await analyzer.analyse(input("Met John."))
                #expect(analysis.engine == provider.rawValue)
            }
        }
    }

    @Test("a provider that fails for the requests of one account is called for others", arguments: Provider.allCases)
    func failingRequests(_ provider: Provider) async throws {
        try await WorkerFixture.run { workers in
            try await ModelStandIn.run(usual: .refuses(500)) { server in
                let analyzer = ModelAnalyzer(model(provider, server.url), workers: workers)
                for _ in 0..<8 { _ = await #expect(throws: EngineFailure.self) { try await analyzer.analyse(input("Met John.")) } }
                #expect(server.calls.count == 8)
            }
        }
    }

    @Test("no address in a capture is ever fetched")
    func addresses() async throws {
        try await WorkerFixture.run { workers in
            try await ModelStandIn.run { bystander in
                try await ModelStandIn.run { server in
                    let words = "Look at \(bystander.url)/secret and \(bystander.url)/photo.jpg with John."
                    let capture = input(words, imageText: "\(bystander.url)/menu")
                    _ = try await ModelAnalyzer(model(.gemini, server.url), workers: workers).analyse(capture)
                    _ = try await LocalAnalyzer(workers: workers).analyse(capture)
                    #expect(bystander.calls.isEmpty && server.calls.count == 1)
                }
            }
        }
    }

    @Test("the owner's permission is asked before each call; without it nothing is sent and nothing recorded", arguments: Provider.allCases)
    func permission(_ provider: Provider) async throws {
        let stores = try TestStores(.sqlite)
        let database = try await stores.open()
        try await database.migrate(CallLedger.migrations)
        let ledger = CallLedger(database: database, identifiers: Identifiers(clock: .system, entropy: .system))
        try await WorkerFixture.run { workers in
            try await ModelStandIn.run { server in
                let asked = Mutex<[String]>([])
                let model = model(provider, server.url, ledger: ledger) { owner in
                    asked.withLock { asked in
                        asked.append(owner)
                        return asked.count == 1
                    }
                }
                let analyzer = ModelAnalyzer(model, workers: workers)
                _ = try await analyzer.analyse(input("Met John."))
                for _ in 0..<8 {
                    let failure = await #expect(throws: EngineFailure.self) { try await analyzer.analyse(input("Met Maria.")) }
                    guard case .unavailable = failure else {
                        Issue.record("\(String(describing: failure))")
                        continue
                    }
                }
                let owners = asked.withLock { $0 }
                #expect(owners == [String](repeating: "ada", count: 9) && server.calls.count == 1)
                #expect(try await ledger.calls(of: "ada", limit: 10).map(\.outcome) == ["answered 200"])
                // A probe carries nobody's data, so it is sent. The refusals above are not failures of the provider, so its breaker stays
                // closed.
                _ = try await analyzer.probe()
                #expect(server.calls.count == 2)
            }
        }
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    @Test("the ledger has a row for every call, with its bytes, committed before anything is sent", arguments: Engine.allCases)
    func ledger(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let clock = TestClock()
        let database = try await stores.open(clock: clock.wall)
        try await database.migrate(CallLedger.migrations)
        let ledger = CallLedger(database: database, identifiers: Identifiers(clock: clock.wall, entropy: .system))
        try await WorkerFixture.run { workers in
            try await ModelStandIn.run([.refuses(429, headers: ["Retry-After": "1"])]) { server in
                let analyzer = ModelAnalyzer(model(.openai, server.url, ledger: ledger, clock: clock.wall), workers: workers)
                _ = await #expect(throws: EngineFailure.self) { try await analyzer.analyse(input("Met John.")) }
                clock.advance(by: .seconds(2))
                _ = try await analyzer.analyse(input("Met John."))
                let rows = try await ledger.calls(of: "ada", limit: 10)
                #expect(rows.map(\.outcome) == ["answered 200", "answered 429"])
                #expect(rows.map(\.sentByteCount) == server.calls.reversed().map { Int64($0.body.count) })
                let row = try #require(rows.first)
                #expect(row.engine == "openai" && row.purpose == "analyse" && row.model == "gpt-x" && row.host.hasPrefix("127.0.0.1:"))
                #expect((row.receivedByteCount ?? 0) > 0 && row.milliseconds != nil)
                #expect(try await ledger.calls(of: "eve", limit: 10) == [])
                clock.advance(by: .days(91))
                try await ledger.sweep()
                #expect(try await ledger.calls(of: "ada", limit: 10) == [])
            }
        }
        try await database.close()
    }

    @Test("the ledger's statements use its indexes", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        try await database.migrate(CallLedger.migrations)
        try await database.write { tx in
            for number in 0..<2_000 {
                try tx.run(
                    """
                    INSERT INTO engine_call (id, owner, at, engine, purpose, model, host, sent_bytes, outcome)
                    VALUES (\("id-\(number)"), \("o-\(number % 2)"), \(Int64(number)), 'openai', 'analyse', 'm', 'h', 1, 'sent')
                    """)
            }
        }
        if engine == .postgres { try await database.write { tx in _ = try tx.run("ANALYZE engine_call") } }
        for sql in [
            CallLedger.calls(of: "o-1", limit: 20), CallLedger.end("id-1", received: 1, milliseconds: 1, outcome: "x"),
            CallLedger.expired(before: Timestamp(microseconds: 5), limit: 500),
        ] {
            let plan = try await QueryPlan(sql, on: database)
            #expect(plan.faults(mayWalk: true) == [], "\(plan)")
        }
        try await database.close()
    }
}
