import Core
import FeatureKit
import Foundation
import Intelligence
import KeepsakeWire
import Web

/// `POST /api/users/user/{userId}/ask`: answers a question.
struct AskQuestion: Sendable {
    let answers: Answers

    func handle(_ input: AskInput, _ context: WebContext) async throws -> AskResponse {
        let account = try context.requireViewer().accountID
        let text = try AskRules.text(input.text)
        let kind = try answers.store.kinds.kind(named: input.kind)
        let zone = try await answers.timeZone(account)
        let range = try TimeRange.parse(from: input.from, to: input.to, in: zone, moment: WireDate.parseMicroseconds)
        let isBounded = range.from != nil || range.to != nil
        // A model may take a minute. Meanwhile the request holds no slot, so other requests can use it. A question that nobody waits for
        // any more leaves its queue.
        let answer = try await context.withoutSlot {
            try await context.whileClientIsPresent {
                try await answers.answer(text, range: isBounded ? range : nil, kind: kind, for: account).answer
            }
        }
        guard let answer else {
            return AskResponse(answer: AnswerFrame.nothing, confidence: 0, sources: [], contacts: [], engine: answers.engines.local.name)
        }
        return AskResponse(
            answer: answer.text, confidence: answer.confidence,
            sources: answer.sources.map {
                AskSource(kind: $0.item.kind, id: $0.id, at: $0.item.at, text: $0.sentence, marks: $0.marks)
            },
            contacts: answer.contacts.map {
                AskContact(name: $0.name, relationship: $0.relationship, faceImageURL: $0.faceImageURL)
            }, engine: answer.engine)
    }
}
