import Foundation
import KeepsakeWire

/// The part of a streamed answer that the client has received. Pure: no I/O.
struct AnswerProgress {
    /// Thrown when the conversation's stream carries another answer, because the server is answering a newer message.
    struct OtherAnswer: Error {}

    /// The message to which the answer belongs.
    let messageID: String
    private(set) var conversation: String?
    /// The id of the answer; `nil` until its first words have arrived.
    private(set) var answerID: String?
    /// The words so far.
    private(set) var text = ""
    /// The number of the last frame.
    private(set) var last: Int64 = 0

    init(messageID: String) { self.messageID = messageID }

    /// The members that determine the kind of a frame.
    private struct Kind: Decodable {
        var created: Bool?
        var final: Bool?
        var event: String?
    }

    /// - Returns: `nil` for a frame that the client has already received, and for a frame of an unknown kind.
    /// - Throws: `answer_failed` when the server says that no answer follows; `invalid_response`; `OtherAnswer`.
    mutating func receive(_ event: ServerSentEvents.Event) throws -> ChatStream.Element? {
        let data = Data(event.data.utf8)
        if event.name == "error" {
            let body = try? JSONDecoder().decode(MessageErrorBody.self, from: data)
            throw KeepsakeError(.answerFailed, body?.message ?? "The model did not answer.")
        }
        guard let number = Int64(event.id), number > last else { return nil }
        do {
            let element = try decode(data)
            last = number
            return element
        } catch let error as DecodingError {
            throw KeepsakeError(.invalidResponse, "A part of the answer has another form: \(error)")
        }
    }

    private mutating func decode(_ data: Data) throws -> ChatStream.Element? {
        let decoder = Surface.chat.makeDecoder()
        let kind = try decoder.decode(Kind.self, from: data)
        if kind.created == true {
            let message = try decoder.decode(ChatFrame.Created.self, from: data).message
            // If the server restarts the answer before its first words, this frame arrives again with another number.
            let isFirst = conversation == nil
            conversation = message.conversationId
            return isFirst ? .sent(message) : nil
        }
        if kind.final == true {
            let answer = try decoder.decode(ChatAnswer.self, from: data)
            guard answer.requestMessage.messageId == messageID else { throw OtherAnswer() }
            return .answer(answer)
        }
        guard kind.event == "on_message_delta" else { return nil }
        let delta = try decoder.decode(ChatFrame.Delta.self, from: data)
        guard answerID == nil || answerID == delta.data.id else { throw OtherAnswer() }
        answerID = delta.data.id
        text += delta.text
        return .words(delta.text)
    }

    /// The part of the whole answer that the client does not have yet.
    func missingText(of whole: String) -> String {
        // Compare bytes, not characters: a piece may end in the middle of a character.
        whole.utf8.starts(with: text.utf8) ? String(decoding: whole.utf8.dropFirst(text.utf8.count), as: UTF8.self) : ""
    }
}
