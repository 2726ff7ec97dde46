import Core
import Foundation
import HTTPServer
import KeepsakeWire
package import Live

/// `GET /events`: the caller's events, by long polling.
package struct PollEvents: Sendable {
    private let hub: Hub

    package init(hub: Hub) { self.hub = hub }

    package func addRoutes(to routes: Routes) { routes.serve(LiveEndpoints.poll, handle) }

    func handle(_ input: PollEventsInput, _ context: WebContext) async throws -> KeepsakeWire.EventPage {
        let viewer = try context.requireViewer()
        let limit = input.limit ?? 100
        guard (1...100).contains(limit) else { throw Problem(.invalid, "limit must be 1 to 100.", field: "limit") }
        let wait = input.wait ?? 25
        guard (0...25).contains(wait) else { throw Problem(.invalid, "wait must be 0 to 25 seconds.", field: "wait") }
        if wait > 0 { context.stepAside() }
        let poll = try await hub.poll(viewer.accountID, since: input.since, limit: limit, wait: .seconds(wait)) {
            try await untilClientLeaves(context, $0)
        }
        try await context.requireLiveSession()
        return KeepsakeWire.EventPage(items: try poll.events.map(LiveEvent.init), seq: poll.next, reset: poll.isReset)
    }

    /// Ends the wait for an event when the client disconnects, so that the poll is answered without events. Otherwise the wait would keep
    /// the objects of the closed connection in memory, and count against the account's subscriptions, which the client may need as soon as
    /// it is connected again. A client that has closed only its sending side gets the response.
    private func untilClientLeaves(
        _ context: WebContext, _ wait: @escaping @Sendable () async throws -> Bool
    ) async throws -> Bool {
        do {
            return try await context.whileClientIsPresent(wait)
        } catch is CancellationError where ClientPresence.current?.isGone == true && !Task.isCancelled {
            return false
        }
    }
}

extension LiveEvent {
    init(_ event: Event) throws {
        self.init(
            seq: event.seq, type: event.kind.name,
            at: event.at.date,
            data: try JSONDecoder().decode(JSONValue.self, from: Data(event.payload.utf8)))
    }
}
