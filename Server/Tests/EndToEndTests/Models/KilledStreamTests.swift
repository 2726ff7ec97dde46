import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestKit
import TestThreads
import Testing

/// The part of `make campaign NAME=streams` that kills processes, with 60 streams on each pair of stores. Other runs use 8 streams.
@Suite("Campaign: streams of a node that is killed", .blocksThreads)
struct KilledStreamTests {
    @Test(
        "streams of a node that is killed are resumed: each word comes once, and the answer is marked as unfinished",
        arguments: StoragePair.allCases)
    func killed(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("streams") else { return }
        let count = CampaignScale.isFull("streams") ? 60 : 8
        let words = (0..<200).map { "w\($0) " }
        try await ChatStandIn.run(.writes(words, pause: .milliseconds(30))) { standIn in
            let installation = try Installation(
                pair,
                settings: [
                    "KEEPSAKE_CHAT_MODEL": "openai", "KEEPSAKE_CHAT_MODEL_URL": standIn.url, "KEEPSAKE_CHAT_MODEL_MODEL": "m-1",
                ])
            let node = try installation.node("one")
            defer { node.killNow() }
            let second = try pair == .shared ? installation.node("two") : nil
            defer { second?.killNow() }
            let client = StreamClient(person: try installation.person())

            let port = node.port
            let begun = Counter()
            async let cut = withThrowingTaskGroup(of: StreamClient.Answer.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        var answer = StreamClient.Answer()
                        try? await client.begin(port: port, &answer) { if $0 == 5 { begun.add() } }
                        return answer
                    }
                }
                return try await group.reduce(into: [StreamClient.Answer]()) { $0.append($1) }
            }
            let end = ContinuousClock.now + .seconds(60)
            while begun.value < count, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
            node.killNow()
            let answers = try await cut

            let restarted = try second == nil ? installation.node("one") : nil
            defer { restarted?.killNow() }
            let other = try #require(second ?? restarted).port
            try await withThrowingTaskGroup(of: StreamClient.Answer.self) { group in
                for answer in answers {
                    group.addTask {
                        var answer = answer
                        try await client.resume(port: other, &answer)
                        return answer
                    }
                }
                for try await answer in group {
                    #expect(answer.pieces >= 5 && words.joined().hasPrefix(answer.text), "\(answer.text)")
                    let final = try #require(answer.final)
                    #expect(final.isUnfinished && words.joined().hasPrefix(final.text) && final.text.count < words.joined().count)
                }
            }
        }
    }
}

/// A counter that several tasks share.
private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

/// Reads answers of one person's chat, and resumes them.
private struct StreamClient: Sendable {
    let person: CampaignPerson

    /// What was read of an answer so far.
    struct Answer: Sendable {
        var conversation: String?
        var text = ""
        var pieces = 0
        /// The number of the last frame.
        var last: String?
        var final: (text: String, isUnfinished: Bool)?
    }

    struct NotAStream: Error {}

    /// Sends a message and reads the answer until its end, or until the connection is lost.
    /// - Parameter observe: gets the number of pieces after each piece.
    func begin(port: Int, _ answer: inout Answer, observe: (Int) -> Void) async throws {
        var request = request(port, "google")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        let message: [String: Any] = ["text": "Count", "messageId": UUID().uuidString]
        request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: message)))
        try await read(request, &answer, observe: observe)
    }

    /// Reads on where the answer was cut off, until its end. The answer ends when the lease of the killed node has expired.
    func resume(port: Int, _ answer: inout Answer) async throws {
        let conversation = try #require(answer.conversation)
        let end = ContinuousClock.now + .seconds(90)
        while answer.final == nil, ContinuousClock.now < end {
            var request = request(port, "stream/\(conversation)?resume=true")
            if let last = answer.last { request.headers.add(name: "Last-Event-ID", value: last) }
            try? await read(request, &answer)
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func request(_ port: Int, _ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/api/chat/agents/chat/\(path)")
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Accept", value: "text/event-stream")
        return request
    }

    private func read(_ request: HTTPClientRequest, _ answer: inout Answer, observe: (Int) -> Void = { _ in }) async throws {
        let response = try await campaignClient.execute(request, timeout: .seconds(120))
        guard response.status == .ok else { throw NotAStream() }
        var read = answer
        defer { answer = read }
        try await response.events { event in
            let frame = try event.json()
            if let id = event.id { read.last = id }
            if let message = frame["message"] as? [String: Any] { read.conversation = message["conversationId"] as? String }
            let delta = (frame["data"] as? [String: Any])?["delta"] as? [String: Any]
            for piece in delta?["content"] as? [[String: Any]] ?? [] {
                read.text += piece["text"] as? String ?? ""
                read.pieces += 1
                observe(read.pieces)
            }
            guard let response = frame["responseMessage"] as? [String: Any] else { return true }
            read.final = (response["text"] as? String ?? "", response["unfinished"] as? Bool == true)
            return false
        }
    }
}
