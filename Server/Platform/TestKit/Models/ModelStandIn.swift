package import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Serves the protocols of Gemini (`POST /v1beta/models/{model}:generateContent`) and of OpenAI (`POST /v1/chat/completions`) on loopback,
/// because the real services are not available to tests. A list of replies says how the next requests are answered; later ones get
/// `usual`.
package final class ModelStandIn: Sendable {
    package enum Reply: Sendable {
        /// The model writes this text; it is wrapped as the protocol of the request's path says.
        case writes(String)
        /// The model's text depends on the prompt.
        case thinks(@Sendable (_ prompt: String) -> String)
        /// Another status, with a body as the providers send it.
        case refuses(Int, headers: [String: String] = [:], body: String? = nil)
        /// This body with the status 200, whatever the protocol says.
        case says(String)
        /// The same without `Content-Length`.
        case saysInChunks(String)
        /// Accepts the request and never answers.
        case hangs
        /// Closes the connection in the middle of the response.
        case breaksOff
    }

    /// A request as it came.
    package struct Call: Sendable {
        package let path: String
        /// Names in lower case.
        package let headers: [String: String]
        package let body: Data

        /// The texts that were sent to the model: instruction and material.
        package var texts: [String] { ModelRequest(self).texts }
        /// Pictures and sounds, decoded, with their content type.
        package var files: [(type: String, bytes: Data)] { ModelRequest(self).files }
        package var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:] }
    }

    private struct State {
        var replies: [Reply]
        var usual: Reply
        var calls: [Call] = []
    }

    private let state: Mutex<State>
    package let url: String

    package var calls: [Call] { state.withLock { $0.calls } }
    package func reply(_ replies: [Reply], then usual: Reply? = nil) {
        state.withLock {
            $0.replies = replies
            if let usual { $0.usual = usual }
        }
    }

    private init(_ state: consuming Mutex<State>, port: Int) {
        self.state = state
        url = "http://127.0.0.1:\(port)"
    }

    /// Runs a stand-in as long as `body`.
    package static func run<T: Sendable>(
        _ replies: [Reply] = [], usual: Reply = .writes(ModelStandIn.analysis()), _ body: @Sendable (ModelStandIn) async throws -> T
    ) async throws -> T {
        let box = Box()
        return try await StandInServer.run({ Handler(box) }) { port in
            let server = ModelStandIn(Mutex(State(replies: replies, usual: usual)), port: port)
            box.server.withLock { $0 = server }
            return try await body(server)
        }
    }

    fileprivate func take(_ call: Call) -> Reply {
        state.withLock { state in
            state.calls.append(call)
            return state.replies.isEmpty ? state.usual : state.replies.removeFirst()
        }
    }

    /// The JSON of an analysis, as the analyzers ask for it.
    package static func analysis(
        imageSummary: String? = nil, themes: [String] = [], mood: String? = nil, location: String? = nil,
        faces: [(description: String, name: String?)] = [], confidence: Double = 0.5, names: [String] = [], keyMoment: String? = nil,
        imageText: String? = nil
    ) -> String {
        func orNull(_ text: String?) -> Any { text ?? NSNull() }
        let object: [String: Any] = [
            "imageSummary": orNull(imageSummary), "themes": themes, "mood": orNull(mood), "location": orNull(location),
            "detectedFaces": faces.map {
                ["description": $0.description, "possibleName": orNull($0.name), "confidence": confidence] as [String: Any]
            },
            "mentionedNames": names, "keyMoment": orNull(keyMoment), "imageText": orNull(imageText),
        ]
        return (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }

    fileprivate final class Box: Sendable {
        let server = Mutex<ModelStandIn?>(nil)
    }
}

extension ModelStandIn {
    fileprivate final class Handler: ChannelInboundHandler {
        typealias InboundIn = NIOHTTPServerRequestFull
        typealias OutboundOut = HTTPServerResponsePart

        private let box: Box

        init(_ box: Box) { self.box = box }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let request = unwrapInboundIn(data)
            guard let server = box.server.withLock({ $0 }) else { return context.close(promise: nil) }
            let call = Call(path: request.head.uri, headers: request.firstHeaders, body: request.data)
            switch server.take(call) {
            case .writes(let text): context.respond(200, ModelRequest(call).response(text))
            case .thinks(let think):
                context.respond(200, ModelRequest(call).response(think(call.texts.joined(separator: "\n"))))
            case .refuses(let status, let headers, let body):
                context.respond(status, body ?? ModelRequest(call).error(status), headers)
            case .says(let text): context.respond(200, text)
            case .saysInChunks(let text):
                context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok))), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            case .hangs: break
            case .breaksOff:
                let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "100000"])
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "{\"candidates\"")))), promise: nil)
                context.close(promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
