public import Foundation

// The times of surface 0 as `Date`. Surface 0 sends them as numbers or texts; on all other surfaces the properties are dates themselves.
// These are computed, so nothing encodes them.

extension TimelineItem {
    /// `at` as a date.
    public var date: Date { Date(milliseconds: at) }
}

extension MoodData {
    /// `createdAt` as a date.
    public var createdDate: Date { Date(milliseconds: createdAt) }
}

extension MemoryData {
    /// `createdAt` as a date.
    public var createdDate: Date { Date(milliseconds: createdAt) }
}

extension EventData {
    /// `createdAt` as a date.
    public var createdDate: Date { Date(milliseconds: createdAt) }

    /// `date` as a date: when the event takes place. `nil` if the text is not a time; servers send no such text.
    public var eventDate: Date? { WireDate.parse(date) }
}

extension MediaItem {
    /// `createdAt` as a date: when the file was stored.
    public var createdDate: Date { Date(milliseconds: createdAt) }

    /// `takenAt` as a date.
    public var takenDate: Date? { takenAt.map { Date(milliseconds: $0) } }
}

extension FileData {
    /// `createdAt` as a date: when the file was stored.
    public var createdDate: Date? { createdAt.map { Date(milliseconds: $0) } }

    /// `takenAt` as a date.
    public var takenDate: Date? { takenAt.map { Date(milliseconds: $0) } }
}

extension MediaArchiveResponse {
    /// `expiresAt` as a date.
    public var expiryDate: Date { Date(milliseconds: expiresAt) }
}

extension AskSource {
    /// `at` as a date.
    public var date: Date { Date(milliseconds: at) }
}

extension Date {
    /// - Parameter milliseconds: since 1970.
    fileprivate init(milliseconds: Int) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
