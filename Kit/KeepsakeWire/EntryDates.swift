public import Foundation

// The times of surface 0 as `Date`. Surface 0 sends times as numbers or texts; the types of all other surfaces have `Date` properties. The
// properties here are computed, so they are not encoded.

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

    /// `date`, the time at which the event takes place, as a `Date`. `nil` if the text is not a time, which no server sends.
    public var eventDate: Date? { WireDate.parse(date) }
}

extension MediaItem {
    /// `createdAt`, the time at which the file was stored, as a `Date`.
    public var createdDate: Date { Date(milliseconds: createdAt) }

    /// `takenAt` as a date.
    public var takenDate: Date? { takenAt.map { Date(milliseconds: $0) } }
}

extension FileData {
    /// `createdAt`, the time at which the file was stored, as a `Date`.
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
    /// - Parameter milliseconds: milliseconds since 1970.
    fileprivate init(milliseconds: Int) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
