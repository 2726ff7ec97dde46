public import Foundation
import HTTPTypes

/// Surface 1: profiles, photos and contacts. JSON keys are in camelCase; paths have no common prefix.
public enum PeopleEndpoints {
    /// Returns the caller's uid, and whether the caller still has to complete onboarding. The server ignores the body.
    public static let login = Endpoint<Empty, CoveLogin>(.post, "/login", surface: .coves)
    /// Completes onboarding, once for each account. Repeating it with the same values gets the same response.
    public static let onboard = Endpoint<OnboardInput, MessageResponse>(
        .post, "/onboard", surface: .coves, body: .json(maxByteCount: 65_536))
    /// Edits the caller's profile. Absent fields keep their value; `null` clears a field.
    public static let editProfile = Endpoint<EditProfileInput, MessageResponse>(
        .post, "/edit-profile", surface: .coves, body: .json(maxByteCount: 65_536))
    public static let profile = Endpoint<ReadProfileInput, ProfileResponse>(.get, "/profile", surface: .coves)

    /// Adds a photo. `base64Image` or `data` is the picture, which the server decodes as it arrives.
    public static let addPhoto = CreationEndpoint<AddPhotoInput, PhotoResponse>(
        .post, "/userImage", surface: .coves, body: .jsonWithFiles())
    /// Replaces the picture of a photo. The photo keeps its id and its position.
    public static let replacePhoto = CreationEndpoint<ReplacePhotoInput, PhotoResponse>(
        .post, "/userImageUpdate", surface: .coves, body: .jsonWithFiles())
    public static let deletePhoto = Endpoint<DeletePhotoInput, MessageResponse>(
        .post, "/delete-photo", surface: .coves, body: .json(maxByteCount: 16_384))

    /// The people who are registered here with one of the given numbers.
    public static let contacts = Endpoint<ContactsInput, ContactsResponse>(.post, "/contacts", surface: .coves, body: .json())
}

// MARK: Sign-in and onboarding

/// A response that is only a sentence for people. Clients show it or ignore it.
public struct MessageResponse: Codable, Sendable, Equatable {
    public var message: String

    public init(message: String) { self.message = message }
}

public struct CoveLogin: Codable, Sendable, Equatable {
    public var message: String
    public var user: CoveUser

    public init(message: String, user: CoveUser) {
        self.message = message
        self.user = user
    }
}

public struct CoveUser: Codable, Sendable, Equatable {
    /// The account's id. For Firebase accounts, it is the uid.
    public var uid: String
    /// `true` until `/onboard` has succeeded.
    public var onboarding: Bool
    /// Whether the person may create coves.
    public var verified: Bool
    /// The id of the cove that the person joined first; `nil` if the person is in no cove.
    @OrNull public var cove: String?

    public init(uid: String, onboarding: Bool, verified: Bool, cove: String?) {
        self.uid = uid
        self.onboarding = onboarding
        self.verified = verified
        self.cove = cove
    }
}

/// A text that some clients send as a number. The server keeps it as text.
public struct TextOrNumber: Codable, Sendable, Equatable, ExpressibleByStringLiteral {
    public var text: String

    public init(_ text: String) { self.text = text }
    public init(stringLiteral text: String) { self.text = text }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) { text = String(number) } else { text = try container.decode(String.self) }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

public struct OnboardInput: Codable, Sendable {
    /// 1…100 characters.
    public var name: String
    /// ISO 8601, or `yyyy-MM-dd`, which means 00:00 UTC of that day. From 1900 until now.
    public var birthdate: String?
    /// At most 50 hobbies, each of at most 64 characters. A profile calls them `interests`.
    public var hobbies: [String]?
    /// At most 2,000 characters.
    public var bio: String?
    /// Degrees, -90…90.
    public var latitude: Double?
    /// Degrees, -180…180.
    public var longitude: Double?
    public var almaMater: String?
    public var job: String?
    public var workLocation: String?
    public var relationStatus: String?
    public var sexuality: String?
    public var gender: String?
    public var city: String?
    public var gradYear: TextOrNumber?

    public init(
        name: String, birthdate: String? = nil, hobbies: [String]? = nil, bio: String? = nil, latitude: Double? = nil,
        longitude: Double? = nil, almaMater: String? = nil, job: String? = nil, workLocation: String? = nil,
        relationStatus: String? = nil, sexuality: String? = nil, gender: String? = nil, city: String? = nil,
        gradYear: TextOrNumber? = nil
    ) {
        self.name = name
        self.birthdate = birthdate
        self.hobbies = hobbies
        self.bio = bio
        self.latitude = latitude
        self.longitude = longitude
        self.almaMater = almaMater
        self.job = job
        self.workLocation = workLocation
        self.relationStatus = relationStatus
        self.sexuality = sexuality
        self.gender = gender
        self.city = city
        self.gradYear = gradYear
    }
}

// MARK: Profiles

/// Changes to the caller's profile. The limits are those of `OnboardInput`. The name cannot be cleared.
public struct EditProfileInput: Codable, Sendable {
    public var name: Change<String>
    public var birthdate: Change<String>
    public var interests: Change<[String]>
    public var bio: Change<String>
    public var latitude: Change<Double>
    public var longitude: Change<Double>
    public var almaMater: Change<String>
    public var job: Change<String>
    public var workLocation: Change<String>
    public var relationStatus: Change<String>
    public var sexuality: Change<String>
    public var gender: Change<String>
    public var city: Change<String>
    public var gradYear: Change<TextOrNumber>

    public init(
        name: Change<String> = .unchanged, birthdate: Change<String> = .unchanged, interests: Change<[String]> = .unchanged,
        bio: Change<String> = .unchanged, latitude: Change<Double> = .unchanged, longitude: Change<Double> = .unchanged,
        almaMater: Change<String> = .unchanged, job: Change<String> = .unchanged, workLocation: Change<String> = .unchanged,
        relationStatus: Change<String> = .unchanged, sexuality: Change<String> = .unchanged, gender: Change<String> = .unchanged,
        city: Change<String> = .unchanged, gradYear: Change<TextOrNumber> = .unchanged
    ) {
        self.name = name
        self.birthdate = birthdate
        self.interests = interests
        self.bio = bio
        self.latitude = latitude
        self.longitude = longitude
        self.almaMater = almaMater
        self.job = job
        self.workLocation = workLocation
        self.relationStatus = relationStatus
        self.sexuality = sexuality
        self.gender = gender
        self.city = city
        self.gradYear = gradYear
    }
}

public struct ReadProfileInput: Codable, Sendable {
    /// The id of the person; `nil` for the caller.
    public var userId: String?

    public init(userId: String? = nil) { self.userId = userId }
}

public struct ProfileResponse: Codable, Sendable, Equatable {
    public var message: String
    public var profile: PersonProfile

    public init(message: String, profile: PersonProfile) {
        self.message = message
        self.profile = profile
    }
}

/// The profile of a person, as far as the caller may see it. If a value is hidden or unknown, it is `""`, `[]` or 0 where the type is not
/// optional, `false` for `onboarding`, and `null` everywhere else.
public struct PersonProfile: Codable, Sendable, Equatable {
    public var id: String
    /// The same as `id`.
    public var userId: String
    public var name: String
    /// The phone number in E.164 format.
    public var phone: String
    /// Whole years.
    @OrNull public var age: Int?
    /// The same as `birthdate`.
    @OrNull public var birthday: Date?
    @OrNull public var birthdate: Date?
    public var interests: [String]
    /// Degrees. Only the person can see it.
    @OrNull public var latitude: Double?
    /// Degrees. Only the person can see it.
    @OrNull public var longitude: Double?
    @OrNull public var bio: String?
    @OrNull public var almaMater: String?
    @OrNull public var job: String?
    @OrNull public var workLocation: String?
    @OrNull public var relationStatus: String?
    @OrNull public var sexuality: String?
    @OrNull public var gender: String?
    @OrNull public var city: String?
    @OrNull public var gradYear: String?
    /// `true` until the person has onboarded.
    public var onboarding: Bool
    @OrNull public var verified: Bool?
    /// The photos, in the order in which they were uploaded.
    public var photos: [ProfilePhoto]
    public var stats: ProfileStats

    public init(id: String, name: String, photos: [ProfilePhoto]) {
        self.id = id
        userId = id
        self.name = name
        phone = ""
        interests = []
        onboarding = false
        self.photos = photos
        stats = ProfileStats(friendCount: 0, requestCount: 0, coveCount: 0)
    }
}

public struct ProfilePhoto: Codable, Sendable, Equatable {
    public var id: String
    /// An absolute, signed URL.
    public var url: String
    public var isProfilePic: Bool

    public init(id: String, url: String, isProfilePic: Bool) {
        self.id = id
        self.url = url
        self.isProfilePic = isProfilePic
    }
}

public struct ProfileStats: Codable, Sendable, Equatable {
    public var friendCount: Int
    /// Number of friend requests that wait for the person's answer.
    public var requestCount: Int
    public var coveCount: Int

    public init(friendCount: Int, requestCount: Int, coveCount: Int) {
        self.friendCount = friendCount
        self.requestCount = requestCount
        self.coveCount = coveCount
    }
}

// MARK: Photos

public struct AddPhotoInput: Codable, Sendable {
    /// JPEG, PNG, WebP or HEIC in base64, with or without a `data:` prefix, at most 10 MB decoded.
    public var base64Image: String?
    /// Another name for `base64Image`.
    public var data: String?
    /// Whether the photo becomes the profile picture; default `false`.
    public var isProfilePic: Bool?

    public init(base64Image: String? = nil, data: String? = nil, isProfilePic: Bool? = nil) {
        self.base64Image = base64Image
        self.data = data
        self.isProfilePic = isProfilePic
    }
}

public struct ReplacePhotoInput: Codable, Sendable {
    public var photoId: String
    /// The picture, in the format of `AddPhotoInput`.
    public var data: String?
    /// Another name for `data`.
    public var base64Image: String?

    public init(photoId: String, data: String? = nil, base64Image: String? = nil) {
        self.photoId = photoId
        self.data = data
        self.base64Image = base64Image
    }
}

public struct DeletePhotoInput: Codable, Sendable {
    public var photoId: String

    public init(photoId: String) { self.photoId = photoId }
}

public struct PhotoResponse: Codable, Sendable, Equatable {
    public var message: String
    public var photo: ProfilePhoto

    public init(message: String, photo: ProfilePhoto) {
        self.message = message
        self.photo = photo
    }
}

// MARK: Contacts

public struct ContactsInput: Codable, Sendable {
    /// At most 1,000 numbers, as people write them. The server reads a number without a country code as a number of the caller's country.
    public var phoneNumbers: [String]

    public init(phoneNumbers: [String]) { self.phoneNumbers = phoneNumbers }
}

public struct ContactsResponse: Codable, Sendable, Equatable {
    /// The people, in the order of the request's numbers.
    public var contacts: [PhoneContact]
    /// The list has only one page.
    public var pagination: Pagination

    public init(contacts: [PhoneContact]) {
        self.contacts = contacts
        pagination = Pagination(nextCursor: nil)
    }
}

public struct PhoneContact: Codable, Sendable, Equatable {
    public var id: String
    public var name: String
    /// The number as the request contained it.
    public var phone: String
    /// An absolute, signed URL; `nil` when the person has no picture.
    @OrNull public var profilePhotoUrl: String?

    public init(id: String, name: String, phone: String, profilePhotoUrl: String?) {
        self.id = id
        self.name = name
        self.phone = phone
        self.profilePhotoUrl = profilePhotoUrl
    }
}

// MARK: Values that must not reach a log

extension ContactsInput: Undisclosed {}
extension OnboardInput: Undisclosed {}
extension EditProfileInput: Undisclosed {}
extension PersonProfile: Undisclosed {}
