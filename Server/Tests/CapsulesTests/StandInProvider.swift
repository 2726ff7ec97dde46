import Foundation
import Hummingbird
import Intelligence
import Logging
import MediaTools
import NIOCore
import ServiceLifecycle
import Synchronization
import TestKit

/// Serves OpenAI's `POST /v1/audio/transcriptions` on loopback, because the real service is not available to the tests. It
/// transcribes the audio it receives with pocketsphinx. A list of replies says which requests it refuses instead, and how.
final class StandInProvider: Sendable {
    enum Reply: Sendable {
        case transcribes
        case refuses(Int, headers: [String: String] = [:], body: String = #"{"error":{"message":"no","code":"server_error"}}"#)
        case says(String)
        /// Runs the closure before it answers with the text.
        case runs(@Sendable () async throws -> Void, says: String)
        /// Waits this number of seconds before it answers.
        case sleeps(Int)
    }

    struct Call: Sendable {
        let authorization: String?
        let fields: [String]
        let milliseconds: Int64
    }

    private struct State {
        var replies: [Reply]
        var calls: [Call] = []
    }

    private let state: Mutex<State>
    private let engine: PocketSphinxTranscriber

    private init(_ replies: [Reply], _ media: MediaWorkerOptions) {
        state = Mutex(State(replies: replies))
        engine = PocketSphinxTranscriber(tool: SandboxedTool(media), timeout: .seconds(60))
    }

    var calls: [Call] { state.withLock { $0.calls } }
    /// Sets how the next requests are answered.
    func reply(_ replies: [Reply]) { state.withLock { $0.replies = replies } }

    /// Runs a provider that answers its first requests as `replies` say and transcribes all later ones.
    static func run<T: Sendable>(
        _ replies: [Reply] = [], media: MediaWorkerOptions = .besideThisProgram,
        _ body: @Sendable (StandInProvider, _ url: String) async throws -> T
    ) async throws -> T {
        let provider = StandInProvider(replies, media)
        let router = Router()
        router.post("/v1/audio/transcriptions") { request, _ in try await provider.answer(request) }
        let logger = Logger(label: "provider") { _ in SwiftLogNoOpLogHandler() }
        let (ports, onPort) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in onPort.yield(channel.localAddress?.port ?? 0) }, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask(executorPreference: globalConcurrentExecutor) { try await group.run() }
            var iterator = ports.makeAsyncIterator()
            let port = await iterator.next() ?? 0
            let result: Result<T, any Error>
            do { result = .success(try await body(provider, "http://127.0.0.1:\(port)")) } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        let body = Data(try await request.body.collect(upTo: 64 << 20).readableBytesView)
        let (fields, samples) = Self.parts(body)
        let speech = Speech(samples: samples)
        let reply = state.withLock { state in
            state.calls.append(
                Call(
                    authorization: request.headers[.authorization], fields: fields, milliseconds: speech.milliseconds))
            return state.replies.isEmpty ? Reply.transcribes : state.replies.removeFirst()
        }
        switch reply {
        case .refuses(let status, let headers, let body):
            var response = Self.response(body, status: .init(code: status))
            for (name, value) in headers { response.headers[.init(name)!] = value }
            return response
        case .says(let text): return Self.response(text)
        case .runs(let work, let text):
            try await work()
            return Self.response(text)
        case .sleeps(let seconds):
            try await Task.sleep(for: .seconds(seconds))
            return Self.response("{}", status: .gatewayTimeout)
        case .transcribes:
            let segment = try await engine.transcribe(speech)
            let answer: [String: Any] = [
                "task": "transcribe", "language": "english", "duration": Double(speech.milliseconds) / 1_000, "text": segment.text,
                "words": segment.words.map { ["word": $0.text, "start": $0.start, "end": $0.end] as [String: Any] },
            ]
            return Self.response(String(decoding: try JSONSerialization.data(withJSONObject: answer), as: UTF8.self))
        }
    }

    private static func response(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// - Returns: The fields as `name=value`, and the samples after the 44-byte header of the WAV file.
    private static func parts(_ body: Data) -> ([String], [UInt8]) {
        let line = Data("\r\n".utf8)
        guard let end = body.range(of: line) else { return ([], []) }
        let delimiter = line + body[..<end.lowerBound]
        var fields: [String] = []
        var samples: [UInt8] = []
        var rest = (line + body)[...]
        while let start = rest.range(of: delimiter) {
            rest = rest[start.upperBound...]
            guard let next = rest.range(of: delimiter), let head = rest.range(of: Data("\r\n\r\n".utf8)) else { break }
            let header = String(decoding: rest[..<head.lowerBound], as: UTF8.self)
            let content = rest[head.upperBound..<next.lowerBound]
            let name = header.components(separatedBy: "name=\"").dropFirst().first?.prefix { $0 != "\"" } ?? ""
            if header.contains("filename=") {
                samples = Array(content.dropFirst(44))
                fields.append("\(name)=\(content.prefix(4) == Data("RIFF".utf8) ? "RIFF" : "?")")
            } else {
                fields.append("\(name)=\(String(decoding: content, as: UTF8.self))")
            }
        }
        return (fields, samples)
    }
}
