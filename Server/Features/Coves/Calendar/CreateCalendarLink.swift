import Core
import KeepsakeWire
import Web

/// `POST /calendar-link`: makes the link of the caller's feed, and ends the previous one.
///
/// The route takes no `Idempotency-Key`: for a retry, the server would have to store the link, but it stores only a hash. A retry makes
/// another link.
struct CreateCalendarLink: Sendable {
    let store: CalendarStore
    let links: SignedLinks
    let entropy: Entropy

    func handle(_ input: Empty, _ context: WebContext) async throws -> CalendarLink {
        let token = CalendarToken(entropy: entropy)
        try await store.setLink(token, of: context.requireViewer())
        let url = links.absolute(CoveCalendarEndpoints.feed.path + "?token=" + token.text)
        return CalendarLink(message: "Add this link to your calendar. Whoever has it can read your events.", url: url)
    }
}
