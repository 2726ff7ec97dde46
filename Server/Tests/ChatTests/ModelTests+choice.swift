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

/// Which of several providers answers.
extension ModelTests {
    @Test("the name in the path picks the provider, and a model counts only if that provider has it; any other name means the default")
    func choice() async throws {
        try await run(.openai) { settings in
            let base = settings.chat.providers[0].base
            settings.chat.providers.append(.init(engine: .gemini, base: base, key: Secret("key-canary"), models: ["g-1", "g-2"]))
        } _: { server, standIn, ada in
            let cases: [(endpoint: String, model: String?, sender: String, answers: String)] = [
                ("google", nil, "Gemini", "g-1"), ("GOOGLE", "g-2", "Gemini", "g-2"), ("gemini", "m-2", "Gemini", "g-1"),
                ("openAI", nil, "OpenAI", "m-1"), ("openAI", "m-2", "OpenAI", "m-2"), ("custom", "g-2", "OpenAI", "m-1"),
                ("anthropic", nil, "OpenAI", "m-1"), ("anthropic", "m-2", "OpenAI", "m-2"), ("local", "m-2", "Keepsake", "local"),
            ]
            for (endpoint, model, sender, answers) in cases {
                let answer = try await server.post(TestServer.body("What is new?", model: model), endpoint: endpoint, as: ada)
                let message = try answer.chat(ChatAnswer.self).responseMessage
                #expect(message.model == answers && message.sender == sender, "\(endpoint), \(model ?? "no model")")
            }
            let isOfGemini = standIn.calls.map { $0.path.hasPrefix("/v1beta/models/g-") }
            #expect(isOfGemini == [true, true, true, false, false, false, false, false])
        }
    }
}
