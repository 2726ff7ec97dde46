import KeepsakeKit
import KeepsakeWire

/// The elements of a streamed answer.
struct Followed: Sendable {
    var elements: [ChatStream.Element] = []

    init() {}

    init(_ stream: ChatStream) async throws {
        for try await element in stream { elements.append(element) }
    }

    var count: Int { elements.count }

    /// All words so far as one text.
    var text: String {
        elements.map { element in
            if case .words(let words) = element { return words }
            return ""
        }.joined()
    }

    /// The whole answer, if the elements are complete and in order: the message once, then words, then the answer.
    var answer: ChatAnswer? {
        guard case .sent(let message)? = elements.first, case .answer(let answer)? = elements.last, count >= 2,
            answer.requestMessage.messageId == message.messageId
        else { return nil }
        for element in elements.dropFirst().dropLast() {
            guard case .words = element else { return nil }
        }
        return answer
    }
}
