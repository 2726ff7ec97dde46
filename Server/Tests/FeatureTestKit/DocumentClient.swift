import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The request code of the multimedia document, with a real picture in place of `jpegData`, and the test server's address in place of the
/// document's. Like the document's code, it sends no credential, keeps the order of the parts, and labels every recording `audio/m4a`.
struct DocumentClient: Sendable {
    let base: String
    var userId = "123"

    enum Failure: Error { case invalidResponse(Int, String) }

    // MARK: Functions of the document

    func uploadToConvexMultimedia(images: [Data], category: String = "general", title: String? = nil) async throws -> Data {
        try await post("multimedia/swift") { body in
            for (index, imageData) in images.enumerated() { body.file("file", "image\(index).jpg", "image/jpeg", imageData) }
            body.field("category", category)
            if let title { body.field("title", title) }
        }
    }

    func createMoodWithImages(
        mood: String, note: String? = nil, reason: String? = nil, tags: [String] = [], interests: [String] = [],
        moodIntensity: Int? = nil, createdAt: Int? = nil, images: [Data]
    ) async throws -> Data {
        try await post("moods/swift") { body in
            body.field("mood", mood)
            if let note { body.field("note", note) }
            if let reason { body.field("reason", reason) }
            if !tags.isEmpty { body.field("tags", tags.joined(separator: ",")) }
            if !interests.isEmpty { body.field("interests", interests.joined(separator: ",")) }
            if let intensity = moodIntensity { body.field("moodIntensity", "\(intensity)") }
            // The document lists this field, but its sample does not send it.
            if let createdAt { body.field("createdAt", "\(createdAt)") }
            for (index, imageData) in images.enumerated() { body.file("file", "mood_image\(index).jpg", "image/jpeg", imageData) }
        }
    }

    func createMemoryWithImages(
        title: String, description: String? = nil, location: String? = nil, tags: [String] = [], images: [Data]
    ) async throws -> Data {
        try await post("memories/swift") { body in
            body.field("title", title)
            if let description { body.field("description", description) }
            if let location { body.field("location", location) }
            if !tags.isEmpty { body.field("tags", tags.joined(separator: ",")) }
            for (index, imageData) in images.enumerated() { body.file("file", "memory_image\(index).jpg", "image/jpeg", imageData) }
        }
    }

    func uploadProfilePicture(image: Data) async throws -> Data {
        try await post("profile-picture/swift") { body in body.file("file", "profile_picture.jpg", "image/jpeg", image) }
    }

    func createEventWithImages(
        title: String, date: Date, description: String? = nil, location: String? = nil, tags: [String] = [], images: [Data]
    ) async throws -> Data {
        try await post("events/swift") { body in
            body.field("title", title)
            body.field("date", ISO8601DateFormatter().string(from: date))
            if let description { body.field("description", description) }
            if let location { body.field("location", location) }
            if !tags.isEmpty { body.field("tags", tags.joined(separator: ",")) }
            for (index, imageData) in images.enumerated() { body.file("file", "event_image\(index).jpg", "image/jpeg", imageData) }
        }
    }

    func createMoodWithVoiceAndImages(
        mood: String, note: String? = nil, voiceNote: (name: String, data: Data)? = nil, voiceNoteDuration: TimeInterval? = nil,
        images: [Data] = []
    ) async throws -> Data {
        try await post("moods/swift") { body in
            body.field("mood", mood)
            if let note { body.field("note", note) }
            if let duration = voiceNoteDuration { body.field("voiceNoteDuration", "\(duration)") }
            if let voiceNote { body.file("voiceNote", voiceNote.name, "audio/m4a", voiceNote.data) }
            for (index, imageData) in images.enumerated() { body.file("file", "mood_image\(index).jpg", "image/jpeg", imageData) }
        }
    }

    // MARK: Shared code

    private func post(_ path: String, _ fill: (inout Body) -> Void) async throws -> Data {
        let url = URL(string: "\(base)/api/users/user/\(userId)/\(path)")!
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let boundary = UUID().uuidString
        request.setValue("multipart/form-data; boundary=\(boundary)", forHTTPHeaderField: "Content-Type")
        var body = Body(boundary: boundary)
        fill(&body)
        body.data.append("--\(boundary)--\r\n".data(using: .utf8)!)
        request.httpBody = body.data
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        // The document's clients accept only 200.
        guard status == 200 else { throw Failure.invalidResponse(status, String(decoding: data, as: UTF8.self)) }
        return data
    }

    private struct Body {
        let boundary: String
        var data = Data()

        mutating func field(_ name: String, _ value: String) {
            data.append("--\(boundary)\r\n".data(using: .utf8)!)
            data.append("Content-Disposition: form-data; name=\"\(name)\"\r\n\r\n".data(using: .utf8)!)
            data.append(value.data(using: .utf8)!)
            data.append("\r\n".data(using: .utf8)!)
        }

        mutating func file(_ name: String, _ fileName: String, _ type: String, _ content: Data) {
            data.append("--\(boundary)\r\n".data(using: .utf8)!)
            data.append("Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(fileName)\"\r\n".data(using: .utf8)!)
            data.append("Content-Type: \(type)\r\n\r\n".data(using: .utf8)!)
            data.append(content)
            data.append("\r\n".data(using: .utf8)!)
        }
    }
}

/// The document's models, copied unchanged.
enum Document {
    struct UploadResponse: Codable {
        let success: Bool
        let files: [UploadedFile]
        let errors: [String]?
        let groupId: String?
        let count: Int
    }
    struct UploadedFile: Codable {
        let data: FileData
    }
    struct FileData: Codable {
        let url: String
        let key: String
        let appUrl: String
        let name: String
        let size: Int
        let type: String
        let fileId: String
    }
    struct ProfilePictureResponse: Codable {
        let success: Bool
        let message: String
        let imageUrl: String
    }
    struct MoodResponse: Codable {
        let success: Bool
        let mood: MoodData
        let imageUrls: [String]?
    }
    struct MoodData: Codable {
        let id: String
        let mood: String
        let note: String?
        let voiceNote: String?
        let voiceNoteDuration: Double?
        let reason: String?
        let tags: [String]
        let interests: [String]
        let moodIntensity: Int?
        let createdAt: Int
    }
    struct MemoryResponse: Codable {
        let success: Bool
        let memory: MemoryData
        let imageUrls: [String]?
    }
    struct MemoryData: Codable {
        let id: String
        let title: String
        let description: String?
        let location: String?
        let tags: [String]
        let createdAt: Int
    }
    struct EventResponse: Codable {
        let success: Bool
        let event: EventData
        let imageUrls: [String]?
    }
    struct EventData: Codable {
        let id: String
        let title: String
        let description: String?
        let date: String
        let location: String?
        let tags: [String]
        let createdAt: Int
    }
}
