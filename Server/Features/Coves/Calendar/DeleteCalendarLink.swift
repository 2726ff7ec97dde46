import Core
import KeepsakeWire
import Web

/// `DELETE /calendar-link`: the link of the caller's feed works no more.
struct DeleteCalendarLink: Sendable {
    let store: CalendarStore

    func handle(_ input: Empty, _ context: WebContext) async throws -> MessageResponse {
        try await store.deleteLink(of: context.requireViewer().accountID)
        return MessageResponse(message: "The calendar link was deleted.")
    }
}
