internal import Core
internal import NIOCore
internal import NIOFoundationCompat
internal import Outbound
internal import Synchronization

/// Limits for the times and sizes of a chat model's calls.
package struct ChatCallLimits: Sendable {
    /// The longest time between two pieces of an answer; default 60 s.
    package var silence: Duration = .seconds(60)
    /// The longest pause before the retry; default 10 s. A provider that asks for a longer one is not called again.
    package var longestPause: Duration = .seconds(10)
    /// The pause before the retry, when the provider names none; default 1 s.
    package var pause: Duration = .seconds(1)
    /// The largest answer, including its protocol, in bytes; default 16 MiB.
    package var byteCount = 16 << 20
    /// Waits before a retry; tests inject their own.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    package init() {}
}

extension ProviderClient {
    /// Sends `body`, which is JSON, and passes each event of the answer to `read`. A response that is one JSON object and no stream counts
    /// as one event. After 429 or a 5xx it waits and tries once more.
    /// - Parameter body: `nil` sends a GET request.
    /// - Throws: `ChatFailure`; the errors of `body` and `read`; an error of the database; `CancellationError`.
    func events(
        _ body: Body?, path: String, owner: String?, _ limits: ChatCallLimits,
        _ read: @escaping @Sendable (ServerSentEvents.Event, Received) async throws -> Void
    ) async throws {
        let request = Request(
            path: path, contentType: "application/json", body: body, purpose: owner == nil ? "probe" : "chat", owner: owner,
            maxByteCount: limits.byteCount)
        try await retrying(limits) { [self] in
            let events = Mutex(ServerSentEvents())
            let object = Mutex(ByteBuffer())
            let received = Received()
            try await stream(request, silence: limits.silence, received) { bytes in
                let isObject = object.withLock { object in
                    guard object.readableBytes > 0 || received.isFirst && bytes.readableBytesView.first == UInt8(ascii: "{") else {
                        return false
                    }
                    object.writeImmutableBuffer(bytes)
                    return true
                }
                guard !isObject else { return }
                let complete: [ServerSentEvents.Event]
                do {
                    complete = try events.withLock { try $0.receive(bytes) }
                } catch {
                    throw ProviderFailure.unusable("\(self.address.engine)'s response does not follow the protocol")
                }
                for event in complete { try await read(event, received) }
            }
            let text = object.withLock { String(buffer: $0) }
            if !text.isEmpty { try await read(ServerSentEvents.Event(data: text), received) }
        }
    }

    /// Runs a call, and repeats it once if the provider answers 429 or a 5xx.
    /// - Throws: `ChatFailure` for a `ProviderFailure`; the errors of `call`.
    func retrying<T: Sendable>(_ limits: ChatCallLimits, _ call: @Sendable () async throws -> T) async throws -> T {
        do {
            return try await call()
        } catch let failure as ProviderFailure {
            let pause = failure.after ?? limits.pause
            guard let status = failure.status, status == 429 || status >= 500, pause <= limits.longestPause else {
                throw ChatFailure(failure)
            }
            try await limits.sleep(pause)
            do {
                return try await call()
            } catch let failure as ProviderFailure {
                throw ChatFailure(failure)
            }
        }
    }
}

extension ChatFailure {
    init(_ failure: ProviderFailure) {
        self.init(failure.description, isRefusal: failure.isPermanent, after: failure.after, isAway: failure.isAway)
    }

    /// A reason that a provider names, in parentheses, if it is a word of letters and underscores: anything else could quote the
    /// conversation.
    static func word(_ reason: String?) -> String {
        guard let reason, (1...40).contains(reason.utf8.count),
            reason.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F })
        else { return "" }
        return " (\(reason))"
    }
}
