import HTTPTypes

/// Surface 0: moods, memories and events. Each is one entry with its pictures, films and voice note.
public enum MomentEndpoints {
    public static let createMood = CreationEndpoint<OwnerPath, MoodResponse>(
        .post, "/api/users/user/{userId}/moods/swift", surface: .multimedia, body: .multipart)
    public static let listMoods = Endpoint<ListEntriesInput, MoodListResponse>(
        .get, "/api/users/user/{userId}/moods", surface: .multimedia)
    public static let readMood = Endpoint<EntryPath, MoodResponse>(
        .get, "/api/users/user/{userId}/moods/{id}", surface: .multimedia)
    public static let updateMood = Endpoint<UpdateMoodInput, MoodResponse>(
        .patch, "/api/users/user/{userId}/moods/{id}", surface: .multimedia, body: .json(maxByteCount: 262_144))
    public static let deleteMood = Endpoint<EntryPath, SuccessResponse>(
        .delete, "/api/users/user/{userId}/moods/{id}", surface: .multimedia)
    public static let moodStatistics = Endpoint<MoodStatisticsInput, MoodStatisticsResponse>(
        .get, "/api/users/user/{userId}/moods/stats", surface: .multimedia)

    public static let createMemory = CreationEndpoint<OwnerPath, MemoryResponse>(
        .post, "/api/users/user/{userId}/memories/swift", surface: .multimedia, body: .multipart)
    public static let listMemories = Endpoint<ListEntriesInput, MemoryListResponse>(
        .get, "/api/users/user/{userId}/memories", surface: .multimedia)
    public static let readMemory = Endpoint<EntryPath, MemoryResponse>(
        .get, "/api/users/user/{userId}/memories/{id}", surface: .multimedia)
    public static let updateMemory = Endpoint<UpdateMemoryInput, MemoryResponse>(
        .patch, "/api/users/user/{userId}/memories/{id}", surface: .multimedia, body: .json(maxByteCount: 262_144))
    public static let deleteMemory = Endpoint<EntryPath, SuccessResponse>(
        .delete, "/api/users/user/{userId}/memories/{id}", surface: .multimedia)

    public static let createEvent = CreationEndpoint<OwnerPath, EventResponse>(
        .post, "/api/users/user/{userId}/events/swift", surface: .multimedia, body: .multipart)
    public static let listEvents = Endpoint<ListEntriesInput, EventListResponse>(
        .get, "/api/users/user/{userId}/events", surface: .multimedia)
    public static let readEvent = Endpoint<EntryPath, EventResponse>(
        .get, "/api/users/user/{userId}/events/{id}", surface: .multimedia)
    public static let updateEvent = Endpoint<UpdateEventInput, EventResponse>(
        .patch, "/api/users/user/{userId}/events/{id}", surface: .multimedia, body: .json(maxByteCount: 262_144))
    public static let deleteEvent = Endpoint<EntryPath, SuccessResponse>(
        .delete, "/api/users/user/{userId}/events/{id}", surface: .multimedia)
}

/// A file of an entry. It is also in the media library, with the same id.
public struct EntryFile: Codable, Sendable, Equatable {
    public var id: String
    /// The content type that the server detected, for example `image/jpeg`.
    public var type: String

    public init(id: String, type: String) {
        self.id = id
        self.type = type
    }
}

// MARK: - Moods

public struct MoodData: Codable, Sendable, Equatable {
    public var id: String
    /// For example `happy`; 1…64 characters.
    public var mood: String
    public var note: String?
    /// An absolute, signed URL, so that a player can load it without a credential. With `/waveform` appended to its path, it returns the
    /// waveform.
    public var voiceNote: String?
    /// Seconds, as measured by the server.
    public var voiceNoteDuration: Double?
    public var reason: String?
    public var tags: [String]
    public var interests: [String]
    /// 1…10.
    public var moodIntensity: Int?
    /// Milliseconds since 1970.
    public var createdAt: Int
    /// Links to the entry's pictures and films, in the order in which they were sent.
    public var imageUrls: [String]
    public var category: String
    public var groupId: String?
    /// The files to which `imageUrls` and `voiceNote` link, in the order in which they were sent. Absent if an older server stored the
    /// entry or removed a file from it.
    public var files: [EntryFile]?

    public init(
        id: String, mood: String, note: String?, voiceNote: String?, voiceNoteDuration: Double?, reason: String?, tags: [String],
        interests: [String], moodIntensity: Int?, createdAt: Int, imageUrls: [String], category: String, groupId: String?,
        files: [EntryFile]? = nil
    ) {
        self.id = id
        self.mood = mood
        self.note = note
        self.voiceNote = voiceNote
        self.voiceNoteDuration = voiceNoteDuration
        self.reason = reason
        self.tags = tags
        self.interests = interests
        self.moodIntensity = moodIntensity
        self.createdAt = createdAt
        self.imageUrls = imageUrls
        self.category = category
        self.groupId = groupId
        self.files = files
    }
}

public struct MoodResponse: Codable, Sendable, Equatable {
    public var success: Bool
    public var mood: MoodData
    public var imageUrls: [String]?

    public init(mood: MoodData) {
        success = true
        self.mood = mood
        imageUrls = mood.imageUrls
    }
}

public struct MoodListResponse: Codable, Sendable, Equatable {
    public var success: Bool
    public var moods: [MoodData]
    public var pagination: Pagination

    public init(moods: [MoodData], pagination: Pagination) {
        success = true
        self.moods = moods
        self.pagination = pagination
    }
}

/// Absent fields keep their value; `null` clears a field that is optional.
public struct UpdateMoodInput: Codable, Sendable {
    public var userId: String
    public var id: String
    public var mood: Change<String>
    public var note: Change<String>
    public var reason: Change<String>
    public var tags: Change<[String]>
    public var interests: Change<[String]>
    public var moodIntensity: Change<Int>
    /// Seconds (as `Date.timeIntervalSince1970`) or milliseconds since 1970; an absolute value below 10¹¹ means seconds.
    public var createdAt: Change<Double>
    public var category: Change<String>
    public var groupId: Change<String>

    public init(
        userId: String, id: String, mood: Change<String> = .unchanged, note: Change<String> = .unchanged,
        reason: Change<String> = .unchanged, tags: Change<[String]> = .unchanged, interests: Change<[String]> = .unchanged,
        moodIntensity: Change<Int> = .unchanged, createdAt: Change<Double> = .unchanged, category: Change<String> = .unchanged,
        groupId: Change<String> = .unchanged
    ) {
        self.userId = userId
        self.id = id
        self.mood = mood
        self.note = note
        self.reason = reason
        self.tags = tags
        self.interests = interests
        self.moodIntensity = moodIntensity
        self.createdAt = createdAt
        self.category = category
        self.groupId = groupId
    }
}

// MARK: - Memories

public struct MemoryData: Codable, Sendable, Equatable {
    public var id: String
    /// 1…200 characters.
    public var title: String
    public var description: String?
    public var location: String?
    public var tags: [String]
    /// Milliseconds since 1970.
    public var createdAt: Int
    /// Links to the entry's pictures and films, in the order in which they were sent.
    public var imageUrls: [String]
    public var voiceNote: String?
    /// Seconds, as measured by the server.
    public var voiceNoteDuration: Double?
    public var category: String
    public var groupId: String?
    /// The files to which `imageUrls` and `voiceNote` link, in the order in which they were sent. Absent if an older server stored the
    /// entry or removed a file from it.
    public var files: [EntryFile]?

    public init(
        id: String, title: String, description: String?, location: String?, tags: [String], createdAt: Int, imageUrls: [String],
        voiceNote: String?, voiceNoteDuration: Double?, category: String, groupId: String?,
        files: [EntryFile]? = nil
    ) {
        self.id = id
        self.title = title
        self.description = description
        self.location = location
        self.tags = tags
        self.createdAt = createdAt
        self.imageUrls = imageUrls
        self.voiceNote = voiceNote
        self.voiceNoteDuration = voiceNoteDuration
        self.category = category
        self.groupId = groupId
        self.files = files
    }
}

public struct MemoryResponse: Codable, Sendable, Equatable {
    public var success: Bool
    public var memory: MemoryData
    public var imageUrls: [String]?

    public init(memory: MemoryData) {
        success = true
        self.memory = memory
        imageUrls = memory.imageUrls
    }
}

public struct MemoryListResponse: Codable, Sendable, Equatable {
    public var success: Bool
    public var memories: [MemoryData]
    public var pagination: Pagination

    public init(memories: [MemoryData], pagination: Pagination) {
        success = true
        self.memories = memories
        self.pagination = pagination
    }
}

/// Absent fields keep their value; `null` clears a field that is optional.
public struct UpdateMemoryInput: Codable, Sendable {
    public var userId: String
    public var id: String
    public var title: Change<String>
    public var description: Change<String>
    public var location: Change<String>
    public var tags: Change<[String]>
    /// Seconds (as `Date.timeIntervalSince1970`) or milliseconds since 1970; an absolute value below 10¹¹ means seconds.
    public var createdAt: Change<Double>
    public var category: Change<String>
    public var groupId: Change<String>

    public init(
        userId: String, id: String, title: Change<String> = .unchanged, description: Change<String> = .unchanged,
        location: Change<String> = .unchanged, tags: Change<[String]> = .unchanged, createdAt: Change<Double> = .unchanged,
        category: Change<String> = .unchanged, groupId: Change<String> = .unchanged
    ) {
        self.userId = userId
        self.id = id
        self.title = title
        self.description = description
        self.location = location
        self.tags = tags
        self.createdAt = createdAt
        self.category = category
        self.groupId = groupId
    }
}

// MARK: - Events

public struct EventData: Codable, Sendable, Equatable {
    public var id: String
    /// 1…200 characters.
    public var title: String
    public var description: String?
    /// When the event takes place, in the format `2026-12-31T20:00:00.000Z`.
    public var date: String
    public var location: String?
    public var tags: [String]
    /// Milliseconds since 1970.
    public var createdAt: Int
    /// Links to the entry's pictures and films, in the order in which they were sent.
    public var imageUrls: [String]
    public var voiceNote: String?
    /// Seconds, as measured by the server.
    public var voiceNoteDuration: Double?
    public var category: String
    public var groupId: String?
    /// The files to which `imageUrls` and `voiceNote` link, in the order in which they were sent. Absent if an older server stored the
    /// entry or removed a file from it.
    public var files: [EntryFile]?

    public init(
        id: String, title: String, description: String?, date: String, location: String?, tags: [String], createdAt: Int,
        imageUrls: [String], voiceNote: String?, voiceNoteDuration: Double?, category: String, groupId: String?,
        files: [EntryFile]? = nil
    ) {
        self.id = id
        self.title = title
        self.description = description
        self.date = date
        self.location = location
        self.tags = tags
        self.createdAt = createdAt
        self.imageUrls = imageUrls
        self.voiceNote = voiceNote
        self.voiceNoteDuration = voiceNoteDuration
        self.category = category
        self.groupId = groupId
        self.files = files
    }
}

public struct EventResponse: Codable, Sendable, Equatable {
    public var success: Bool
    public var event: EventData
    public var imageUrls: [String]?

    public init(event: EventData) {
        success = true
        self.event = event
        imageUrls = event.imageUrls
    }
}

public struct EventListResponse: Codable, Sendable, Equatable {
    public var success: Bool
    public var events: [EventData]
    public var pagination: Pagination

    public init(events: [EventData], pagination: Pagination) {
        success = true
        self.events = events
        self.pagination = pagination
    }
}

/// Absent fields keep their value; `null` clears a field that is optional.
public struct UpdateEventInput: Codable, Sendable {
    public var userId: String
    public var id: String
    public var title: Change<String>
    /// When the event takes place: ISO 8601.
    public var date: Change<String>
    public var description: Change<String>
    public var location: Change<String>
    public var tags: Change<[String]>
    /// Seconds (as `Date.timeIntervalSince1970`) or milliseconds since 1970; an absolute value below 10¹¹ means seconds.
    public var createdAt: Change<Double>
    public var category: Change<String>
    public var groupId: Change<String>

    public init(
        userId: String, id: String, title: Change<String> = .unchanged, date: Change<String> = .unchanged,
        description: Change<String> = .unchanged, location: Change<String> = .unchanged, tags: Change<[String]> = .unchanged,
        createdAt: Change<Double> = .unchanged, category: Change<String> = .unchanged, groupId: Change<String> = .unchanged
    ) {
        self.userId = userId
        self.id = id
        self.title = title
        self.date = date
        self.description = description
        self.location = location
        self.tags = tags
        self.createdAt = createdAt
        self.category = category
        self.groupId = groupId
    }
}
