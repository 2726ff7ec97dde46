public import Foundation
public import KeepsakeWire

/// Moods, memories and events, with their pictures.
public struct Moments: Sendable {
    let client: Client

    /// Creates a mood.
    /// - Parameters:
    ///   - moodIntensity: 1…10.
    ///   - images: at most 10.
    ///   - voiceNote: one recording, in addition to the images.
    ///   - category: at most 64 characters; `nil` for `general`.
    ///   - groupId: at most 128 characters; if it is `nil` and there is more than one image, the server generates one.
    ///   - createdAt: when it happened; `nil` means the time at which the server receives the call. If you repeat the call with the same
    ///     key, pass the same time.
    ///   - key: as in `Keepsake.send`.
    public func createMood(
        _ mood: String, note: String? = nil, reason: String? = nil, tags: [String] = [], interests: [String] = [],
        moodIntensity: Int? = nil, images: [URL] = [], voiceNote: URL? = nil, category: String? = nil, groupId: String? = nil,
        createdAt: Date? = nil, key: String? = nil, progress: ProgressHandler? = nil
    ) async throws -> MoodData {
        var form = MultipartForm.mood(
            mood, note: note, reason: reason, tags: tags, interests: interests, moodIntensity: moodIntensity, images: images,
            voiceNote: voiceNote)
        form.add(category: category, groupId: groupId, createdAt: createdAt)
        return try await client.send(MomentEndpoints.createMood, .init(key: key, progress: ProgressReport(progress)), form: form) {
            OwnerPath(userId: $0)
        }.mood
    }

    /// Creates a memory. The parameters are those of `createMood`.
    public func createMemory(
        title: String, description: String? = nil, location: String? = nil, tags: [String] = [], images: [URL] = [],
        voiceNote: URL? = nil, category: String? = nil, groupId: String? = nil, createdAt: Date? = nil, key: String? = nil,
        progress: ProgressHandler? = nil
    ) async throws -> MemoryData {
        var form = MultipartForm.memory(
            title: title, description: description, location: location, tags: tags, images: images, voiceNote: voiceNote)
        form.add(category: category, groupId: groupId, createdAt: createdAt)
        return try await client.send(MomentEndpoints.createMemory, .init(key: key, progress: ProgressReport(progress)), form: form) {
            OwnerPath(userId: $0)
        }.memory
    }

    /// Creates an event. The other parameters are those of `createMood`.
    /// - Parameters:
    ///   - date: when it takes place.
    ///   - createdAt: when the person made the entry; `nil` means the time at which the server receives the call.
    public func createEvent(
        title: String, date: Date, description: String? = nil, location: String? = nil, tags: [String] = [], images: [URL] = [],
        voiceNote: URL? = nil, category: String? = nil, groupId: String? = nil, createdAt: Date? = nil, key: String? = nil,
        progress: ProgressHandler? = nil
    ) async throws -> EventData {
        var form = MultipartForm.event(
            title: title, date: date, description: description, location: location, tags: tags, images: images, voiceNote: voiceNote)
        form.add(category: category, groupId: groupId, createdAt: createdAt)
        return try await client.send(MomentEndpoints.createEvent, .init(key: key, progress: ProgressReport(progress)), form: form) {
            OwnerPath(userId: $0)
        }.event
    }

    /// The moods that match all filters, by `createdAt`, newest first.
    /// - Parameters:
    ///   - category: `general` matches entries that were created without a category.
    ///   - from: the earliest `createdAt`: a `Date`, or a `CalendarDay` in the account's time zone.
    ///   - to: a `Date`, which is excluded, or a `CalendarDay`, which is included.
    ///   - isAscending: whether to reverse the order, so that the oldest entry comes first.
    ///   - limit: the most items on a page, 1…100; 20 by default.
    public func moods(
        category: String? = nil, groupId: String? = nil, tag: String? = nil, from: (any TimeBound)? = nil,
        to: (any TimeBound)? = nil, isAscending: Bool = false, limit: Int? = nil
    ) -> Pages<MoodData> {
        let (from, to) = (from?.rangeText, to?.rangeText)
        return Pages { [client] cursor in
            let page = try await client.send(MomentEndpoints.listMoods) {
                ListEntriesInput(
                    userId: $0, limit: limit, cursor: cursor, category: category, groupId: groupId, tag: tag, from: from, to: to,
                    order: isAscending ? "asc" : nil)
            }
            return Pages.Page(items: page.moods, nextCursor: page.pagination.nextCursor)
        }
    }

    /// The memories, with the filters and the order of `moods`.
    public func memories(
        category: String? = nil, groupId: String? = nil, tag: String? = nil, from: (any TimeBound)? = nil,
        to: (any TimeBound)? = nil, isAscending: Bool = false, limit: Int? = nil
    ) -> Pages<MemoryData> {
        let (from, to) = (from?.rangeText, to?.rangeText)
        return Pages { [client] cursor in
            let page = try await client.send(MomentEndpoints.listMemories) {
                ListEntriesInput(
                    userId: $0, limit: limit, cursor: cursor, category: category, groupId: groupId, tag: tag, from: from, to: to,
                    order: isAscending ? "asc" : nil)
            }
            return Pages.Page(items: page.memories, nextCursor: page.pagination.nextCursor)
        }
    }

    /// The events, with the filters and the order of `moods`: by `createdAt`, not by the event's `date`.
    public func events(
        category: String? = nil, groupId: String? = nil, tag: String? = nil, from: (any TimeBound)? = nil,
        to: (any TimeBound)? = nil, isAscending: Bool = false, limit: Int? = nil
    ) -> Pages<EventData> {
        let (from, to) = (from?.rangeText, to?.rangeText)
        return Pages { [client] cursor in
            let page = try await client.send(MomentEndpoints.listEvents) {
                ListEntriesInput(
                    userId: $0, limit: limit, cursor: cursor, category: category, groupId: groupId, tag: tag, from: from, to: to,
                    order: isAscending ? "asc" : nil)
            }
            return Pages.Page(items: page.events, nextCursor: page.pagination.nextCursor)
        }
    }

    public func mood(_ id: String) async throws -> MoodData {
        try await client.send(MomentEndpoints.readMood) { EntryPath(userId: $0, id: id) }.mood
    }

    public func memory(_ id: String) async throws -> MemoryData {
        try await client.send(MomentEndpoints.readMemory) { EntryPath(userId: $0, id: id) }.memory
    }

    public func event(_ id: String) async throws -> EventData {
        try await client.send(MomentEndpoints.readEvent) { EntryPath(userId: $0, id: id) }.event
    }

    /// Changes a mood.
    /// - Parameter change: sets the fields to change; the others keep their value.
    public func updateMood(_ id: String, _ change: @Sendable (inout UpdateMoodInput) -> Void) async throws -> MoodData {
        try await client.send(MomentEndpoints.updateMood) {
            var input = UpdateMoodInput(userId: $0, id: id)
            change(&input)
            return input
        }.mood
    }

    /// Changes a memory, as `updateMood` changes a mood.
    public func updateMemory(_ id: String, _ change: @Sendable (inout UpdateMemoryInput) -> Void) async throws -> MemoryData {
        try await client.send(MomentEndpoints.updateMemory) {
            var input = UpdateMemoryInput(userId: $0, id: id)
            change(&input)
            return input
        }.memory
    }

    /// Changes an event, as `updateMood` changes a mood.
    public func updateEvent(_ id: String, _ change: @Sendable (inout UpdateEventInput) -> Void) async throws -> EventData {
        try await client.send(MomentEndpoints.updateEvent) {
            var input = UpdateEventInput(userId: $0, id: id)
            change(&input)
            return input
        }.event
    }

    /// How often each mood occurred.
    /// - Parameters:
    ///   - from: a `Date` or a `CalendarDay`; by default 30 days before `to`.
    ///   - to: a `Date`, which is excluded, or a `CalendarDay`, which is included; by default now.
    ///   - timeZone: the time zone in which days begin, also those of the response, for example `TimeZone.current.identifier`; by default
    ///     the account's time zone.
    public func moodStatistics(
        from: (any TimeBound)? = nil, to: (any TimeBound)? = nil, timeZone: String? = nil
    ) async throws -> MoodStatisticsResponse {
        let (from, to) = (from?.rangeText, to?.rangeText)
        return try await client.send(MomentEndpoints.moodStatistics) {
            MoodStatisticsInput(userId: $0, from: from, to: to, timeZone: timeZone)
        }
    }

    public func deleteMood(_ id: String) async throws {
        _ = try await client.send(MomentEndpoints.deleteMood) { EntryPath(userId: $0, id: id) }
    }

    public func deleteMemory(_ id: String) async throws {
        _ = try await client.send(MomentEndpoints.deleteMemory) { EntryPath(userId: $0, id: id) }
    }

    public func deleteEvent(_ id: String) async throws {
        _ = try await client.send(MomentEndpoints.deleteEvent) { EntryPath(userId: $0, id: id) }
    }
}

extension MultipartForm {
    static func mood(
        _ mood: String, note: String?, reason: String?, tags: [String], interests: [String], moodIntensity: Int?, images: [URL],
        voiceNote: URL?
    ) -> MultipartForm {
        var form = MultipartForm()
        form.add("mood", mood)
        form.add("note", note)
        form.add("reason", reason)
        form.add("tags", tags)
        form.add("interests", interests)
        form.add("moodIntensity", moodIntensity.map(String.init))
        form.add(images, voiceNote)
        return form
    }

    static func memory(
        title: String, description: String?, location: String?, tags: [String], images: [URL], voiceNote: URL?
    ) -> MultipartForm {
        var form = MultipartForm()
        form.add("title", title)
        form.add("description", description)
        form.add("location", location)
        form.add("tags", tags)
        form.add(images, voiceNote)
        return form
    }

    static func event(
        title: String, date: Date, description: String?, location: String?, tags: [String], images: [URL], voiceNote: URL?
    ) -> MultipartForm {
        var form = MultipartForm()
        form.add("title", title)
        form.add("date", WireDate.format(date, .milliseconds))
        form.add("description", description)
        form.add("location", location)
        form.add("tags", tags)
        form.add(images, voiceNote)
        return form
    }

    mutating func add(category: String?, groupId: String?, createdAt: Date?) {
        add("category", category)
        add("groupId", groupId)
        add("createdAt", createdAt)
    }

    /// Adds a Unix time, unless the date is `nil`. The time is in seconds: the server would read the milliseconds of a date before 1973 as
    /// seconds.
    mutating func add(_ name: String, _ date: Date?) { add(name, date.map { "\($0.timeIntervalSince1970)" }) }

    private mutating func add(_ images: [URL], _ voiceNote: URL?) {
        if let voiceNote {
            files.append(File(name: "voiceNote", fileName: voiceNote.lastPathComponent, content: .file(voiceNote)))
        }
        files += images.map { File(name: "file", fileName: $0.lastPathComponent, content: .file($0)) }
    }
}
