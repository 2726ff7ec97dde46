public import Foundation
import HTTPTypes

/// Surface 3: the people whom captures mention.
public enum KnownContactEndpoints {
    public static let list = Endpoint<ListKnownContactsInput, ItemPage<KnownContact>>(.get, "/contacts/known", surface: .captures)
    public static let edit = Endpoint<EditKnownContactInput, KnownContact>(
        .patch, "/contacts/known/{id}", surface: .captures, body: .json(maxByteCount: 65_536))
    /// Deletes a contact. Later captures that mention the name do not create the contact again.
    public static let delete = Endpoint<ItemPath, Empty>(.delete, "/contacts/known/{id}", surface: .captures)
    public static let merge = Endpoint<MergeKnownContactInput, KnownContact>(
        .post, "/contacts/known/{id}/merge", surface: .captures, body: .json(maxByteCount: 16_384))
    public static let split = CreationEndpoint<SplitKnownContactInput, KnownContact>(
        .post, "/contacts/known/{id}/split", surface: .captures, body: .json(maxByteCount: 262_144))
}

public struct ListKnownContactsInput: Codable, Sendable {
    public var cursor: String?
    /// 1…100, default 20.
    public var limit: Int?

    public init(cursor: String? = nil, limit: Int? = nil) {
        self.cursor = cursor
        self.limit = limit
    }
}

public struct KnownContact: Codable, Sendable, Equatable {
    public var id: String
    public var name: String
    @OrNull public var relationship: String?
    @OrNull public var notes: String?
    @OrNull public var bestFacePhotoURL: String?
    public var firstSeen: Date
    public var lastSeen: Date
    /// Number of captures that mention the contact.
    public var mentionCount: Int

    public init(
        id: String, name: String, relationship: String?, notes: String?, bestFacePhotoURL: String?, firstSeen: Date, lastSeen: Date,
        mentionCount: Int
    ) {
        self.id = id
        self.name = name
        self.relationship = relationship
        self.notes = notes
        self.bestFacePhotoURL = bestFacePhotoURL
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.mentionCount = mentionCount
    }
}

public struct EditKnownContactInput: Codable, Sendable {
    public var id: String
    public var name: Change<String>
    public var relationship: Change<String>
    public var notes: Change<String>
    /// The id of a capture with a photo. At most 100 contacts can use the same photo.
    public var bestFacePhoto: Change<String>

    public init(
        id: String, name: Change<String> = .unchanged, relationship: Change<String> = .unchanged, notes: Change<String> = .unchanged,
        bestFacePhoto: Change<String> = .unchanged
    ) {
        self.id = id
        self.name = name
        self.relationship = relationship
        self.notes = notes
        self.bestFacePhoto = bestFacePhoto
    }
}

public struct MergeKnownContactInput: Codable, Sendable {
    public var id: String
    /// The id of the contact that remains.
    public var into: String

    public init(id: String, into: String) {
        self.id = id
        self.into = into
    }
}

public struct SplitKnownContactInput: Codable, Sendable {
    public var id: String
    /// 1…1,000 captures that mention the other person.
    public var captureIds: [String]
    /// The other person's name.
    public var name: String

    public init(id: String, captureIds: [String], name: String) {
        self.id = id
        self.captureIds = captureIds
        self.name = name
    }
}
