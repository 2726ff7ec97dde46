import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import TestKit
import TestThreads
import Testing

/// `make campaign NAME=models` tests the `openai` engine against a real llama.cpp server. Other test runs use stand-ins for the providers.
@Suite("Campaign: models", .blocksThreads)
struct ModelsCampaignTests {
    /// The most tokens of an answer. The model takes about a second for them.
    private static let tokens = 1_000

    @Test("a llama.cpp server answers in a conversation: whole, streamed, stopped, and over a history that is longer than its context")
    func llama() async throws {
        guard CampaignScale.isFull("models") else { return }
        let tools = try ServerProcess.run(["models"], binary: Repository.folder + "/scripts/python.sh")
        try #require(tools.status == 0, "\(tools.errors)")
        let folder = try TemporaryFolder()
        let python = tools.output.trimmingCharacters(in: .whitespacesAndNewlines) + "/python"
        let launcher = folder.path + "/llama"
        try "#!/bin/sh\nexec '\(python)' '\(Repository.folder)/Server/Tests/EndToEndTests/Models/llama.py' \"$@\"\n"
            .write(toFile: launcher, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: launcher)
        let llama = try ServerProcess(data: folder.path, binary: launcher)
        defer { llama.killNow() }
        let installation = try Installation(
            .embedded,
            settings: [
                "KEEPSAKE_CHAT_MODEL": "openai", "KEEPSAKE_CHAT_MODEL_URL": "http://127.0.0.1:\(llama.port)",
                "KEEPSAKE_CHAT_MODEL_MODEL": "tiny", "KEEPSAKE_CHAT_TOKENS": "\(Self.tokens)",
            ])
        let node = try installation.node("one")
        let chat = LlamaChat(port: node.port, person: try installation.person())

        let models = try await chat.object(.GET, "/api/chat/models")["models"] as? [[String: Any]] ?? []
        let isListed = models.contains { $0["model"] as? String == "tiny" && $0["isLocal"] as? Bool == false }
        #expect(isListed, "\(models)")

        // An answer that is sent as a whole.
        let first = try await chat.object(.POST, "/api/chat/agents/chat/openAI", chat.message("How was the lake?"))
        let answer = try #require(first["responseMessage"] as? [String: Any])
        let conversation = try #require(answer["conversationId"] as? String)
        let said = try #require(answer["text"] as? String)
        #expect(LlamaChat.isOfItsWords(said) && answer["model"] as? String == "tiny", "\(answer)")

        // A streamed answer: its deltas together are its text.
        var streamed = ""
        var last: [String: Any] = [:]
        try await chat.stream(chat.message("And the hills?", in: conversation)) { frame in
            streamed += LlamaChat.delta(frame)
            last = frame
            return true
        }
        let whole = (last["responseMessage"] as? [String: Any])?["text"] as? String
        #expect(last["final"] as? Bool == true && whole == streamed && LlamaChat.isOfItsWords(streamed), "\(last)")

        // An answer that is stopped after a few words. The test tries several answers, because the model may end one by itself before it is
        // stopped.
        var wasStopped = false
        for attempt in 0..<10 where !wasStopped {
            var deltas = 0
            var begun = ""
            try await chat.stream(chat.message("Question \(attempt)")) { frame in
                if let message = frame["message"] as? [String: Any] { begun = message["conversationId"] as? String ?? "" }
                if !LlamaChat.delta(frame).isEmpty { deltas += 1 }
                if deltas == 2 { _ = try await chat.object(.POST, "/api/chat/agents/chat/abort", ["conversationId": begun]) }
                last = frame
                return true
            }
            let end = last["responseMessage"] as? [String: Any]
            // An answer that reached its limit of tokens is unfinished, too, so this one must have fewer.
            wasStopped = end?["unfinished"] as? Bool == true && (2..<Self.tokens).contains(deltas)
        }
        #expect(wasStopped)

        // Each byte of these 30 messages is a token of this model, so messages of about 2,000 bytes each do not fit into 8,192 tokens. The
        // server cannot know that. It must report the refusal, and a new conversation must work.
        let long = String(repeating: "x", count: 2_000)
        var statuses: Set<UInt> = []
        for number in 0..<30 {
            statuses.insert(try await chat.status(chat.message("\(number) \(long)", in: conversation)))
        }
        #expect(statuses.isSubset(of: [200, 502, 503]), "\(statuses)")
        let fresh = try await chat.object(.POST, "/api/chat/agents/chat/openAI", chat.message("A new beginning"))
        #expect(LlamaChat.isOfItsWords((fresh["responseMessage"] as? [String: Any])?["text"] as? String ?? ""))

        // The ledger has the tokens that llama.cpp counted.
        let usage = try await chat.object(.GET, "/api/chat/usage")["usage"] as? [[String: Any]] ?? []
        let rows = usage.filter { $0["model"] as? String == "tiny" }
        let sum = { (name: String) in rows.reduce(0) { $0 + ($1[name] as? Int ?? 0) } }
        #expect(sum("requests") > 3 && sum("inputTokens") > 20 && sum("outputTokens") > 3 && sum("bytesSent") > 500, "\(usage)")
        print(
            """
            models: \(sum("requests")) requests to llama.cpp, \(sum("inputTokens")) tokens in and \(sum("outputTokens")) out; long histories \
            ended with \(statuses.sorted())
            """)
        node.killNow()
    }
}

/// A client of one person's chat.
private struct LlamaChat: Sendable {
    let port: Int
    let person: CampaignPerson

    func message(_ text: String, in conversation: String? = nil) -> [String: Any] {
        ["text": text, "messageId": UUID().uuidString, "conversationId": conversation ?? NSNull(), "model": "tiny"]
    }

    func object(_ method: HTTPMethod, _ path: String, _ body: [String: Any]? = nil) async throws -> [String: Any] {
        let response = try await send(method, path, body)
        let bytes = Data(buffer: try await response.body.collect(upTo: 1 << 24))
        try #require(response.status == .ok, "\(path): \(response.status) \(String(decoding: bytes, as: UTF8.self))")
        return try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:]
    }

    func status(_ body: [String: Any]) async throws -> UInt {
        let response = try await send(.POST, "/api/chat/agents/chat/openAI", body)
        _ = try await response.body.collect(upTo: 1 << 24)
        return UInt(response.status.code)
    }

    /// Reads the frames of an answer, until `take` returns `false`.
    func stream(_ body: [String: Any], _ take: ([String: Any]) async throws -> Bool) async throws {
        let response = try await send(.POST, "/api/chat/agents/chat/openAI", body, accept: "text/event-stream")
        try #require(response.status == .ok)
        try await response.events { event in
            try #require(event.name == "message", "\(event)")
            return try await take(try event.json())
        }
    }

    private func send(_ method: HTTPMethod, _ path: String, _ body: [String: Any]?, accept: String = "application/json") async throws
        -> HTTPClientResponse
    {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Accept", value: accept)
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
        }
        return try await campaignClient.execute(request, timeout: .seconds(300))
    }

    /// The text that a frame adds.
    static func delta(_ frame: [String: Any]) -> String {
        let delta = (frame["data"] as? [String: Any])?["delta"] as? [String: Any]
        return (delta?["content"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }.joined()
    }

    /// Whether most of the text is words of the model's vocabulary. A few single bytes may be among them.
    static func isOfItsWords(_ text: String) -> Bool {
        let words = Set(
            """
            the lake was calm and we walked along river until evening light over hills a boat came in with Ben Mira who had seen eleven \
            herons by jetty it is good to be here again
            """.split(separator: " "))
        let said = text.split(separator: " ")
        return !said.isEmpty && said.filter { words.contains($0) }.count * 2 >= said.count
    }
}
