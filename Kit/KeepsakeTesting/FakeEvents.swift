import Foundation
import HTTPTypes
import KeepsakeKit
import KeepsakeWire

/// Turns a response into a stream. An answer of a chat becomes the events that the real server sends: the message, the words one by one,
/// and the whole answer. Any other response becomes one piece.
///
/// `@unchecked Sendable`: `lock` guards the variable.
final class FakeEvents: @unchecked Sendable {
    let head: HTTPResponse
    private let lock = NSLock()
    private var pieces: ArraySlice<Data>

    init(_ response: TransportResponse, to request: HTTPRequest) {
        var (head, pieces) = (response.head, [response.body])
        if head.status == .ok, let answer = try? Surface.chat.makeDecoder().decode(ChatAnswer.self, from: response.body) {
            head.headerFields[.contentType] = "text/event-stream; charset=utf-8"
            let last = HTTPField.Name("Last-Event-ID").flatMap { request.headerFields[$0] }.flatMap { Int($0) } ?? 0
            pieces = FakeEvents.events(of: answer, after: last)
        }
        self.head = head
        self.pieces = pieces[...]
    }

    func next() -> Data? { lock.withLock { pieces.popFirst() } }

    private static func events(of answer: ChatAnswer, after last: Int) -> [Data] {
        let (text, id) = (answer.responseMessage.text, answer.responseMessage.messageId)
        let words = text.split(separator: " ", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset == 0 ? String($0.element) : " \($0.element)" }
        var frames: [any Encodable] = [ChatFrame.Created(message: answer.requestMessage)]
        for word in words where !word.isEmpty { frames.append(ChatFrame.Delta(id: id, text: word)) }
        frames.append(answer)
        let encoder = Surface.chat.makeEncoder()
        return zip(1..., frames).filter { $0.0 > last }.compactMap { number, frame in
            guard let json = try? encoder.encode(frame) else { return nil }
            return Data("id: \(number)\nevent: message\ndata: ".utf8) + json + Data("\n\n".utf8)
        }
    }
}
