import Foundation
import KeepsakeWire
import TestKit
import Testing

/// Requests that several tests of capsules use.
extension TestServer {
    func makeCapsule(
        _ size: Int, duration: Double = 30.5, createdAt: String? = nil, as person: Person, key: String? = nil
    ) async throws -> CapsuleUpload {
        let answer = try await createCapsule(
            ["duration": duration, "file_size": size].merging(createdAt.map { ["created_at": $0] } ?? [:]) { $1 }, as: person, key: key)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.decode(CapsuleUpload.self)
    }

    func createCapsule(_ body: [String: Any], as person: Person, key: String? = nil) async throws -> Answer {
        try await send(
            "POST", "/v0/capsules", as: person,
            headers: [("Content-Type", "application/json")] + (key.map { [("Idempotency-Key", $0)] } ?? []),
            body: try JSONSerialization.data(withJSONObject: body, options: .sortedKeys))
    }

    func uploadAudio(_ sound: Data, to id: String, named: String? = nil, as person: Person, key: String? = nil) async throws -> Answer {
        var form = MultipartBody()
        form.add("capsule_id", named ?? id)
        form.add("audio", fileName: "recording.wav", type: "audio/wav", sound)
        form.close()
        return try await upload(form, to: "/v0/capsules/\(id)/audio", as: person, key: key)
    }

    func putAudio(_ sound: Data, _ link: String, type: String = "audio/wav") async throws -> Answer {
        try await send("PUT", link, headers: [("Content-Type", type)], body: sound)
    }

    func completeCapsule(_ id: String, _ body: String = #"{"status":"processing"}"#, as person: Person) async throws -> Answer {
        try await send(
            "POST", "/v0/capsules/\(id)/complete", as: person, headers: [("Content-Type", "application/json")], body: Data(body.utf8))
    }

    func capsule(_ id: String, as person: Person) async throws -> Capsule {
        let answer = try await send("GET", "/v0/capsules/\(id)", as: person)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.decode(Capsule.self)
    }

    /// Waits until the capsule is completed or has failed.
    func settledCapsule(_ id: String, within limit: Duration = .seconds(180), as person: Person) async throws -> Capsule {
        let end = ContinuousClock.now + limit
        while true {
            let capsule = try await capsule(id, as: person)
            if [.completed, .failed].contains(capsule.status) { return capsule }
            guard ContinuousClock.now < end else {
                Issue.record("the capsule is \(capsule.status.rawValue) still")
                return capsule
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The events about capsules, in order.
    func capsuleEvents(as person: Person) async throws -> [(type: String, data: [String: Any])] {
        let answer = try await send("GET", "/events?since=0&wait=0", as: person)
        let items = try answer.json()["items"] as? [[String: Any]] ?? []
        return items.compactMap { item in
            guard let type = item["type"] as? String, type.hasPrefix("capsule.") else { return nil }
            return (type, item["data"] as? [String: Any] ?? [:])
        }
    }
}

/// Finds the dates in JSON.
enum WireDates {
    /// The values of all keys that end in `_at`, at any depth.
    static func all(in json: Any) -> [String] {
        switch json {
        case let object as [String: Any]:
            object.flatMap { key, value in key.hasSuffix("_at") ? ["\(value)"] : all(in: value) }
        case let array as [Any]: array.flatMap { all(in: $0) }
        default: []
        }
    }

    static func haveSixDigits(_ json: Any) -> Bool {
        let dates = all(in: json)
        return !dates.isEmpty
            && dates.allSatisfy { (try? #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/#.wholeMatch(in: $0)) != nil }
    }
}
