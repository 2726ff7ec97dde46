import Core
import KeepsakeWire
import Media
import Phone
import Web

/// `POST /contacts`: which of the caller's contacts are registered here.
struct FindContacts: Sendable {
    let store: ContactStore
    let library: MediaLibrary

    func handle(_ input: ContactsInput, _ context: WebContext) async throws -> ContactsResponse {
        let viewer = try context.requireViewer().accountID
        let region = try await store.phone(of: viewer).flatMap(PhoneNumber.region(of:))
        let numbers = try ContactRules.numbers(input.phoneNumbers, region: region)
        try await store.count(numbers.map(\.e164), of: viewer)
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
