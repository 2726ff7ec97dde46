import Live

/// The payload of events about one capture. Its content is in the lists.
struct CaptureEvent: Codable, Sendable {
    let id: String
}

extension Event.Kind {
    static let captureReceived: Event.Kind = "capture.received"
    static let captureChanged: Event.Kind = "capture.changed"
    static let captureProcessed: Event.Kind = "capture.processed"
    static let captureDeleted: Event.Kind = "capture.deleted"
    static let summaryChanged: Event.Kind = "summary.changed"
}
