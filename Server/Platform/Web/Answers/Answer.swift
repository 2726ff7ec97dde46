import Blobs
import Core
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore

/// The one writer of bodies that are large, or whose size nobody knows: files, variants, archives, long JSON. It holds a bounded number
/// of bytes, however much there is to send and however slowly it is read.
final class Answer: Sendable {
    private let place: AnswersInFlight.Place
    private let channel: any Channel
    private let pump: NIOLoopBoundBox<AnswerPump>

    /// Made while the body is written, which is when the connection is known.
    init(_ place: AnswersInFlight.Place, _ answers: AnswersInFlight, on channel: any Channel, limits: ChannelLimits) {
        self.place = place
        self.channel = channel
        let window = AnswerWindow(place, answers, Connection.current, limits)
        pump = NIOLoopBoundBox.makeBoxSendingValue(AnswerPump(channel, window), eventLoop: channel.eventLoop)
    }

    /// Returns when all of them have left for the network.
    /// - Throws: when the client has hung up.
    func send(_ bytes: ByteBuffer) async throws {
        try await channel.eventLoop.flatSubmit { [pump] in pump.value.send(.bytes(bytes)) }.get()
    }

    /// The same for a part of a blob, which is read as its client takes it.
    /// - Throws: also `BlobError.truncated`.
    func send(_ reader: any BlobReader, _ range: Range<Int64>) async throws {
        try await channel.eventLoop.flatSubmit { [pump] in pump.value.send(.file(reader, range)) }.get()
    }

    /// Gives back the place and what it holds.
    func end() async throws {
        try await channel.eventLoop.submit { [pump] in pump.value.close() }.get()
        place.release()
    }
}

extension AnswersInFlight {
    /// A body that `write` sends through an `Answer`, under a place that was entered before.
    func body(
        _ place: Place, byteCount: Int?, on channel: any Channel, _ write: @escaping @Sendable (Answer) async throws -> Void
    ) -> ResponseBody {
        ResponseBody(contentLength: byteCount) { writer in
            let answer = Answer(place, self, on: channel, limits: self.limits)
            do {
                try await write(answer)
                try await answer.end()
            } catch {
                try? await answer.end()
                throw error
            }
            try await writer.finish(nil)
        }
    }
}

/// Has a body of any kind written by an `Answer`.
struct AnswerBodyWriter: ResponseBodyWriter {
    let answer: Answer

    mutating func write(_ buffer: ByteBuffer) async throws { try await answer.send(buffer) }

    /// The head's writer ends the body, behind the last piece.
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
