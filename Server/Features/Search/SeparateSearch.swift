package import Core
import Database
package import FeatureKit
import Web

/// The search of a feature whose documents the search over everything leaves out: documents whose kind begins with `chat_`.
package struct SeparateSearch: Sendable {
    private let store: SearchStore
    private let cursors: Cursors

    package init(_ context: FeatureContext, limits: FairSemaphore.Limits) {
        store = SearchStore(database: context.database, kinds: [], work: FairWork(limits))
        cursors = context.cursors
    }

    package struct Hit: Sendable, Equatable {
        package let kind: String
        package let id: String
    }

    /// Finds documents that contain all words of the query, the best match first.
    /// - Parameters:
    ///   - query: 1…256 characters with at least one word.
    ///   - list: the list's name; a cursor of one list is invalid for another.
    ///   - limit: the most hits of a page, 1…100.
    /// - Throws: `.invalid` for a query without words or an invalid cursor; `.tooManyRequests` or `.unavailable` when too many searches
    ///   wait.
    package func hits(
        _ query: String, in list: String, owner: String, after cursor: String?, limit: Int
    ) async throws -> (hits: [Hit], nextCursor: String?) {
        let question = SearchStore.Question(owner: owner, terms: try SearchRules.terms(query), kind: nil, isSeparate: true)
        let paging = try Paging<SearchStore.Position>(list, of: [owner, query], after: cursor, limit: limit, cursors)
        let turn = try await store.work.turn()
        defer { turn.release() }
        let page = Page(
            try await store.hits(question, after: paging.request.after, limit: paging.request.rowLimit), limit: limit
        ) { $0 }
        return (page.rows.map { Hit(kind: $0.hit.kind, id: $0.hit.id) }, paging.cursor(page.next))
    }
}
