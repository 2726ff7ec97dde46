import Core
import KeepsakeWire
package import Live

/// `/ws/events`: what happened to the caller, as it happens.
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

    /// A reader who is slow is waited for, as far as the socket's limits go; meanwhile nothing is read for it but one page. One that
    /// is dropped comes back with the number it saw last.
    private func talk(_ input: EventSocketInput, _ connection: WebSocketConnection, _ context: WebContext) async throws {
        let subscription = try await hub.subscribe(try context.requireViewer().accountID, since: input.since)
        while true {
            switch try await subscription.next() {
            case .event(let event): try await connection.send(Self.text(event))
            case .reset(let head): try await connection.send(#"{"type":"reset","seq":\#(head)}"#)
            }
        }
    }

    /// As `LiveEvent` is encoded for the long poll, but the payload, which is JSON of ours already, is not read and written again.
    static func text(_ event: Event) -> String {
        let at = WireDate.format(microseconds: event.at.microseconds, .milliseconds)
        return #"{"seq":\#(event.seq),"type":"\#(event.kind.name)","at":"\#(at)","data":\#(event.payload)}"#
    }
}
