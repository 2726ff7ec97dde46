import Core
import Database
import FeatureKit
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/search`: finds entries and files, best match first. Few searches run at a time; accounts take turns.
struct SearchEverything: Sendable {
    let store: SearchStore
    let cursors: Cursors

    func handle(_ input: SearchInput, _ context: WebContext) async throws -> SearchResponse {
        let owner = try context.requireViewer().accountID
        let limit = try SearchRules.limit(input.limit)
        let kind = try store.kinds.kind(named: input.kind)
        let question = SearchStore.Question(owner: owner, terms: try SearchRules.terms(input.q), kind: kind)
        let scope = [owner, input.q, kind ?? ""]
        let paging = try Paging<SearchStore.Position>("search", of: scope, after: input.cursor, limit: limit, cursors)
        // A search that waits for its turn holds no admission slot, so other requests can use the slot. It gives its turn back before it
        // waits for a slot again.
        let found = try await context.withoutSlot {
            let turn = try await store.work.turn()
            defer { turn.release() }
            return try await store.page(question, paging.request)
        }
        let items: [SearchItem]
        if let short = found.items {
            items = short
        } else {
            try await context.waitForTurn(toMake: found.byteCount)
            items = try await store.items(of: found, question)
        }
        return SearchResponse(items: items, pagination: Pagination(nextCursor: paging.cursor(found.page.next)))
    }
}

extension SearchStore.Position: CursorKey {
    static let partCount = 6

    var cursorParts: [String] {
        [String(partition), String(lastPlace), String(hit.score), String(hit.at.microseconds), hit.id, hit.kind]
    }

    init?(cursorParts parts: [String]) {
        guard let partition = Int64(parts[0]), let lastPlace = Int64(parts[1]), let score = Int(parts[2]), let at = Int64(parts[3]) else {
            return nil
        }
        self.init(
            partition: partition, lastPlace: lastPlace,
            hit: SearchHit(score: score, at: Timestamp(microseconds: at), id: parts[4], kind: parts[5]))
    }
}
