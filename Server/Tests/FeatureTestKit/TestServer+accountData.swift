import DatabaseEngines
import Foundation
import KeepsakeWire
import TestKit
import Testing
import Web

@testable import Database
@testable import keepsake

/// Creates people with data of every kind, and finds the data that is left after a deletion.
extension TestServer {
    struct FullPerson: Sendable {
        let person: Person
        let refreshToken: String
        /// A link to a picture, which needs no credential.
        let link: String
        /// A file that was sent in a message of a chat.
        let chatFile: ChatFileObject
    }

    func signUp(_ name: String, name shown: String) async throws -> (person: Person, refreshToken: String) {
        let body = try JSONEncoder().encode(["email": "\(name)@example.org", "password": "correct horse", "name": shown])
        let answer = try await send(
            "POST", "/auth/password/register", headers: [("Content-Type", "application/json")], body: body)
        try #require(answer.status == 200, "\(answer.text)")
        let signedIn = try Surface.capsules.makeDecoder().decode(SignedIn.self, from: answer.body)
        return (Person(id: signedIn.user.id, token: signedIn.token.accessToken), signedIn.token.refreshToken)
    }

    func logIn(_ name: String) async throws -> Answer {
        let body = try JSONEncoder().encode(["email": "\(name)@example.org", "password": "correct horse"])
        return try await send("POST", "/auth/password/login", headers: [("Content-Type", "application/json")], body: body)
    }

    func refresh(_ token: String) async throws -> Answer {
        try await send(
            "POST", "/auth/refresh", headers: [("Content-Type", "application/json")],
            body: try JSONEncoder().encode(["refresh_token": token]))
    }

    /// Creates a mood with pictures and a voice note, an event, files, a profile picture, smaller copies and a chat. Then changes some of
    /// them and deletes some.
    /// - Parameter words: occurs in every text, and in the bytes of every file whose format allows extra bytes.
    func full(_ name: String, words: String) async throws -> FullPerson {
        let (person, refreshToken) = try await signUp(name, name: words)
        var photo = try Fixture.data("photo.jpg")
        var files: [(String, String, String, Data)] = []
        photo.append(Data(words.utf8))
        files.append(("file", "\(words).jpg", "image/jpeg", photo))
        files.append(("file", "both.jpg", "image/jpeg", try Fixture.data("baseline.jpg")))
        files.append(("voiceNote", "\(words).m4a", "audio/m4a", try Fixture.data("voice.m4a")))
        let fields = [
            ("mood", "happy"), ("note", "a note of \(words)"), ("reason", words), ("tags", "\(words),b"), ("category", words),
            ("intensity", "7"), ("location", words),
        ]
        var moods: [String] = []
        for number in 0..<2 {
            var body = MultipartBody()
            for (field, value) in fields { body.add(field, value) }
            for (field, fileName, type, bytes) in files { body.add(field, fileName: fileName, type: type, bytes) }
            body.close()
            let answer = try await upload(
                body, to: moments(person, "moods/swift"), as: person,
                key: "\(words.filter(\.isASCII).filter { !$0.isWhitespace })-\(number)")
            try #require(answer.status == 200, "\(answer.text)")
            moods.append(try answer.decode(MoodResponse.self).mood.id)
        }
        let gone = try await send("DELETE", moments(person, "moods/\(moods[0])"), as: person)
        try #require(gone.status == 200)
        let changed = try await send(
            "PATCH", moments(person, "moods/\(moods[1])"), as: person, headers: [("Content-Type", "application/json")],
            body: try JSONEncoder().encode(["note": "another note of \(words)"]))
        try #require(changed.status == 200, "\(changed.text)")
        let event = try await create("events", [("title", words), ("date", "2026-11-21T10:00:00Z"), ("location", words)], as: person)
        try #require(event.status == 200, "\(event.text)")
        let picture = try await upload(
            .file("\(words).jpg", photo), to: "/api/users/user/\(person.id)/profile-picture/swift", as: person)
        try #require(picture.status == 200, "\(picture.text)")
        try await fillProfile(of: person, words: words, photo: photo)
        let mood = try await send("GET", moments(person, "moods/\(moods[1])"), as: person).decode(MoodResponse.self).mood
        let link = try #require(mood.imageUrls.first)
        let id = try #require(URL(string: link)?.lastPathComponent)
        let small = try await send("GET", "/api/users/user/\(person.id)/multimedia/files/\(id)?w=64", as: person)
        try #require(small.status == 200, "\(small.status)")
        try await settleCopies()
        let chatFile = try await chat(about: words, as: person)
        return FullPerson(person: person, refreshToken: refreshToken, link: link, chatFile: chatFile)
    }

    /// Sends a message with a file in a chat, which also creates an answer.
    private func chat(about words: String, as person: Person) async throws -> ChatFileObject {
        var body = MultipartBody()
        body.add("file", fileName: "\(words).txt", type: "text/plain", Data("A file of \(words).".utf8))
        body.close()
        let uploaded = try await upload(body, to: "/api/chat/files/upload", as: person)
        try #require(uploaded.status == 200, "\(uploaded.text)")
        let file = try uploaded.decode(ChatFileObject.self)
        let message: [String: Any] = ["text": "What is \(words)?", "messageId": "m-1", "files": [["file_id": file.fileId]]]
        let answer = try await sendJSON("POST", "/api/chat/agents/chat/google", message, as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return file
    }

    /// Fills a profile: every text is `words`. Adds another photo besides the profile picture, and looks up some phone numbers.
    private func fillProfile(of person: Person, words: String, photo: Data) async throws {
        var profile: [String: Any] = ["birthdate": "2001-12-31", "latitude": 52.25, "longitude": -1.5, "hobbies": [words]]
        for field in [
            "name", "bio", "almaMater", "job", "workLocation", "relationStatus", "sexuality", "gender", "city", "gradYear",
        ] { profile[field] = words }
        let requests: [(String, [String: Any])] = [
            ("/onboard", profile), ("/userImage", ["base64Image": photo.base64EncodedString()]),
            ("/contacts", ["phoneNumbers": ["+14155550123"]]),
        ]
        for (path, body) in requests {
            let answer = try await sendJSON("POST", path, body, as: person)
            try #require(answer.status == 200, "\(path): \(answer.text)")
        }
    }

    /// All of the person's own data that the API returns to this person.
    func everything(of person: Person) async throws -> [JSONValue] {
        var all: [JSONValue] = []
        for path in ["moods", "events", "timeline", "multimedia", "search?q=other"] {
            all.append(try await send("GET", moments(person, path), as: person).decode(JSONValue.self))
        }
        for path in ["/user/me", "/profile", "/api/chat/convos", "/api/chat/search?q=other"] {
            all.append(try await send("GET", path, as: person).decode(JSONValue.self))
        }
        return all
    }

    // MARK: Data that is left

    /// The number of the account's rows in each registered table. Leaves out tables without rows, and counts at most 10 rows.
    func rowCounts(of account: String) async throws -> [String: Int] {
        try await backend.database.read { tx in
            var counts: [String: Int] = [:]
            for table in Backend.personalTables {
                let count = try tx.rows(table.page(account, after: nil, count: 10)).count
                if count > 0 { counts[table.name] = count }
            }
            return counts
        }
    }

    func tables(holding words: String, _ pair: StoragePair) async throws -> Set<String> { try await tables(holding: words, pair.engine) }

    /// The tables in which a column, converted to text by the engine, contains the words.
    func tables(holding words: String, _ engine: Engine) async throws -> Set<String> {
        let database = backend.database
        let names: [String] = try await database.read { tx in
            let sql: SQL =
                engine == .sqlite
                ? "SELECT name FROM sqlite_master WHERE type = 'table'"
                : "SELECT CAST(table_name AS TEXT) AS name FROM information_schema.tables WHERE table_schema = current_schema()"
            return try tx.rows(sql).map { try $0.get("name") }
        }
        var found: Set<String> = []
        for name in names {
            let sql = engine == .sqlite ? "SELECT * FROM \"\(name)\"" : "SELECT CAST(x AS TEXT) AS x FROM \"\(name)\" AS x"
            let rows = try await database.read { tx in try tx.rows(SQL(verbatim: sql)) }
            if rows.contains(where: { "\($0)".contains(words) }) { found.insert(name) }
        }
        return found
    }

    /// The files in the server's folders that contain the words. Includes the database's files.
    func files(holding words: String) throws -> [String] {
        guard case .sqlite(let path) = backend.settings.database else { return [] }
        let needle = Data(words.utf8)
        var found: [String] = []
        for folder in [self.folder, URL(filePath: path).deletingLastPathComponent().path] {
            let all = FileManager.default.enumerator(at: URL(filePath: folder), includingPropertiesForKeys: [.isRegularFileKey])
            while let file = all?.nextObject() as? URL {
                guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
                if try Data(contentsOf: file).range(of: needle) != nil { found.append(file.lastPathComponent) }
            }
        }
        return found
    }

    // MARK: Waiting

    /// The keys of the jobs that erase accounts.
    func eraseJobs() async throws -> [String] {
        try await backend.database.read { tx in
            try tx.rows("SELECT key FROM job WHERE kind = 'accounts/erase' ORDER BY key").map { try $0.get("key") }
        }
    }

    func isErased(_ account: String) async throws -> Bool {
        let jobs = try await eraseJobs().filter { $0.hasPrefix(account + " ") }
        return !jobs.isEmpty && jobs.allSatisfy { $0.hasPrefix(account + " again ") }
    }

    func waitUntilErased(_ account: String) async throws { try await wait { try await isErased(account) } }

    func wait(_ isDone: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await !isDone() {
            try #require(ContinuousClock.now < end, "it takes too long")
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
