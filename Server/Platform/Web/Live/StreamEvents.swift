import Core
import KeepsakeWire
package import Live

/// `/ws/events`: the caller's events as they occur, over a WebSocket.
package struct StreamEvents: Sendable {
    private let hub: Hub

    package init(hub: Hub) { self.hub = hub }

    package func addRoutes(to routes: Routes) {
        var limits = WebSocketLimits()
        limits.takesMessages = false
        limits.frameByteCount = 125
        routes.serve(webSocket: LiveEndpoints.socket, limits: limits, admit: admit, talk)
    }

    private func admit(_ input: EventSocketInput, _ context: WebContext) throws {
        if let since = input.since, since < 0 { throw Problem(.invalid, "since must be 0 or more.", field: "since") }
    }

    /// Waits for a slow client up to the socket's limits. Meanwhile it reads at most one page of events ahead. A client that is
    /// disconnected reconnects with the number of the last event it received.
    private func talk(_ input: EventSocketInput, _ connection: WebSocketConnection, _ context: WebContext) async throws {
        let subscription = try await hub.subscribe(try context.requireViewer().accountID, since: input.since)
        while true {
            switch try await subscription.next() {
            case .event(let event): try await connection.send(Self.text(event))
            case .reset(let head): try await connection.send(#"{"type":"reset","seq":\#(head)}"#)
            }
        }
    }

    /// The event as JSON, the same as `LiveEvent` in the long poll. The payload is our own JSON already, so it is copied without parsing.
    static func text(_ event: Event) -> String {
        let at = WireDate.format(microseconds: event.at.microseconds, .milliseconds)
        return #"{"seq":\#(event.seq),"type":"\#(event.kind.name)","at":"\#(at)","data":\#(event.payload)}"#
    }
}
