import Core
import KeepsakeWire
import Media
import Phone
import Web

/// `POST /contacts`: finds the caller's contacts who have an account here.
struct FindContacts: Sendable {
    let store: ContactStore
    let library: MediaLibrary
    let reader: NumberReader

    func handle(_ input: ContactsInput, _ context: WebContext) async throws -> ContactsResponse {
        let viewer = try context.requireViewer().accountID
        let lines = try ContactRules.lines(input.phoneNumbers)
        let phone = try await store.phone(of: viewer)
        // Requests take turns at `NumberReader`. While a request waits for its turn, it holds no admission slot, so other requests can use
        // the slot.
        let read = try await context.withoutSlot { try await reader.e164(lines, caller: phone) }
        let all = ContactRules.numbers(input.phoneNumbers, e164: read)
        try await store.count(all.counted, of: viewer)
        let numbers = all.numbers
        let people = try await store.people(withPhones: numbers.map(\.e164), visibleTo: viewer)
        return ContactsResponse(
            contacts: numbers.compactMap { number in
                people[number.e164].map { person in
                    PhoneContact(
                        id: person.id, name: person.name, phone: number.written,
                        profilePhotoUrl: person.picture.map { library.sharedLink($0, owner: person.id) })
                }
            })
    }
}
