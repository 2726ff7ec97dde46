import KeepsakeWire
import Live

/// The payload of this feature's events: a capsule's id, status and progress. Clients read the transcript from the API.
struct CapsuleEvent: Codable, Sendable {
    let id: String
    let status: CapsuleStatus
    /// The transcribed share of the recording, 0…1; `nil` unless it is being transcribed.
    let progress: Double?

    init(_ id: String, _ status: CapsuleStatus, progress: Double? = nil) {
        self.id = id
        self.status = status
        self.progress = progress
    }
}

extension Event.Kind {
    static let capsuleCreated: Event.Kind = "capsule.created"
    static let capsuleUpdated: Event.Kind = "capsule.updated"
    static let capsuleDeleted: Event.Kind = "capsule.deleted"
}
