import Core
import FeatureKit
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/search`: the best first. Few search at a time, by turns of their accounts.
struct SearchEverything: Sendable {
    let store: SearchStore
    let cursors: Cursors

    func handle(_ input: SearchInput, _ context: WebContext) async throws -> SearchResponse {
        let owner = try context.requireViewer().accountID
        let limit = try SearchRules.limit(input.limit)
        let kind = try SearchRules.kind(input.kind, known: store.kinds.flatMap(\.names).sorted())
        let question = SearchStore.Question(owner: owner, terms: try SearchRules.terms(input.q), kind: kind)
        let scope = [owner, input.q, kind ?? ""]
        let position = try input.cursor.map { try read(cursors.open($0, purpose: Self.purpose, scope: scope, count: 6)) }
        // A search that waits for its turn takes no place from requests that could be answered at once, and its turn ends before it waits
        // for a place again.
        let page = try await context.withoutPlace {
            let turn = try await store.work.turn()
            defer { turn.release() }
            return try await store.page(question, after: position, limit: limit)
        }
        return SearchResponse(
            items: page.items,
            pagination: Pagination(nextCursor: page.next.map { cursors.make(write($0), purpose: Self.purpose, scope: scope) }))
    }

    private static let purpose = "search"

    private func write(_ position: SearchStore.Position) -> [String] {
        let hit = position.hit
        return [
            String(position.shelf), String(position.lastPlace), String(hit.score), String(hit.at.microseconds), hit.id, hit.kind,
        ]
    }

    private func read(_ key: [String]) throws -> SearchStore.Position {
        guard let shelf = Int64(key[0]), let lastPlace = Int64(key[1]), let score = Int(key[2]), let at = Int64(key[3]) else {
            throw Cursors.unreadable
        }
        return SearchStore.Position(
            shelf: shelf, lastPlace: lastPlace,
            hit: SearchHit(score: score, at: Timestamp(microseconds: at), id: key[4], kind: key[5]))
    }
}
