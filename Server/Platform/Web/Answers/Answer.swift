import Blobs
import Core
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore

/// Writes every response body that is large or of unknown size: files, variants, archives, long JSON. It holds a bounded number of bytes in
/// memory, whatever the size of the body and however slowly the client reads.
final class Answer: Sendable {
    private let slot: AnswersInFlight.Slot
    private let channel: any Channel
    private let pump: NIOLoopBoundBox<AnswerPump>

    /// Call this when the writing of the body begins, because the connection is known only then.
    init(_ slot: AnswersInFlight.Slot, _ answers: AnswersInFlight, on channel: any Channel, limits: ChannelLimits) {
        self.slot = slot
        self.channel = channel
        let connection = Connection.current
        let window = AnswerWindow(slot, answers, connection, limits)
        let regions = RegionSize(connection, limits)
        let allowance = UnsentAllowance(channel, answers, slot.requester)
        pump = NIOLoopBoundBox.makeBoxSendingValue(AnswerPump(channel, window, regions, allowance), eventLoop: channel.eventLoop)
    }

    /// Returns when all of `bytes` have left for the network.
    /// - Throws: when the client has closed the connection.
    func send(_ bytes: ByteBuffer) async throws {
        try await channel.eventLoop.flatSubmit { [pump] in pump.value.send(.bytes(bytes)) }.get()
    }

    /// Whether a client may have the rest of a body.
    typealias Permission = @Sendable () async -> Bool

    /// How often a client's permission is checked while a body is sent to it.
    private static let checkPause = TimeAmount.seconds(4)

    /// Sends a part of a local blob and ends the body. It reads the blob only as fast as the client takes it.
    /// - Parameter isAllowed: is called every few seconds until the body is sent. When it returns `false`, the connection closes.
    /// - Throws: the errors of `send(_:)`, and `BlobError.truncated`.
    func finish(_ reader: any BlobReader, _ range: Range<Int64>, while isAllowed: Permission? = nil) async throws {
        try await channel.eventLoop.flatSubmit { [self] in finish(.file(reader, range), while: isAllowed) }.get()
        slot.release()
    }

    /// Runs on the event loop.
    private func finish(_ source: AnswerPump.Source, while isAllowed: Permission?) -> EventLoopFuture<Void> {
        let loop = channel.eventLoop
        let sent = pump.value.send(source, isLast: true)
        // The body of a short file has left for the network already. Removing a task from the event loop takes time.
        guard let isAllowed, pump.value.isSending else { return sent }
        let isOver = NIOLoopBoundBox(false, eventLoop: loop)
        let checks = loop.scheduleRepeatedAsyncTask(initialDelay: Self.checkPause, delay: Self.checkPause) { [channel] _ in
            // The body may have ended during the check. The connection then serves other requests.
            loop.makeFutureWithTask { await isAllowed() }.map { if !$0, !isOver.value { channel.close(promise: nil) } }
        }
        return sent.always { _ in
            isOver.value = true
            checks.cancel()
        }
    }

    /// Sends a part of a blob that is on another machine, and ends the body. When the client disconnects, it ends the request to that
    /// machine.
    /// - Parameter isAllowed: as for a local blob.
    /// - Throws: the errors of `send(_:)`; `BlobError`; `CancellationError` when the client disconnects while the other machine delivers
    ///   nothing.
    func finish(_ part: RemotePart, while isAllowed: Permission? = nil) async throws {
        defer { part.end() }
        let (first, stream) = part.begin()
        let left = part.byteCount - Int64(first.readableBytes)
        try await ClientPresence.whilePresent(on: LoopExecutor(channel.eventLoop)) { [self] in
            try await withTaskCancellationHandler {
                try await channel.eventLoop.flatSubmit { [self] in finish(.remote(stream, first, left: left), while: isAllowed) }.get()
            } onCancel: {
                stream.end()
            }
        }
        slot.release()
    }

    /// Ends the body. Releases the slot and its share of the budgets.
    func finish() async throws {
        try await channel.eventLoop.submit { [pump] in pump.value.finish() }.get()
        slot.release()
    }

    /// Releases the slot and its share of the budgets after an error. The connection then closes, so that the client does not mistake a
    /// part of the body for the whole.
    func abandon() async {
        try? await channel.eventLoop.submit { [pump] in pump.value.close() }.get()
        slot.release()
    }
}

extension AnswersInFlight {
    /// Makes a body that `write` sends through an `Answer`.
    /// - Parameters:
    ///   - slot: the slot that the caller took with `enter`.
    ///   - write: sends the whole body and calls one of the methods `finish`.
    func body(
        _ slot: Slot, byteCount: Int?, on channel: any Channel, _ write: @escaping @Sendable (Answer) async throws -> Void
    ) -> ResponseBody {
        // The answer ends the body itself, because Hummingbird's writer would need one more round trip to the event loop.
        ResponseBody(contentLength: byteCount) { writer in
            (writer as? any DelayedHead)?.sendHead()
            let answer = Answer(slot, self, on: channel, limits: self.limits)
            do {
                try await write(answer)
            } catch {
                await answer.abandon()
                throw error
            }
        }
    }
}

/// Writes a body of any kind through an `Answer`.
struct AnswerBodyWriter: ResponseBodyWriter {
    let answer: Answer

    mutating func write(_ buffer: ByteBuffer) async throws { try await answer.send(buffer) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await answer.finish() }
}
