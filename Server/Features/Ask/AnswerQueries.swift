import Core
import Foundation
import Intelligence
import KeepsakeWire
import Web

/// `/ws/query/{userId}`: answers questions on a WebSocket, one after the other. A question that names neither a day nor a person takes both
/// from the previous question, unless that is more than ten minutes old. Questions are not stored.
struct AnswerQueries: Sendable {
    let answers: Answers
    let entropy: Entropy

    private static let memory: Duration = .seconds(600)

    func admit(_ input: AskSocketInput, _ context: WebContext) async throws { _ = try context.requireViewer() }

    func talk(_ input: AskSocketInput, _ connection: WebSocketConnection, _ context: WebContext) async throws {
        let account = try context.requireViewer().accountID
        var earlier: (question: Question, at: Timestamp)?
        for await message in connection.messages {
            guard case .text(let text) = message else {
                return connection.close(.unsupportedData, "Send text.")
            }
            try await context.pace(.read)
            let now = answers.clock.now
            if let last = earlier, now - last.at > Self.memory { earlier = nil }
            let (reply, question) = await reply(to: text, after: earlier?.question, account)
            if let question, !question.isEmpty { earlier = (question, now) }
            let encoder = JSONEncoder.withSortedKeys()
            encoder.dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(WireDate.format(microseconds: Timestamp(date).microseconds, .milliseconds))
            }
            try await connection.send(String(decoding: try encoder.encode(reply), as: UTF8.self))
        }
    }

    private func reply(to text: String, after earlier: Question?, _ account: String) async -> (AskReply, Question?) {
        do {
            try UntrustedJSON.check(text)
        } catch {
            let detail = (error as? Problem)?.message ?? "The message is not JSON."
            return (.error(code: "invalid_json", detail: detail), nil)
        }
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)), object is [String: Any] else {
            return (.error(code: "invalid_json", detail: "Send a JSON object with the text of a question."), nil)
        }
        let message: AskMessage
        do {
            message = try JSONDecoder().decode(AskMessage.self, from: Data(text.utf8))
        } catch {
            return (.error(code: "invalid_json", detail: "\(Self.field(of: error) ?? "A member") has the wrong type."), nil)
        }
        guard let asked = message.text?.trimmingCharacters(in: .whitespacesAndNewlines), !asked.isEmpty else {
            return (.error(code: "missing_text", detail: "text is missing."), nil)
        }
        do {
            let zone = try await answers.timeZone(account)
            let range = try message.dateRange.map {
                try TimeRange.parse(
                    from: $0.start, to: $0.end, names: ("dateRange.start", "dateRange.end"), in: zone, moment: WireDate.parseMicroseconds)
            }
            let bounded = range.flatMap { $0.from == nil && $0.to == nil ? nil : $0 }
            let (question, answer) = try await answers.answer(
                try AskRules.text(asked), range: bounded, after: earlier.map { Answers.Earlier.understood($0) }, for: account)
            guard let answer else {
                let names = try await answers.people.names(of: account).prefix(5)
                return (
                    .clarification(
                        message: "Which day, person or thing do you mean?", options: ["today", "yesterday", "last week"] + names),
                    nil
                )
            }
            return (.response(response(answer, question, message)), question)
        } catch let problem as Problem {
            return (.error(code: "query_failed", detail: problem.message), nil)
        } catch {
            return (.error(code: "query_failed", detail: "The question was not answered. Try again."), nil)
        }
    }

    /// The name of the member that could not be decoded.
    private static func field(of error: any Error) -> String? {
        guard let error = error as? DecodingError else { return nil }
        let path: [any CodingKey] =
            switch error {
            case .typeMismatch(_, let context), .dataCorrupted(let context): context.codingPath
            default: []
            }
        return path.isEmpty ? nil : path.map { $0.stringValue }.joined(separator: ".")
    }

    private func response(_ answer: Answers.Answer, _ question: Question, _ message: AskMessage) -> AskReply.Response {
        let limit = min(max(message.maxImages ?? 8, 0), 16)
        let images = Array(answer.sources.flatMap { AskRules.images($0.item) }.prefix(limit))
        let faces = message.includeFaces ?? true
        return AskReply.Response(
            queryId: Hex.encode(entropy.bytes(4)), answer: answer.text, confidence: answer.confidence,
            sources: answer.sources.map { source in
                AskReply.Source(
                    captureId: source.id, timestamp: source.at.date, summary: source.sentence, kind: source.item.kind,
                    url: AskRules.images(source.item).first)
            },
            relatedContacts: answer.contacts.map {
                AskContact(name: $0.name, relationship: $0.relationship, faceImageURL: faces ? $0.faceImageURL : nil)
            }, attachedImages: images.isEmpty ? nil : images,
            suggestedFollowUp: question.names.first.map { "What else did \($0) do?" })
    }
}
