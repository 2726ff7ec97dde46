import Ask
import Captures

/// Looks up the contacts that questions name, among the people whom captures mention.
struct CapturedPeople: KnownPeople {
    let captures: CapturesFeature

    func names(of account: String) async throws -> [String] { try await captures.contactNames(of: account) }

    func contacts(named names: [String], of account: String) async throws -> [AskedContact] {
        try await captures.people(named: names, of: account).map {
            AskedContact(name: $0.name, relationship: $0.relationship, faceImageURL: $0.faceURL)
        }
    }
}
