import Core
import KeepsakeWire
import Web

/// `DELETE /calendar-link`: ends the link of the caller's feed.
struct DeleteCalendarLink: Sendable {
    let store: CalendarStore

    func handle(_ input: Empty, _ context: WebContext) async throws -> MessageResponse {
        try await store.deleteLink(of: context.requireViewer().accountID)
        return MessageResponse(message: "The calendar link was deleted.")
    }
}
