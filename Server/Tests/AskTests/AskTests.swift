import Core
import Database
import Foundation
import Intelligence
import KeepsakeWire
import TestKit
import TestThreads
import Testing
import Web

@testable import Ask
@testable import FeatureTestKit
@testable import keepsake

@Suite("Asking", .blocksThreads)
struct AskTests {
    /// 2026-11-22T12:00:00Z, a Sunday.
    private static let now = Timestamp(seconds: 1_795_348_800)

    private func run(
        _ engine: Engine = .sqlite, _ change: (inout Settings) -> Void = { _ in },
        _ test: @Sendable (TestServer, TestServer.Person) async throws -> Void
    ) async throws {
        try await TestServer.run(engine, clock: TestClock(Self.now), change) { server in try await test(server, try await server.person()) }
    }

    private func keep(_ title: String, _ at: String, _ server: TestServer, _ person: TestServer.Person) async throws {
        let answer = try await server.create("events", [("title", title), ("date", at)], as: person)
        try #require(answer.status == 200, "\(answer.text)")
    }

    private func keepSome(_ server: TestServer, _ person: TestServer.Person) async throws {
        for (title, at) in [
            ("Just met with John at the coffee shop to discuss the project.", "2026-11-20T10:30:00Z"),
            ("Nora sent a postcard from the lighthouse.", "2026-11-20T18:00:00Z"),
            ("Bought a bicycle from a retired postman.", "2026-11-21T09:00:00Z"),
            ("The garden was full of yellow flowers.", "2026-06-14T09:00:00Z"),
        ] { try await keep(title, at, server, person) }
        let mood = try await server.create("moods", [("mood", "happy"), ("note", "John baked bread. It was too dark.")], as: person)
        try #require(mood.status == 200, "\(mood.text)")
    }

    private func ask(_ text: String, with more: [String: Any] = [:], _ server: TestServer, _ person: TestServer.Person) async throws
        -> AskResponse
    {
        let answer = try await server.sendJSON(
            "POST", server.moments(person, "ask"), more.merging(["text": text]) { own, _ in own }, as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.decode(AskResponse.self)
    }

    @Test("an answer quotes entries of every kind with their times, and nobody else's", arguments: Engine.allCases)
    func quotes(_ engine: Engine) async throws {
        try await run(engine) { server, ada in
            try await keepSome(server, ada)
            let found = try await ask("When did I meet John at the coffee shop?", server, ada)
            #expect(found.answer == "On 2026-11-20 at 10:30: Just met with John at the coffee shop to discuss the project.")
            #expect(found.engine == "local" && found.confidence > 0.5 && found.sources.first?.kind == "event")
            let source = try #require(found.sources.first)
            let scalars = Array(source.text.unicodeScalars)
            let marked = source.marks.map { mark in
                String(String.UnicodeScalarView(scalars[mark[0]..<mark[0] + mark[1]]))
            }
            #expect(Set(marked).isSuperset(of: ["met", "John", "coffee", "shop"]))
            let bread = try await ask("What did John bake?", server, ada)
            #expect(bread.sources.map(\.kind) == ["mood"] && bread.sources.first?.text == "John baked bread.")
            let eve = try await server.person("eve")
            let none = try await ask("When did I meet John at the coffee shop?", server, eve)
            #expect(none.sources == [] && none.confidence == 0 && none.answer == AnswerFrame.nothing)
            let foreign = try await server.sendJSON("POST", server.moments(ada, "ask"), ["text": "John?"], as: eve)
            #expect(foreign.status == 403 && !foreign.text.contains("coffee"))
            // Two entries have the same minute and the same words. The answer has one line for both, but two sources.
            for _ in 0..<2 { try await keep("The kayak stands in the shed.", "2026-11-19T08:00:00Z", server, ada) }
            let twice = try await ask("Where does the kayak stand in the shed?", server, ada)
            #expect(twice.answer == "On 2026-11-19 at 08:00: The kayak stands in the shed.")
            #expect(twice.sources.count == 2 && Set(twice.sources.map(\.id)).count == 2)
        }
    }

    @Test("sentences are quoted before titles and tags, and a question about the past is answered by the past", arguments: Engine.allCases)
    func lake(_ engine: Engine) async throws {
        try await run(engine) { server, ada in
            let memory = try await server.create(
                "memories",
                [
                    ("title", "The lake"), ("description", "It was warm. We swam at the lake until dark."), ("tags", "lake,summer"),
                    ("createdAt", "1750000000"),
                ], as: ada)
            try #require(memory.status == 200, "\(memory.text)")
            try await keep("Regatta at the lake", "2027-06-01T09:00:00Z", server, ada)
            try await keep("Concert at the lake", "2028-06-01T09:00:00Z", server, ada)
            var photo = MultipartBody()
            photo.add("tags", "lake")
            photo.add("file", fileName: "a.jpg", try Fixture.data("photo.jpg"))
            photo.close()
            try #require(try await server.upload(photo, as: ada).status == 200)
            server.clock.advance(by: .seconds(60))
            let past = try await ask("When were we at the lake?", server, ada)
            #expect(past.answer.hasPrefix("On 2025-06-15 at 15:06: We swam at the lake until dark.\n"), "\(past.answer)")
            #expect(past.sources.map(\.kind) == ["memory", "file", "event"])
            let future = try await ask("What is next at the lake?", server, ada)
            #expect(Array(future.sources.map(\.text).prefix(2)) == ["Regatta at the lake", "Concert at the lake"])
            // The question is about the past, but it also finds an entry in the future.
            #expect(try await ask("When was the regatta?", server, ada).sources.map(\.text) == ["Regatta at the lake"])
        }
    }

    @Test("days are the user's, and without a source there is no claim")
    func days() async throws {
        try await run { server, ada in
            try await keepSome(server, ada)
            #expect(
                try await ask("What happened yesterday?", server, ada).sources.map(\.text) == ["Bought a bicycle from a retired postman."])
            let friday = try await ask("What did I do on Friday?", server, ada)
            #expect(friday.sources.count == 2)
            let june = try await ask("What was in the garden in June?", server, ada)
            #expect(june.sources.map(\.text) == ["The garden was full of yellow flowers."])
            let range = try await ask("John", with: ["from": "2026-11-20", "to": "2026-11-20", "kind": "event"], server, ada)
            #expect(range.sources.map(\.kind) == ["event"])
            for question in [
                "When did I visit Tokyo?", "What did Zoltan say about the bicycle?", "What did John say about the submarine?",
                "What happened on 3 March 2019?", "!", "What?",
            ] {
                let none = try await ask(question, server, ada)
                #expect(none.sources == [] && none.confidence == 0 && none.answer == AnswerFrame.nothing, "\(question)")
            }
        }
    }

    @Test("what is next is answered by the next events, the soonest first; tomorrow has events of its own", arguments: Engine.allCases)
    func coming(_ engine: Engine) async throws {
        try await run(engine) { server, ada in
            try await keepSome(server, ada)
            try await keep("Concert in the park", "2027-06-01T09:00:00Z", server, ada)
            try await keep("The dentist looks at the crown.", "2026-11-23T09:00:00Z", server, ada)
            try await keep("The choir sings.", "2026-11-27T18:00:00Z", server, ada)
            try await keep("The choir sang.", "2026-11-20T19:00:00Z", server, ada)
            let next = ["The dentist looks at the crown.", "The choir sings.", "Concert in the park"]
            #expect(try await ask("What is next?", server, ada).sources.map(\.text) == next)
            #expect(try await ask("What is coming up?", server, ada).sources.map(\.text) == next)
            #expect(try await ask("What happens tomorrow?", server, ada).sources.map(\.text) == [next[0]])
            #expect(try await ask("What happens on Friday?", server, ada).sources.map(\.text) == [next[1]])
            #expect(try await ask("What did the choir do on Friday?", server, ada).sources.map(\.text) == ["The choir sang."])
            #expect(try await ask("When is the concert in June?", server, ada).sources.map(\.text) == [next[2]])
        }
    }

    @Test("a question about a day has up to eight sources, those with sentences first; one with telling words has three")
    func manyOfADay() async throws {
        try await run { server, ada in
            for hour in 1...9 { try await keep("The parrot said word \(hour).", "2026-11-21T0\(hour):00:00Z", server, ada) }
            // These entries are later than the events, and they have no sentence.
            for number in 0..<8 {
                let mood = try await server.create("moods", [("mood", "fine"), ("createdAt", String(1_795_255_200 + number))], as: ada)
                try #require(mood.status == 200, "\(mood.text)")
            }
            let day = try await ask("What did I do yesterday?", server, ada)
            #expect(day.sources.map(\.text) == (2...9).reversed().map { "The parrot said word \($0)." })
            #expect(day.answer.split(separator: "\n").count == 8)
            #expect(try await ask("What did the parrot say yesterday?", server, ada).sources.count == 3)
        }
    }

    @Test("a question about one kind of a day's entries reads these, however many others the day has", arguments: Engine.allCases)
    func oneKind(_ engine: Engine) async throws {
        try await run(engine) { server, ada in
            try await keep("Bought a bicycle from a retired postman.", "2026-11-21T09:00:00Z", server, ada)
            // The moods are from 10:00 UTC on, after the event.
            for number in 0..<100 {
                let mood = try await server.create("moods", [("mood", "fine"), ("createdAt", String(1_795_255_200 + number))], as: ada)
                try #require(mood.status == 200, "\(mood.text)")
            }
            let found = try await ask("What happened yesterday?", with: ["kind": "event"], server, ada)
            #expect(found.sources.map(\.text) == ["Bought a bicycle from a retired postman."])
        }
    }

    @Test("bad input gives 400 and names the field")
    func refusals() async throws {
        try await run { server, ada in
            for (body, field) in [
                (["text": ""], "text"), ([:], "text"), (["text": String(repeating: "a", count: 1_001)], "text"),
                (["text": "John", "kind": "nonsense"], "kind"), (["text": "John", "from": "soon"], "from"),
                (["text": "John", "from": "2026-11-21", "to": "2026-11-01"], "from"),
            ] as [([String: Any], String)] {
                let answer = try await server.sendJSON("POST", server.moments(ada, "ask"), body, as: ada)
                #expect(answer.status == 400 && answer.text.contains(field), "\(body): \(answer.text)")
            }
        }
    }

    @Test("on a socket, a follow-up keeps day and person for ten minutes; errors leave the socket open")
    func socket() async throws {
        try await run { server, ada in
            try await keepSome(server, ada)
            let socket = try WebSocketClient(port: server.port, path: "/ws/query/\(ada.id)", headers: [ada.bearer])
            func reply(_ text: String) throws -> [String: Any] {
                try socket.send(text)
                let frame = try socket.nextMessage()
                return try #require(try JSONSerialization.jsonObject(with: Data(frame.payload)) as? [String: Any])
            }
            #expect(try reply("{")["error"] as? String == "invalid_json")
            #expect(try reply("[]")["error"] as? String == "invalid_json")
            let marks = String(repeating: "\u{301}", count: 1_000)
            #expect(try reply(#"{"text":"Where did I meet John?","\#(marks)":1}"#)["error"] as? String == "invalid_json")
            #expect(try reply(#"{"text":" "}"#)["error"] as? String == "missing_text")
            for (member, name) in [
                (#""maxImages":"3""#, "maxImages"), (#""dateRange":"today""#, "dateRange"), (#""dateRange":{"end":5}"#, "dateRange.end"),
            ] {
                let refused = try reply(#"{"text":"x",\#(member)}"#)
                #expect(refused["error"] as? String == "invalid_json", "\(member)")
                #expect(refused["detail"] as? String == "\(name) has the wrong type.", "\(member)")
            }
            for (range, detail) in [
                (#""start":"soon""#, "dateRange.start must be a day, 2026-12-31, or ISO 8601."),
                (#""end":"soon""#, "dateRange.end must be a day, 2026-12-31, or ISO 8601."),
                (#""start":"2026-11-21","end":"2026-11-01""#, "dateRange.start is not before dateRange.end."),
            ] {
                let refused = try reply(#"{"text":"x","dateRange":{\#(range)}}"#)
                #expect(refused["error"] as? String == "query_failed" && refused["detail"] as? String == detail, "\(range)")
            }
            let vague = try reply(#"{"text":"What happened?"}"#)
            #expect(vague["type"] as? String == "clarification_needed" && vague["ok"] as? Bool == true && vague["options"] is [String])
            let first = try reply(#"{"text":"Where did I meet John?"}"#)
            #expect(first["type"] as? String == "response" && first["ok"] as? Bool == true && first["audioURL"] is NSNull)
            #expect((first["queryId"] as? String)?.count == 8)
            let sources = try #require(first["sources"] as? [[String: Any]])
            #expect(sources.first?["kind"] as? String == "event" && sources.first?["captureId"] is String)
            #expect((sources.first?["timestamp"] as? String) == "2026-11-20T10:30:00.000Z")
            #expect((sources.first?["summary"] as? String)?.contains("coffee shop") == true && first["attachedImages"] == nil)
            // The question names nobody, so it continues the question about John.
            let second = try reply(#"{"text":"And what about bread?"}"#)
            #expect((second["answer"] as? String)?.contains("John baked bread.") == true)
            server.clock.advance(by: .seconds(601))
            let later = try reply(#"{"text":"And the project?"}"#)
            #expect((later["sources"] as? [[String: Any]])?.isEmpty == false)
            let nothing = try reply(#"{"text":"When did I visit Tokyo?"}"#)
            #expect((nothing["sources"] as? [Any])?.isEmpty == true && nothing["confidence"] as? Double == 0)
            try socket.close()
        }
    }

    @Test("a photo of the library and an event are sources with their pictures, a film without one", arguments: Engine.allCases)
    func pictures(_ engine: Engine) async throws {
        try await run(engine) { server, ada in
            for (title, name, fixture) in [
                ("The lighthouse at dusk", "a.jpg", "photo.jpg"), ("Waves at the harbour", "a.mp4", "moov-first.mp4"),
            ] {
                var body = MultipartBody()
                body.add("title", title)
                body.add("file", fileName: name, try Fixture.data(fixture))
                body.close()
                try #require(try await server.upload(body, as: ada).status == 200)
            }
            let event = [("title", "Picnic below the cherry tree"), ("date", "2026-05-01T10:00:00Z")]
            try #require(try await server.create("events", event, files: [.photo], as: ada).status == 200)
            let socket = try WebSocketClient(port: server.port, path: "/ws/query/\(ada.id)", headers: [ada.bearer])
            func answer(_ text: String) throws -> (kind: String?, url: String?, images: [String]?) {
                try socket.send(#"{"text":"\#(text)"}"#)
                let frame = try socket.nextMessage()
                let reply = try #require(try JSONSerialization.jsonObject(with: Data(frame.payload)) as? [String: Any])
                let source = try #require((reply["sources"] as? [[String: Any]])?.first)
                return (source["kind"] as? String, source["url"] as? String, reply["attachedImages"] as? [String])
            }
            let sent = try Fixture.data("photo.jpg")
            for (question, kind) in [
                ("Where is the lighthouse at dusk?", "file"), ("Who was at the picnic below the cherry tree?", "event"),
            ] {
                let found = try answer(question)
                let url = try #require(found.url, "\(question)")
                #expect(found.kind == kind && found.images == [url])
                // The link is signed, so it needs no credential.
                #expect(try await server.send("GET", url).body == sent)
            }
            let film = try answer("Where are the waves at the harbour?")
            #expect(film.kind == "file" && film.url == nil && film.images == nil)
            try socket.close()
        }
    }

    @Test("messages on a socket count as reads, also those that are not valid, so that a fast sender is read more slowly")
    func pace() async throws {
        try await run(.sqlite) { settings in
            var limits = RateLimits()
            limits.read = Rate(perMinute: 60, burst: 20)
            settings.rateLimits = limits
        } _: { server, ada in
            let socket = try WebSocketClient(port: server.port, path: "/ws/query/\(ada.id)", headers: [ada.bearer], timeout: 3)
            for _ in 0..<60 { try socket.send("{") }
            // The clock stands still, so the bucket does not refill.
            var replyCount = 0
            while (try? socket.nextMessage()) != nil { replyCount += 1 }
            #expect((1...20).contains(replyCount), "\(replyCount)")
            socket.connection.close()
        }
    }

    @Test("a socket of another user, or without a credential, is refused before the upgrade")
    func strangers() async throws {
        try await run { server, ada in
            let eve = try await server.person("eve")
            for (headers, status) in [([eve.bearer], 403), ([], 401)] {
                do {
                    _ = try WebSocketClient(port: server.port, path: "/ws/query/\(ada.id)", headers: headers)
                    Issue.record("the socket opened")
                } catch let refused as WebSocketClient.Refused {
                    #expect(refused.answer.status == status)
                }
            }
        }
    }

    @Test(
        "a model's quotes count only when they stand in the source that it names; it is not asked for users who refuse",
        arguments: ["gemini", "openai"])
    func model(_ provider: String) async throws {
        try await ModelStandIn.run { model in
            try await run(.sqlite) { settings in
                settings.analyzer.model = .init(
                    engine: provider == "gemini" ? .gemini : .openai, base: model.url, key: Secret("k-geheim"), model: "m")
            } _: { server, ada in
                try await keepSome(server, ada)
                func cited(_ quotes: [(Int, String)]) -> String {
                    let list = quotes.map { #"{"source":\#($0.0),"sentence":"\#($0.1)"}"# }.joined(separator: ",")
                    return #"{"quotes":[\#(list)]}"#
                }
                let question = "Where did I meet John?"
                model.reply([.writes(cited([(1, "Just met with John at the coffee shop to discuss the project."), (1, "He proposed.")]))])
                let good = try await ask(question, server, ada)
                #expect(good.engine == provider && good.answer.contains("coffee shop") && !good.answer.contains("proposed"))
                #expect(model.calls.count == 1 && model.calls[0].texts.joined().contains("coffee shop"))
                // Control: these models only invent or fail. The local engine answers instead, and the answer contains nothing that a model
                // invented.
                for reply in [
                    ModelStandIn.Reply.writes(cited([(1, "They eloped to Peru."), (99, "x"), (0, "x"), (.min, "x"), (.max, "x")])),
                    .writes("nonsense"), .refuses(500),
                ] {
                    model.reply([reply])
                    let answer = try await ask(question, server, ada)
                    #expect(answer.engine == "local" && !answer.answer.contains("Peru") && answer.answer.contains("coffee shop"))
                }
                model.reply([.writes(cited([]))])
                #expect(try await ask(question, server, ada).sources == [])
                let before = model.calls.count
                let refused = try await server.sendJSON("PATCH", "/user/me", ["outside_engines": false], as: ada)
                #expect(refused.status == 200)
                let local = try await ask(question, server, ada)
                #expect(local.engine == "local" && local.answer.contains("coffee shop") && model.calls.count == before)
                let rows = try await server.backend.database.read { tx in
                    try tx.rows("SELECT purpose FROM engine_call WHERE owner = \(ada.id)").count
                }
                #expect(rows == before)
            }
        }
    }

    @Test("every line of an answer is a quote in a frame, and an invented line is caught")
    func grounded() throws {
        let sources = ["Just met with John. It was short."]
        let zone = TimeZone.gmt
        let answer = AnswerFrame.quote(at: Self.now, "It was short.", zone)
        #expect(answer == "On 2026-11-22 at 12:00: It was short.")
        #expect(Grounding.ungrounded(answer, sources: sources, frames: AnswerFrame.rest) == [])
        #expect(Grounding.ungrounded(AnswerFrame.nothing, sources: [], frames: AnswerFrame.rest) == [])
        let invented = answer + "\nOn 2026-11-22 at 12:00: It was long.\nHe left."
        #expect(Grounding.ungrounded(invented, sources: sources, frames: AnswerFrame.rest).count == 2)
    }
}
