import Foundation
import Synchronization
import TestKit

/// What a cluster told its clients, to compare it with what the cluster holds at the end.
struct ClusterLedger: Sendable {
    /// Paths and hashes of acknowledged files, by their person.
    var files: [String: [String: String]] = [:]
    /// Ids of acknowledged moods, by their person.
    var moods: [String: Set<String>] = [:]
    /// Ids of acknowledged capsules and the hashes of their recordings, by their person.
    var capsules: [String: [String: String]] = [:]
    /// Access tokens of sessions whose sign-out was acknowledged.
    var endedTokens: [String] = []
    var searches = 0
    /// Requests that had no final response in time.
    var unanswered: [String] = []
    /// Final responses other than those a client expects.
    var wrong: [String] = []
    /// Requests with the token of an ended session that were admitted.
    var admitted = 0

    /// The number of acknowledged files, moods and capsules.
    var acknowledged: Int {
        (files.values.map(\.count) + moods.values.map(\.count) + capsules.values.map(\.count)).reduce(0, +)
    }
}

/// People who upload, write moods, record capsules, search, sign in and out, until `stop()` is called. Every request is retried until it
/// has a final response.
final class ClusterLoad: Sendable {
    struct Person: Sendable {
        let person: CampaignPerson
        let email: String
    }

    static let password = "a long enough password"

    let client: RetryingClient
    private let people: [Person]
    /// The kinds of requests that a client makes. A client makes a kind as often as it is listed.
    private let mix: [Kind]
    private let state = Mutex((ledger: ClusterLedger(), isStopped: false, nextLarge: ContinuousClock.now))

    enum Kind: Sendable { case upload, mood, capsule, search, signOut }

    /// The timeout of requests that hash a password: on a busy machine, a debug build needs seconds for that.
    private static let hashing = Duration.seconds(30)
    /// The timeout of requests with a large file. A client whose node hangs waits that long.
    static let transfer = Duration.seconds(20)

    static let everything: [Kind] = [.upload, .upload, .upload, .mood, .mood, .mood, .capsule, .search, .signOut]

    init(_ client: RetryingClient, _ people: [Person], mix: [Kind] = everything) {
        self.client = client
        self.people = people
        self.mix = mix
    }

    var ledger: ClusterLedger { state.withLock { $0.ledger } }
    func note(_ change: (inout ClusterLedger) -> Void) { state.withLock { change(&$0.ledger) } }
    func stop() { state.withLock { $0.isStopped = true } }
    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Registers people with passwords.
    static func people(_ count: Int, _ client: RetryingClient) async throws -> [Person] {
        var people: [Person] = []
        for number in 0..<count {
            let email = "person\(number)-\(UUID().uuidString.lowercased())@example.org"
            let answer = try await client.send(
                "POST", "/auth/password/register", type: "application/json",
                body: try JSONSerialization.data(withJSONObject: ["email": email, "password": password]), timeout: hashing)
            guard let id = (answer.json()["user"] as? [String: Any])?["id"] as? String,
                let token = (answer.json()["token"] as? [String: Any])?["access_token"] as? String
            else { throw RetryingClient.GaveUp(description: "registration: \(answer.status) \(answer.text)") }
            people.append(Person(person: CampaignPerson(id: id, token: token), email: email))
        }
        return people
    }

    /// - Parameter clients: clients of each person.
    func run(clients: Int = 2) async {
        await withTaskGroup(of: Void.self) { group in
            for person in people {
                for _ in 0..<clients {
                    group.addTask {
                        while !self.isStopped {
                            do {
                                try await self.once(self.mix.randomElement()!, person)
                            } catch {
                                self.note { $0.unanswered.append("\(error)") }
                                // Requests to nodes that are away fail at once, so without a pause they would keep a processor busy.
                                try? await Task.sleep(for: .milliseconds(20))
                            }
                        }
                    }
                }
            }
        }
    }

    private func once(_ kind: Kind, _ person: Person) async throws {
        switch kind {
        case .upload: try await upload(person.person)
        case .mood: try await mood(person.person)
        case .capsule: try await capsule(person.person)
        case .search: try await search(person.person)
        case .signOut: try await signOut(person)
        }
    }

    private func expect(_ answer: RetryingClient.Answer, _ statuses: Set<Int>, _ what: String) -> Bool {
        if statuses.contains(answer.status) { return true }
        note { $0.wrong.append("\(what): \(answer.status) \(answer.text), try \(answer.tries)") }
        return false
    }

    /// Returns 12 MB every eight seconds, and otherwise a smaller size. The server uploads a film of 12 MB to S3 in parts, and such an
    /// upload may be in flight when a node is killed. radosgw keeps objects in memory, which has room for ten minutes of these films.
    private func filmSize() -> Int {
        state.withLock { state in
            guard ContinuousClock.now >= state.nextLarge else { return [400, 5_000, 70_000, 300_000].randomElement()! }
            state.nextLarge = ContinuousClock.now + .seconds(8)
            return 12_000_000
        }
    }

    private func upload(_ person: CampaignPerson) async throws {
        let film = Film.bytes(filmSize(), isRandom: true)
        var body = MultipartBody()
        body.add("file", fileName: "film.mp4", type: "video/mp4", film)
        body.close()
        let answer = try await client.send(
            "POST", "/api/users/user/\(person.id)/multimedia/swift", as: person.token, key: UUID().uuidString, type: body.contentType,
            body: body.data, timeout: film.count > 1_000_000 ? Self.transfer : nil)
        guard expect(answer, [200], "upload") else { return }
        let files = answer.json()["files"] as? [[String: [String: Any]]] ?? []
        guard files.count == 1, let id = files[0]["data"]?["fileId"] as? String else {
            return note { $0.wrong.append("upload: \(answer.text)") }
        }
        let path = "/api/users/user/\(person.id)/multimedia/files/\(id)"
        note { $0.files[person.id, default: [:]][path] = Load.hash(film) }
        // Another node may answer this request, and it must have the file at once.
        let read = try await client.send("GET", path, as: person.token, timeout: film.count > 1_000_000 ? Self.transfer : nil)
        if expect(read, [200], "file"), Load.hash(read.body) != Load.hash(film) { note { $0.wrong.append("file: other bytes") } }
    }

    private func mood(_ person: CampaignPerson) async throws {
        let word = "w" + UUID().uuidString.lowercased().replacing("-", with: "")
        var body = MultipartBody()
        body.add("mood", "happy")
        body.add("note", "by the sea \(word)")
        body.close()
        let answer = try await client.send(
            "POST", "/api/users/user/\(person.id)/moods/swift", as: person.token, key: UUID().uuidString, type: body.contentType,
            body: body.data)
        guard expect(answer, [200], "mood") else { return }
        guard let id = (answer.json()["mood"] as? [String: Any])?["id"] as? String else {
            return note { $0.wrong.append("mood: \(answer.text)") }
        }
        note { $0.moods[person.id, default: []].insert(id) }
        // Another node may answer this search, and it must find the mood once.
        let found = try await client.send("GET", "/api/users/user/\(person.id)/search?q=\(word)", as: person.token)
        guard expect(found, [200], "search for a mood") else { return }
        let count = (found.json()["items"] as? [Any])?.count ?? -1
        if count != 1 { note { $0.wrong.append("search for a mood: \(count) found") } }
    }

    private func capsule(_ person: CampaignPerson) async throws {
        let sound = Self.sound()
        let made = try await client.send(
            "POST", "/v0/capsules", as: person.token, key: UUID().uuidString, type: "application/json",
            body: try JSONSerialization.data(withJSONObject: ["duration": 0.5, "file_size": sound.count]))
        guard expect(made, [200, 201], "capsule") else { return }
        guard let id = (made.json()["capsule"] as? [String: Any])?["id"] as? String else {
            return note { $0.wrong.append("capsule: \(made.text)") }
        }
        var form = MultipartBody()
        form.add("capsule_id", id)
        form.add("audio", fileName: "recording.wav", type: "audio/wav", sound)
        form.close()
        let uploaded = try await client.send(
            "POST", "/v0/capsules/\(id)/audio", as: person.token, key: UUID().uuidString, type: form.contentType, body: form.data)
        guard expect(uploaded, [200, 201], "recording") else { return }
        let done = try await client.send(
            "POST", "/v0/capsules/\(id)/complete", as: person.token, type: "application/json", body: Data("{}".utf8))
        guard expect(done, [200], "completion of a capsule") else { return }
        note { $0.capsules[person.id, default: [:]][id] = Load.hash(sound) }
    }

    private func search(_ person: CampaignPerson) async throws {
        let answer = try await client.send("GET", "/api/users/user/\(person.id)/search?q=sea&limit=10", as: person.token)
        if expect(answer, [200], "search") { note { $0.searches += 1 } }
    }

    /// Signs in, uses the session, signs out, and tries the session again.
    private func signOut(_ person: Person) async throws {
        let answer = try await client.send(
            "POST", "/auth/password/login", type: "application/json",
            body: try JSONSerialization.data(withJSONObject: ["email": person.email, "password": Self.password]), timeout: Self.hashing)
        guard expect(answer, [200], "sign-in") else { return }
        guard let token = (answer.json()["token"] as? [String: Any])?["access_token"] as? String else {
            return note { $0.wrong.append("sign-in: \(answer.text)") }
        }
        guard expect(try await client.send("GET", "/user/me", as: token), [200], "account") else { return }
        // If the response to a sign-out was lost, the session has ended, and the retry gets 401.
        let out = try await client.send("POST", "/auth/signout", as: token)
        guard expect(out, [200, 204, 401], "sign-out") else { return }
        note { $0.endedTokens.append(token) }
        try await checkEnded([token])
    }

    /// Counts the tokens of ended sessions that any node still admits.
    /// - Parameter urls: nodes to ask directly, besides the node that nginx chooses.
    func checkEnded(_ tokens: [String], on urls: [String] = []) async throws {
        for token in tokens {
            for url in [client.url] + urls {
                let answer = try await client.send("GET", url + "/user/me", as: token)
                if answer.status == 200 { note { $0.admitted += 1 } }
            }
        }
    }

    /// A WAV of noise: 8 kHz, 16 bits, one channel, half a second.
    private static func sound() -> Data {
        let noise = Data((0..<8_000).map { _ in UInt8.random(in: .min ... .max) })
        func number<T: FixedWidthInteger>(_ value: T) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }
        let format =
            number(UInt16(1)) + number(UInt16(1)) + number(UInt32(8_000)) + number(UInt32(16_000)) + number(UInt16(2)) + number(UInt16(16))
        let chunks = Data("WAVEfmt ".utf8) + number(UInt32(16)) + format + Data("data".utf8) + number(UInt32(noise.count)) + noise
        return Data("RIFF".utf8) + number(UInt32(chunks.count)) + chunks
    }
}
