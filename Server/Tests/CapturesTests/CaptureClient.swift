import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// A socket of `/ws/ios/{user}`, as an app uses it.
final class CaptureClient: Sendable {
    let socket: WebSocketClient

    init(_ server: TestServer, _ person: TestServer.Person, since: Int64? = nil) throws {
        socket = try WebSocketClient(
            port: server.port, path: "/ws/ios/\(person.id)" + (since.map { "?since=\($0)" } ?? ""), headers: [person.bearer])
    }

    /// Connects without a credential.
    init(_ server: TestServer, anonymous user: String) throws {
        socket = try WebSocketClient(port: server.port, path: "/ws/ios/\(user)")
    }

    deinit { socket.connection.close() }

    func send(_ fields: [String: Any]) throws {
        var message: [String: Any] = ["type": "memory_capture"]
        message.merge(fields) { $1 }
        try socket.send(String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self))
    }

    func next() throws -> [String: Any] {
        let frame = try socket.nextMessage()
        guard frame.opcode == 1 else { throw RawConnection.Failure.notHTTP }
        return try JSONSerialization.jsonObject(with: Data(frame.payload)) as? [String: Any] ?? [:]
    }

    /// The next message that is not of the given type.
    func next(skipping type: String) throws -> [String: Any] {
        while true {
            let message = try next()
            if message["type"] as? String != type { return message }
        }
    }

    /// Sends a capture and waits for its answer.
    @discardableResult
    func take(_ id: String?, at time: String, _ words: String? = nil, photo: String? = nil, audio: String? = nil) throws -> [String: Any] {
        var fields: [String: Any] = ["timestamp": time]
        fields["id"] = id
        fields["transcription"] = words
        fields["photoURL"] = photo
        fields["audioURL"] = audio
        try send(fields)
        return try next(skipping: "memory_processed")
    }
}

extension TestServer {
    func capture(_ id: String, as person: Person) async throws -> Capture {
        let answer = try await send("GET", "/captures/\(id)", as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.captures.makeDecoder().decode(Capture.self, from: answer.body)
    }

    func captures(_ query: String = "", as person: Person) async throws -> ItemPage<Capture> {
        let answer = try await send("GET", "/captures\(query)", as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.captures.makeDecoder().decode(ItemPage<Capture>.self, from: answer.body)
    }

    func contacts(as person: Person) async throws -> [KnownContact] {
        let answer = try await send("GET", "/contacts/known?limit=100", as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.captures.makeDecoder().decode(ItemPage<KnownContact>.self, from: answer.body).items
    }

    func hours(_ date: String, as person: Person) async throws -> [HourlySummary] {
        let answer = try await send("GET", "/summaries/hourly?date=\(date)", as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.captures.makeDecoder().decode(ItemPage<HourlySummary>.self, from: answer.body).items
    }

    func days(as person: Person) async throws -> [DailySummary] {
        let answer = try await send("GET", "/summaries/daily", as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.captures.makeDecoder().decode(ItemPage<DailySummary>.self, from: answer.body).items
    }

    /// Waits until the capture has been processed.
    func processed(_ id: String, as person: Person) async throws -> Capture {
        try await eventually { try await [.processed, .failed].contains(capture(id, as: person).status) }
        return try await capture(id, as: person)
    }

    /// Waits until no capture waits for its jobs, and no summary is due at the time of the test's clock.
    func settle() async throws {
        let (database, clock) = (backend.database, clock)
        try await eventually {
            try await database.read { tx in
                try tx.row(
                    """
                    SELECT id FROM job WHERE kind LIKE 'captures/%' AND (state = 'running' OR (state = 'ready' AND run_at <= \(clock.now)))
                    """) == nil
            }
        }
    }

    func uploadCapture(_ id: String, _ file: String, as person: Person?, key: String? = nil) async throws -> Answer {
        let form = MultipartBody.file(file, try Fixture.data(file))
        return try await send(
            "POST", "/upload/\(id)", as: person,
            headers: [("Content-Type", form.contentType)] + (key.map { [("Idempotency-Key", $0)] } ?? []), body: form.data)
    }

    func setZone(_ name: String, of person: Person) async throws {
        let answer = try await sendJSON("PATCH", "/user/me", ["time_zone": name], as: person)
        try #require(answer.status == 200, "\(answer.text)")
    }
}
