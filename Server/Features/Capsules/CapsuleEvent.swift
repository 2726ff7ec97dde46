import KeepsakeWire
import Live

/// What an event of this room says: which capsule, how far it is. What was said in it, the capsule says.
struct CapsuleEvent: Codable, Sendable {
    let id: String
    let status: CapsuleStatus
    /// 0…1 of the recording that was heard; only while it is being transcribed.
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
