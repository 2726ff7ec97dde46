import Core
import FeatureKit
import Foundation
import Intelligence
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// Limits on tokens, time and pictures.
extension ModelTests {
    @Test("each provider is told the longest answer in tokens", arguments: ChatSettings.Named.allCases)
    func tokens(_ named: ChatSettings.Named) async throws {
        try await run(named) { settings in
            settings.features[ChatFeature.tokens] = 321
        } _: { server, standIn, ada in
            _ = try await server.say("What is new?", as: ada)
            let json = try #require(standIn.calls.last).json
            let limit: Any? =
                switch named {
                case .gemini: (json["generationConfig"] as? [String: Any])?["maxOutputTokens"]
                case .openai: json["max_tokens"]
                case .librechat: json["maxOutputTokens"]
                }
            #expect(limit as? Int == 321)
        }
    }

    @Test("an answer has a limited time, however often its model is asked; the message can be sent again")
    func timeout() async throws {
        try await run(.openai) { settings in
            settings.chat.limits.silence = .seconds(30)
            settings.chat.tuning.timeout = .seconds(3)
            // Each call has the same time limit as the answer. Because of this pause, the limit of the second call ends later than that of
            // the answer.
            settings.chat.limits.sleep = { _ in try await Task.sleep(for: .milliseconds(800)) }
        } _: { server, standIn, ada in
            standIn.reply([.refuses(503), .hangs(after: ["Hel"])])
            let late = try await server.post(TestServer.body("Hello", id: "m-1"), as: ada)
            #expect(late.status == 503 && late.header("Retry-After") == nil, "\(late.text)")
            #expect(try late.json()["message"] as? String == "The model took too long.")
            let conversation = try #require(try await server.conversations(as: ada).first).conversationId
            let answer = try #require(try await server.messages(conversation, as: ada).last)
            #expect(answer.unfinished && answer.error)
            standIn.reply([])
            #expect(try await server.say("Hello", id: "m-1", as: ada).responseMessage.text == "Hello wörld.")
        }
    }

    @Test("of nine pictures eight are sent, and one that is wider than 2,048 pixels is made smaller", arguments: StoragePair.allCases)
    func pictures(_ pair: StoragePair) async throws {
        try await run(.openai, on: pair.engine) { server, standIn, ada in
            let folder = try TemporaryFolder()
            let wide = folder.path + "/wide.png"
            try Tool.run("vips", ["black", wide, "2500", "20", "--bands", "3"])
            var files = [try await server.chatUpload("0.png", Data(contentsOf: URL(filePath: wide)), as: ada).decode(ChatFileObject.self)]
            let small = try Fixture.data("palette.png")
            for number in 1...8 {
                files.append(try await server.chatUpload("\(number).png", small, as: ada).decode(ChatFileObject.self))
            }
            _ = try await server.say("What is in these?", files: files, as: ada)
            let pictures = standIn.calls.flatMap(\.pictures)
            #expect(pictures.count == 8)
            var widths: [Int] = []
            for (number, picture) in pictures.enumerated() {
                let path = "\(folder.path)/sent-\(number).jpg"
                try picture.write(to: URL(filePath: path))
                let width = try Tool.run("vipsheader", ["-f", "width", path]).trimmingCharacters(in: .whitespacesAndNewlines)
                widths.append(try #require(Int(width)))
            }
            let smallCount = widths.count { $0 == 64 }
            #expect(smallCount == 7 && (2_040...2_048).contains(widths.max() ?? 0), "\(widths)")
        }
    }

    @Test("a retry sends the same pictures again", arguments: [ChatSettings.Named.gemini, .openai])
    func retriedPictures(_ named: ChatSettings.Named) async throws {
        try await run(named) { server, standIn, ada in
            let picture = try await server.chatUpload("0.png", Fixture.data("palette.png"), as: ada).decode(ChatFileObject.self)
            standIn.reply([.refuses(503)])
            #expect(try await server.say("What is this?", files: [picture], as: ada).responseMessage.text == "Hello wörld.")
            let sent = standIn.calls.map(\.pictures)
            #expect(sent.count == 2 && sent.first?.count == 1 && sent.first == sent.last)
        }
    }

    @Test(
        "an answer that reached its longest length is unfinished, and the message can be sent again",
        arguments: ChatSettings.Named.allCases)
    func cutShort(_ named: ChatSettings.Named) async throws {
        try await run(named) { server, standIn, ada in
            standIn.reply([.says(Self.shortAnswer(named))])
            let short = try await server.say("One", id: "m-1", as: ada)
            #expect(short.responseMessage.text == "Hel" && short.responseMessage.unfinished && !short.responseMessage.error)
            let again = try await server.say("One", id: "m-1", as: ada)
            #expect(again.responseMessage.text == "Hello wörld." && !again.responseMessage.unfinished)
            #expect(again.responseMessage.messageId == short.responseMessage.messageId && standIn.calls.count == 2)
            // A repeat does not replace a whole answer.
            #expect(try await server.say("One", id: "m-1", as: ada) == again && standIn.calls.count == 2)
        }
    }

    /// A stream with the text `Hel`, after which the model reached its limit.
    private static func shortAnswer(_ named: ChatSettings.Named) -> String {
        switch named {
        case .gemini:
            #"data: {"candidates":[{"content":{"parts":[{"text":"Hel"}],"role":"model"},"finishReason":"MAX_TOKENS"}]}"# + "\n\n"
        case .openai:
            #"data: {"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":"length"}]}"# + "\n\ndata: [DONE]\n\n"
        case .librechat:
            "event: message\n"
                + #"data: {"event":"on_message_delta","data":{"id":"s","delta":{"content":[{"type":"text","text":"Hel"}]}}}"#
                + "\n\nevent: message\n"
                + #"data: {"final":true,"responseMessage":{"messageId":"a","text":"Hel","unfinished":true}}"# + "\n\n"
        }
    }
}
