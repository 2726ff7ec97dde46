import Core
import Database
import Foundation
import Jobs
import KeepsakeWire
import MediaTools
import TestKit
import TestThreads
import Testing

@testable import Capsules
@testable import FeatureTestKit
@testable import Intelligence
@testable import keepsake

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Transcription", .blocksThreads)
struct TranscriptionTests {
    fileprivate func sphinx(_ settings: inout Settings) { settings.transcriber = TranscriberSettings(.pocketsphinx) }

    /// Creates a capsule, uploads the recording and completes the capsule.
    fileprivate func keep(_ sound: Data, byLink: Bool = false, _ server: TestServer, _ person: TestServer.Person) async throws -> String {
        let made = try await server.makeCapsule(sound.count, as: person)
        let id = made.capsule.id
        let kept =
            byLink
            ? try await server.putAudio(sound, made.uploadURL ?? "") : try await server.uploadAudio(sound, to: id, as: person)
        #expect(kept.status == 200, "\(kept.text)")
        #expect(try await server.completeCapsule(id, as: person).status == 200)
        return id
    }

    fileprivate func jobs(_ server: TestServer, _ state: JobState) async throws -> [JobEntry] {
        try await JobStore(database: server.backend.database, clock: server.clock.wall)
            .list(state: state, kind: TranscribeCapsule.kind, limit: 10)
    }

    /// Waits until the capsule is completed or has failed. Whenever its job waits for a retry, sets the clock to that time.
    fileprivate func settle(_ id: String, _ server: TestServer) async throws -> Capsule {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            let person = try await server.person()
            let capsule = try await server.capsule(id, as: person)
            if [.completed, .failed].contains(capsule.status) { return capsule }
            if let waiting = try await jobs(server, .ready).first, waiting.runAt > server.clock.now {
                server.clock.advance(by: waiting.runAt - server.clock.now)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Tool.Failed(description: "the capsule was not settled")
    }

    private func statuses(_ events: [(type: String, data: [String: Any])]) -> [String] {
        events.map { $0.data["status"] as? String ?? "" }
    }

    fileprivate func isOneTranscript(_ events: [(type: String, data: [String: Any])]) -> Bool {
        let statuses = statuses(events)
        let order = CapsuleStatus.allCases.map(\.rawValue)
        let places = statuses.map { order.firstIndex(of: $0) ?? -1 }
        return statuses.count { $0 == "completed" } == 1 && places == places.sorted() && !statuses.contains("failed")
    }

    @Test(
        "a recording is transcribed, uploaded by credential or by link, and the search finds its text",
        arguments: zip(StoragePair.allCases, [false, true]))
    func sphinx(_ pair: StoragePair, byLink: Bool) async throws {
        try await TestServer.run(pair) {
            sphinx(&$0)
        } _: { server in
            let ada = try await server.person()
            let sound = try Voice.say(Voice.short)
            let id = try await keep(sound, byLink: byLink, server, ada)
            let capsule = try await server.settledCapsule(id, as: ada)
            let text = try #require(capsule.transcription)
            #expect(Voice.wordErrorRate(said: Voice.short, heard: text) < 0.3, "\(text)")
            // A retry of the upload gets the capsule with its transcript, too.
            let again = try await server.uploadAudio(sound, to: id, as: ada)
            #expect(try again.decode(CapsuleUpload.self).capsule == capsule)
            let metadata = try #require(capsule.metadata)
            #expect(metadata.engine == "pocketsphinx" && metadata.language == "en" && metadata.emotions == [])
            #expect(metadata.words.map(\.text).joined(separator: " ") == text.replacing("\n", with: " "))
            let odd = metadata.words.filter { $0.start >= $0.end || $0.end > capsule.duration || !(0...1 ~= ($0.confidence ?? -1)) }
            #expect(odd == [])
            #expect(metadata.words.map(\.start) == metadata.words.map(\.start).sorted())
            let foreign = metadata.topics.filter { !text.contains($0) }
            #expect(!metadata.topics.isEmpty && foreign == [])
            #expect(metadata.summary?.isEmpty == false)

            let shown = try await server.send("GET", "/v0/capsules/\(id)/transcription", as: ada).decode(CapsuleTranscription.self)
            #expect(shown.transcription == text && shown.words == metadata.words && shown.engine == "pocketsphinx")
            let list = try await server.send("GET", "/v0/capsules", as: ada)
            #expect(try list.decode(CapsuleList.self).capsules == [capsule] && WireDates.haveSixDigits(try list.json()))

            let found = try await server.send("GET", server.moments(ada, "search?q=saturday%20lake"), as: ada)
            let items = try #require(try found.json()["items"] as? [[String: Any]])
            #expect(items.count == 1 && items[0]["kind"] as? String == "capsule" && WireDates.haveSixDigits(items))
            let snippets = items[0]["snippets"] as? [[String: Any]]
            #expect(snippets?.first?["field"] as? String == "transcript")
            let eve = try await server.person("eve")
            let hers = try await server.send("GET", server.moments(eve, "search?q=saturday"), as: eve)
            #expect(hers.status == 200 && !hers.text.contains("lake"))
            let events = try await server.capsuleEvents(as: ada)
            let transcribing = statuses(events).count { $0 == "transcribing" }
            #expect(isOneTranscript(events) && transcribing > 0)

            _ = try await server.send("DELETE", "/v0/capsules/\(id)", as: ada)
            let after = try await server.send("GET", server.moments(ada, "search?q=saturday"), as: ada)
            #expect(after.status == 200 && !after.text.contains("lake"))
            let rows = try await server.backend.database.read { tx in
                try tx.rows("SELECT capsule FROM capsule_transcript UNION SELECT capsule FROM capsule_segment").count
            }
            #expect(rows == 0)
        }
    }

    @Test("a provider with OpenAI's protocol transcribes the recording, with the configured key and model", arguments: StoragePair.allCases)
    func provider(_ pair: StoragePair) async throws {
        try await StandInProvider.run { provider, url in
            try await TestServer.run(pair) {
                $0.transcriber = TranscriberSettings(.openai(base: url + "/v1", key: Secret("k-1"), model: "m-1"))
            } _: { server in
                let ada = try await server.person()
                let id = try await keep(try Voice.say(Voice.short), byLink: true, server, ada)
                let capsule = try await server.settledCapsule(id, as: ada)
                let text = try #require(capsule.transcription)
                #expect(Voice.wordErrorRate(said: Voice.short, heard: text) < 0.3, "\(text)")
                #expect(capsule.metadata?.engine == "openai" && capsule.metadata?.language == "english")
                let sure = capsule.metadata?.words.compactMap(\.confidence)
                #expect(sure == [] && capsule.metadata?.words.isEmpty == false)
                let events = try await server.capsuleEvents(as: ada)
                #expect(isOneTranscript(events))
                let calls = provider.calls
                #expect(calls.count == 1 && calls[0].authorization == "Bearer k-1")
                #expect(
                    calls.first?.fields == [
                        "model=m-1", "response_format=verbose_json", "timestamp_granularities[]=word", "timestamp_granularities[]=segment",
                        "file=RIFF",
                    ])
                #expect(abs(Double(calls[0].milliseconds) / 1_000 - capsule.duration) < 0.1)
            }
        }
    }

    @Test(
        "a temporary failure is retried, not before the provider allows it, and yields one transcript",
        arguments: [
            StandInProvider.Reply.refuses(429, headers: ["Retry-After": "200"]), .refuses(500), .says("<html>bad gateway</html>"),
            .sleeps(18),
        ])
    func tryAgain(_ reply: StandInProvider.Reply) async throws {
        // The time limit is short only for the provider that sleeps: on a busy machine, the others may need seconds to answer.
        let timeout = if case .sleeps = reply { 15 } else { 60 }
        try await StandInProvider.run([reply]) { provider, url in
            try await TestServer.run(.sqlite) {
                $0.transcriber = TranscriberSettings(.openai(base: url, key: nil, model: "m-1"), timeout: timeout)
            } _: { server in
                let ada = try await server.person()
                let began = server.clock.now
                let id = try await keep(try Voice.say("The garden was full of yellow flowers."), server, ada)
                let capsule = try await settle(id, server)
                #expect(capsule.status == .completed && capsule.transcription?.contains("garden") == true)
                let keys = provider.calls.compactMap(\.authorization)
                #expect(provider.calls.count >= 2 && keys == [])
                // On a busy machine the second attempt may time out as well.
                if case .sleeps = reply {} else { #expect(provider.calls.count == 2) }
                if case .refuses(429, _, _) = reply { #expect(server.clock.now - began >= .seconds(200)) }
                let again = try await server.person()
                let events = try await server.capsuleEvents(as: again)
                #expect(isOneTranscript(events))
            }
        }
    }

    @Test("a permanent failure parks the job at once, a repeated one after five attempts, with the reason", arguments: StoragePair.allCases)
    func parked(_ pair: StoragePair) async throws {
        let key = #"{"error":{"message":"Incorrect API key provided: sk-geheim","code":"invalid_api_key"}}"#
        for (replies, calls, reason) in [
            ([.refuses(400, body: "{}")], 1, "answers 400"), ([.refuses(401, body: key)], 1, "answers 401 (invalid_api_key)"),
            (Array(repeating: .refuses(503), count: 5), 5, "answers 503 (server_error)"),
        ] as [([StandInProvider.Reply], Int, String)] {
            try await StandInProvider.run(replies) { provider, url in
                try await TestServer.run(pair) {
                    $0.transcriber = TranscriberSettings(.openai(base: url, key: Secret("sk-geheim"), model: "m-1"))
                } _: { server in
                    let ada = try await server.person()
                    let id = try await keep(try Voice.say("Yellow flowers."), server, ada)
                    let capsule = try await settle(id, server)
                    #expect(capsule.status == .failed && capsule.metadata == nil && capsule.transcription == nil && capsule.audioURL != nil)
                    var parked: [JobEntry] = []
                    for _ in 0..<100 where parked.isEmpty {
                        try await Task.sleep(for: .milliseconds(20))
                        parked = try await jobs(server, .parked)
                    }
                    #expect(parked.count == 1 && parked.first?.error?.contains(reason) == true && parked.first?.tries == calls)
                    #expect(parked.first?.error?.contains("geheim") == false && provider.calls.count == calls)
                    guard calls == 1, reason.contains("401") else { return }
                    // The operator has fixed the cause and retries the job.
                    let store = JobStore(database: server.backend.database, clock: server.clock.wall)
                    #expect(try await store.retry(parked[0].id))
                    for _ in 0..<500 where provider.calls.count == calls { try await Task.sleep(for: .milliseconds(20)) }
                    var again = try await server.person()
                    for _ in 0..<500 {
                        again = try await server.person()
                        if try await server.capsule(id, as: again).status == .completed { break }
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    #expect(try await server.capsule(id, as: again).status == .completed)
                    let completed = statuses(try await server.capsuleEvents(as: again)).count { $0 == "completed" }
                    #expect(completed == 1)
                }
            }
        }
    }

    @Test("a user who refuses outside engines is transcribed on this machine, and the ledger shows every call for the others")
    func refusing() async throws {
        try await StandInProvider.run { provider, url in
            try await TestServer.run(.sqlite) {
                $0.transcriber = TranscriberSettings(.openai(base: url, key: nil, model: "m"))
            } _: { server in
                let ada = try await server.person()
                let refused = try await server.sendJSON("PATCH", "/user/me", ["outside_engines": false], as: ada)
                #expect(refused.status == 200)
                let id = try await keep(try Voice.say("The garden was full of yellow flowers."), server, ada)
                let capsule = try await server.settledCapsule(id, as: ada)
                #expect(capsule.metadata?.engine == "pocketsphinx" && provider.calls.isEmpty)
                let eve = try await server.person("eve")
                let hers = try await keep(try Voice.say("The garden was full of yellow flowers."), server, eve)
                let other = try await server.settledCapsule(hers, as: eve)
                #expect(other.metadata?.engine == "openai")
                let rows = try await server.backend.database.read { tx in
                    try tx.rows("SELECT owner, outcome FROM engine_call").map { row in
                        [try row.get("owner", as: String.self), try row.get("outcome", as: String.self)]
                    }
                }
                #expect(rows == [[eve.id, "answered 200"]])
            }
        }
    }

    @Test("a user who refuses outside engines during a recording: no further segment leaves, and nothing of the first one is kept")
    func refusingMeanwhile() async throws {
        try await StandInProvider.run { provider, url in
            try await TestServer.run(.sqlite) {
                $0.transcriber = TranscriberSettings(.openai(base: url, key: nil, model: "m"))
            } _: { server in
                let ada = try await server.person()
                let text = #"{"text":"Heard outside.","language":"english","words":[]}"#
                provider.reply([
                    .runs(
                        {
                            let answer = try await server.sendJSON("PATCH", "/user/me", ["outside_engines": false], as: ada)
                            #expect(answer.status == 200, "\(answer.text)")
                        }, says: text)
                ])
                // The pause is four minutes, the length of a segment of this engine, so the second sentence is in another segment.
                let speech = try Voice.say("Yellow flowers.")
                let pause = Data(count: 240 * 2 * Speech.rate)
                let samples = [UInt8](speech.dropFirst(44) + pause + speech.dropFirst(44))
                let id = try await keep(Data(WaveFile.bytes(Speech(samples: samples))), server, ada)
                let capsule = try await settle(id, server)
                #expect(capsule.status == .completed && capsule.metadata?.engine == "pocketsphinx", "\(capsule)")
                #expect(capsule.transcription?.contains("outside") == false, "\(capsule)")
                #expect(provider.calls.count == 1)
                let calls = try await server.backend.database.read { tx in
                    try tx.rows("SELECT outcome FROM engine_call").map { try $0.get("outcome", as: String.self) }
                }
                #expect(calls == ["answered 200"])
            }
        }
    }

    @Test("silence yields an empty transcript without a request to the engine", arguments: StoragePair.allCases)
    func silence(_ pair: StoragePair) async throws {
        try await StandInProvider.run { provider, url in
            try await TestServer.run(pair) {
                $0.transcriber = TranscriberSettings(.openai(base: url, key: nil, model: "m"))
            } _: { server in
                let ada = try await server.person()
                let speech = try Voice.say("Yes.")
                let id = try await keep(speech.prefix(44) + Data(count: speech.count - 44), server, ada)
                let capsule = try await server.settledCapsule(id, as: ada)
                #expect(capsule.transcription == "" && capsule.metadata?.summary == nil && capsule.metadata?.topics == [])
                #expect(provider.calls.isEmpty)
            }
        }
    }
}

/// Does not run beside other tests that decode sound, because it kills every decoder that this process has started.
@Suite("Transcription while its processes are killed", .blocksThreads, .runsBesideFew)
struct TranscriptionKillTests {
    private let transcription = TranscriptionTests()

    @Test(
        "when the process is killed in the middle, the segment is transcribed again, and there is one transcript",
        arguments: StoragePair.allCases)
    func killedCampaign(_ pair: StoragePair) async throws {
        // The end-to-end tests cover a server that dies, on PostgreSQL.
        guard pair == .embedded || CampaignScale.isFull("transcription") else { return }
        try await TestServer.run(pair) {
            transcription.sphinx(&$0)
        } _: { server in
            let ada = try await server.person()
            let id = try await transcription.keep(try Voice.say(Voice.long), server, ada)
            // Kills the decoder and the engine once each, in the order in which they appear.
            var killed: Set<String> = []
            let end = ContinuousClock.now + .seconds(40)
            while ContinuousClock.now < end, killed.count < 2 {
                for process in ProcessTree(getpid()).members {
                    let line = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
                    for name in ["ffmpeg", "pocketsphinx_continuous"]
                    where line.hasPrefix("/") && line.contains("/\(name)\0") && killed.insert(name).inserted {
                        kill(process, SIGKILL)
                    }
                }
                if let waiting = try await transcription.jobs(server, .ready).first, waiting.runAt > server.clock.now {
                    server.clock.advance(by: waiting.runAt - server.clock.now)
                }
                try await Task.sleep(for: .milliseconds(3))
            }
            #expect(killed == ["ffmpeg", "pocketsphinx_continuous"])
            let capsule = try await transcription.settle(id, server)
            let text = try #require(capsule.transcription)
            #expect(Voice.wordErrorRate(said: Voice.long, heard: text) < 0.3, "\(text)")
            let again = try await server.person()
            let events = try await server.capsuleEvents(as: again)
            #expect(transcription.isOneTranscript(events))
            // There are at least two segments, and each is stored once.
            let progress = events.compactMap { $0.data["progress"] as? Double }
            #expect(progress.count >= 3 && progress == progress.sorted() && Set(progress).count == progress.count)
        }
    }
}
