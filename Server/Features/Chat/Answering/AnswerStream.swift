import Core
import KeepsakeWire
import NIOCore
import Web

/// Sends an answer as server-sent events. The frames of an attempt are numbered: the first is the user's message, the next ones are the
/// pieces of the text, and the last one is the whole answer or an error. The numbers of a further attempt are larger than those of all
/// attempts before, so a client that resumes with the number of an old attempt is told that the answer was started again.
struct AnswerStream: Sendable {
    let store: ChatStore
    let writer: AnswerWriter
    let presenter = ChatPresenter()
    /// After this time without a frame, the stream sends a comment.
    let silence: Duration

    /// Where a stream begins.
    enum Start: Sendable {
        /// With the first frame.
        case beginning
        /// With the frame after the one that has this number.
        case after(Int64)
        /// With all of the text so far in one frame.
        case textSoFar
    }

    /// The most pieces that the stream sends in one write.
    private static let together = 256
    /// How many frame numbers each attempt reserves. No answer has as many frames: each piece has at least one byte, and all of them
    /// together have at most `LiveAnswer.byteLimit` bytes.
    static let framesPerAttempt: Int64 = 1_000_000

    /// The number before the first frame of the answer's attempt.
    private static func base(of answer: StoredMessage) -> Int64 { max(0, answer.attempt - 1) * framesPerAttempt }

    func source(_ answer: StoredMessage, _ start: Start) -> EventSource {
        let answer = answer.withoutText
        return EventSource { body in try await write(answer, start, to: body) }
    }

    private func write(_ answer: StoredMessage, _ start: Start, to body: EventBody) async throws {
        let base = Self.base(of: answer)
        // The last frame that the client has, counted from the first one of this attempt.
        var last: Int64 = 0
        switch start {
        case .beginning: break
        case .after(let frame) where frame > 0 && frame <= base: return try await sendSuperseded(to: body)
        // The client chose the number: without a bound, the number after it could overflow.
        case .after(let frame): last = min(max(base, frame) - base, Self.framesPerAttempt)
        case .textSoFar: last = 1
        }
        if last == 0 {
            let isThere = try await body.send {
                try await store.exchange(answer: answer.id, owner: answer.owner).map { exchange in
                    try body.event("message", id: base + 1, ChatFrame.Created(message: presenter.message(exchange.question)))
                }
            }
            guard isThere else { return }
            last = 1
        }
        var follower = AnswerFollower(answer, after: Int(last - 1), store: store, writer: writer)
        if case .textSoFar = start {
            let byteCount = try await follower.skip()
            let (follower, number) = (follower, last + Int64(follower.index))
            if byteCount > 0 {
                try await body.send {
                    try await follower.text(ofByteCount: byteCount).map { try delta($0, of: answer, number: number, body) }
                }
            }
            last = number
        }
        while true {
            switch try await follower.next(within: silence) {
            case .pieces(let texts):
                for group in stride(from: 0, to: texts.count, by: Self.together) {
                    var bytes = ByteBuffer()
                    for text in texts[group..<min(group + Self.together, texts.count)] {
                        last += 1
                        bytes.writeImmutableBuffer(try delta(text, of: answer, number: last, body))
                    }
                    try await body.send(bytes)
                }
            case .silence: try await body.sendComment()
            case .ended(let ended): return try await finish(ended, after: last, body)
            case .superseded: return try await sendSuperseded(to: body)
            // The connection closes without a last frame. The client then resumes on another node.
            case .stopping: throw CancellationError()
            }
        }
    }

    private func sendSuperseded(to body: EventBody) async throws {
        try await body.send(body.event("error", id: nil, MessageErrorBody(message: "The answer was started again or deleted.")))
    }

    /// - Parameter number: the frame's number within its attempt.
    private func delta(_ text: String, of answer: StoredMessage, number: Int64, _ body: EventBody) throws -> ByteBuffer {
        try body.event("message", id: Self.base(of: answer) + number, ChatFrame.Delta(id: answer.id, text: text))
    }

    /// Sends what is left of an answer that has ended.
    /// - Parameter answer: its row, without the text.
    private func finish(_ answer: StoredMessage, after last: Int64, _ body: EventBody) async throws {
        let lastPiece = answer.frameCount + 1
        // If the answer's pieces are deleted, send the text in one frame, and only to a client that has received none of it.
        if last <= 1, answer.frameCount > 0 {
            try await body.send {
                guard let text = try await store.message(answer.id, owner: answer.owner)?.text, !text.isEmpty else { return nil }
                return try delta(text, of: answer, number: lastPiece, body)
            }
        }
        // A number after the last stored piece means that the client has the last frame. The exception is an unfinished answer: its node
        // may have sent pieces that it did not store. Then the client still needs the last frame.
        guard last <= lastPiece || answer.isUnfinished else { return }
        let number = Self.base(of: answer) + max(lastPiece, last) + 1
        if answer.state == .failed {
            let message = answer.error ?? "The model did not answer."
            return try await body.send(body.event("error", id: number, MessageErrorBody(message: message)))
        }
        try await body.send {
            try await store.exchange(answer: answer.id, owner: answer.owner).map { exchange in
                try body.event("message", id: number, presenter.answer(exchange))
            }
        }
    }
}
