package import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Serves the streaming protocols of Gemini (`POST /v1beta/models/{model}:streamGenerateContent?alt=sse`), of OpenAI
/// (`POST /v1/chat/completions` with `stream`) and of LibreChat (`POST /api/agents/chat/{endpoint}`, `POST /api/files/images`) on loopback,
/// because the real services are not available to tests. A list of replies says how the next messages are answered; later ones get `usual`.
package final class ChatStandIn: Sendable {
    package enum Reply: Sendable {
        /// The model writes these pieces, with a pause before each.
        case writes([String], pause: Duration = .zero)
        /// The pieces depend on the texts that were sent.
        case thinks(@Sendable (_ prompt: String) -> [String])
        /// Another status, with a body as the providers send it.
        case refuses(Int, headers: [String: String] = [:])
        /// Writes these pieces, then nothing more.
        case hangs(after: [String])
        /// Writes these pieces, then half of an event, and closes the connection.
        case breaksOff(after: [String])
        /// Writes these pieces, then reports an error in the stream.
        case fails(after: [String])
        /// This body with the status 200, whatever the protocol says.
        case says(String)
    }

    /// A request as it came.
    package struct Call: Sendable {
        package let path: String
        /// Names in lower case.
        package let headers: [String: String]
        package let body: Data

        /// The texts that were sent to the model.
        package var texts: [String] { ChatProtocol(self).texts }
        /// Pictures, decoded.
        package var pictures: [Data] { ChatProtocol(self).pictures }
        package var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:] }
    }

    private struct State {
        var replies: [Reply] = []
        var usual: Reply
        var calls: [Call] = []
        var sentByteCount = 0
        var defers = false
        var deferred: [String: (Call, Reply)] = [:]
    }

    private let state: Mutex<State>
    package let url: String

    /// All requests, uploads of pictures included.
    package var calls: [Call] { state.withLock { $0.calls } }
    /// Bytes of the bodies of all responses so far.
    package var sentByteCount: Int { state.withLock { $0.sentByteCount } }

    package func reply(_ replies: [Reply], then usual: Reply? = nil) {
        state.withLock {
            $0.replies = replies
            if let usual { $0.usual = usual }
        }
    }

    /// Whether LibreChat answers a message with the id of a stream, as its recent versions do.
    package func setDefers(_ defers: Bool) { state.withLock { $0.defers = defers } }

    private init(_ usual: Reply, port: Int) {
        state = Mutex(State(usual: usual))
        url = "http://127.0.0.1:\(port)"
    }

    /// Runs a stand-in as long as `body`.
    package static func run<T: Sendable>(
        _ usual: Reply = .writes(["Hello", " there", "."]), _ body: @Sendable (ChatStandIn) async throws -> T
    ) async throws -> T {
        let box = Box()
        return try await StandInServer.run({ Handler(box) }) { port in
            let server = ChatStandIn(usual, port: port)
            box.server.withLock { $0 = server }
            return try await body(server)
        }
    }

    /// What to answer. The call of a stream determines the form of its events.
    fileprivate enum Answer {
        case stream(Call, Reply)
        case object(String)
        case refusal(Int, [String: String], String)
    }

    fileprivate func take(_ call: Call) -> Answer {
        state.withLock { state in
            state.calls.append(call)
            if call.path == "/api/files/images" {
                return .object(#"{"file_id":"f-\#(state.calls.count)","filepath":"/images/u/p.jpg","type":"image/jpeg"}"#)
            }
            if call.path.hasPrefix("/api/agents/chat/stream/") {
                guard let kept = state.deferred.removeValue(forKey: String(call.path.dropFirst("/api/agents/chat/stream/".count))) else {
                    return .refusal(404, [:], "{}")
                }
                return .stream(kept.0, kept.1)
            }
            let reply = state.replies.isEmpty ? state.usual : state.replies.removeFirst()
            if case .refuses(let status, let headers) = reply { return .refusal(status, headers, ChatProtocol(call).error(status)) }
            if state.defers, call.path.hasPrefix("/api/agents/chat/") {
                let id = "s-\(state.calls.count)"
                state.deferred[id] = (call, reply)
                return .object(#"{"streamId":"\#(id)","conversationId":"\#(id)","status":"started"}"#)
            }
            return .stream(call, reply)
        }
    }

    fileprivate func note(sent count: Int) { state.withLock { $0.sentByteCount += count } }

    fileprivate final class Box: Sendable {
        let server = Mutex<ChatStandIn?>(nil)
    }
}

extension ChatStandIn {
    fileprivate final class Handler: ChannelInboundHandler {
        typealias InboundIn = NIOHTTPServerRequestFull
        typealias OutboundOut = HTTPServerResponsePart

        private let box: Box

        init(_ box: Box) { self.box = box }

        /// What is left of a response.
        private struct Rest {
            var events: ArraySlice<String>
            var pause: TimeAmount
            /// Half an event, after which the connection closes.
            var half: String?
            var ends = true
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let request = unwrapInboundIn(data)
            guard let server = box.server.withLock({ $0 }) else { return context.close(promise: nil) }
            let call = Call(path: request.head.uri, headers: request.firstHeaders, body: request.data)
            switch server.take(call) {
            case .object(let text): whole(200, [:], text, server, context)
            case .refusal(let status, let headers, let text): whole(status, headers, text, server, context)
            case .stream(let asked, let reply): stream(asked, reply, server, context)
            }
        }

        private func stream(_ call: Call, _ reply: Reply, _ server: ChatStandIn, _ context: ChannelHandlerContext) {
            let form = ChatProtocol(call)
            var rest: Rest
            switch reply {
            case .writes(let pieces, let pause): rest = Rest(events: form.events(pieces, ends: true)[...], pause: TimeAmount(pause))
            case .thinks(let think):
                rest = Rest(events: form.events(think(call.texts.joined(separator: "\n")), ends: true)[...], pause: .zero)
            case .hangs(let pieces):
                rest = Rest(events: form.events(pieces, ends: false)[...], pause: .zero)
                rest.ends = false
            case .breaksOff(let pieces):
                rest = Rest(events: form.events(pieces, ends: false)[...], pause: .zero, half: #"data: {"candidates":[{"content":{"par"#)
            case .fails(let pieces): rest = Rest(events: (form.events(pieces, ends: false) + [form.failure])[...], pause: .zero)
            case .says(let text): rest = Rest(events: [text], pause: .zero)
            case .refuses: return context.close(promise: nil)
            }
            let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Type": "text/event-stream; charset=utf-8"])
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            step(rest, server, NIOLoopBound(context, eventLoop: context.eventLoop))
        }

        private func step(_ rest: Rest, _ server: ChatStandIn, _ bound: NIOLoopBound<ChannelHandlerContext>) {
            var rest = rest
            let context = bound.value
            guard let event = rest.events.popFirst() else {
                if let half = rest.half {
                    server.note(sent: half.utf8.count)
                    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: half)))), promise: nil)
                    // The connection ends a moment later, because an HTTP client may drop what it has not read yet when a connection ends
                    // in the middle of a response.
                    context.eventLoop.scheduleTask(in: .milliseconds(500)) { bound.value.close(promise: nil) }
                    return
                }
                if rest.ends { context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
                return
            }
            let later = rest
            let this = NIOLoopBound(self, eventLoop: context.eventLoop)
            let write: @Sendable () -> Void = {
                let context = bound.value
                guard context.channel.isActive else { return }
                server.note(sent: event.utf8.count)
                context.writeAndFlush(this.value.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: event)))), promise: nil)
                this.value.step(later, server, bound)
            }
            if rest.pause == .zero { write() } else { context.eventLoop.scheduleTask(in: rest.pause, write) }
        }

        private func whole(
            _ status: Int, _ headers: [String: String], _ text: String, _ server: ChatStandIn, _ context: ChannelHandlerContext
        ) {
            server.note(sent: text.utf8.count)
            context.respond(status, text, headers)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
