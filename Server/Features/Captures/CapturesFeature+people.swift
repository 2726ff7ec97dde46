import Core
import Database
import KeepsakeWire
import Web

/// The contacts, for other features.
extension CapturesFeature {
    /// A contact, as other features show it.
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

    /// The account's contacts with these names, in the order of `names`. Case does not matter. The name of a merged contact finds the
    /// contact into which it was merged.
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
