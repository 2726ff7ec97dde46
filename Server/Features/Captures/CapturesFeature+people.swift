import Core
import Database
import KeepsakeWire
import Web

/// The contacts, for other features.
extension CapturesFeature {
    /// A contact as others show it.
    package struct Person: Sendable {
        package let name: String
        package let relationship: String?
        /// A signed link.
        package let faceURL: String?
    }

    /// The names of the account's contacts, merged ones included.
    package func contactNames(of account: String) async throws -> [String] {
        try await store.database.read { [store] tx in try store.contactNames(of: account, tx) }
    }

    /// The account's contacts with one of these names, in this order; case does not matter, and a merged name leads to its contact.
    package func people(named names: [String], of account: String) async throws -> [Person] {
        try await store.database.read { [store, presenter] tx in
            var seen: Set<String> = []
            return try names.compactMap { name in
                let key = StoredContact.key(name, of: account)
                guard let contact = try store.contact(named: key, owner: account, tx), seen.insert(contact.id).inserted else { return nil }
                let face = try store.shown(contact, tx).face
                return Person(
                    name: contact.name, relationship: contact.relationship, faceURL: face.flatMap { presenter.links.url(of: $0) })
            }
        }
    }
}
