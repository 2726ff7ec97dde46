import AsyncHTTPClient
import Foundation
import KeepsakeWire
import NIOCore
import NIOHTTP1
import TestKit

/// Deletes accounts whose data contains unique words, and kills the server during the erasure. Afterwards no file in the server's folders
/// may contain those words, and another account must be unchanged.
struct DeletionCampaign {
    let folder: String
    private(set) var report = Report()
    private var eve: Person?

    struct Person {
        let id: String
        let token: String
        /// What no file may contain after the account's deletion: its words, its phone number, and the number that it invited.
        let traces: [String]
        /// The lists that this account sees of its data.
        var seen: [JSONValue] = []
    }

    struct Report {
        var accounts = 0
        var kills = 0
        /// Kills before the account was erased completely.
        var killsWithin = 0
        /// For each trace of each account, how many files contained it before the deletion.
        var foundBefore: [Int] = []
        /// The files that still contain an account's words after its deletion.
        var left: [String] = []
        var strangers: [String] = []
        var slowest = Duration.zero
        var verifyFailures: [String] = []

        var line: String {
            """
            \(accounts) accounts deleted under \(killsWithin) kills in the middle (\(kills) in all); their words and phone numbers in \
            \(foundBefore.min() ?? 0) to \(foundBefore.max() ?? 0) files before, in \(left.count) after; \(strangers.count) changes to the \
            other account; the slowest \(slowest) from the answer to the end, restarts included; \(verifyFailures.count) verify failures
            """
        }
    }

    /// Stands in for Firebase, whose tokens prove phone numbers. Its key is outside the searched folder.
    private let phones: ServerProcess
    private let keys: String
    private static let phonesProgram = Repository.folder + "/Server/Tests/EndToEndTests/Console/browser/phones.py"

    /// - Parameter keys: a folder outside of `folder`.
    init(folder: String, keys: String) throws {
        self.folder = folder
        self.keys = keys
        phones = try ServerProcess(data: keys, binary: Self.phonesProgram)
        for name in ["data", "temporary"] {
            try? FileManager.default.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
        }
    }

    private var environment: [String: String] {
        // Puts all temporary files, also those of SQLite, into the searched folder.
        let temporary = folder + "/temporary"
        return [
            "KEEPSAKE_RATE_LIMITS": "off", "KEEPSAKE_SCRUB_HOURS": "0", "TMPDIR": temporary, "SQLITE_TMPDIR": temporary,
            "KEEPSAKE_FIREBASE_PROJECT_ID": "keepsake-console", "KEEPSAKE_FIREBASE_JWKS_URL": "http://127.0.0.1:\(phones.port)/keys",
        ]
    }

    mutating func run(accounts: Int, progress: (Int) -> Void = { _ in }) async throws {
        defer { phones.killNow() }
        var server = try start()
        eve = try await person(server, words: "nobodyswords")
        for number in 1...accounts {
            let words = "kz" + String((0..<20).map { _ in "abcdefghijkmnpqrstuvwxyz23456789".randomElement()! })
            let ada = try await person(server, words: words)
            for trace in ada.traces { report.foundBefore.append(try files(holding: trace).count) }
            let answer = try await send(server, "POST", "/auth/delete", ada.token)
            guard answer.status == .ok else { throw Unexpected(description: "deletion answered \(answer.status.code)") }
            let clock = ContinuousClock()
            let start = clock.now
            for round in 0..<(number % 4) {
                // The first kill comes at once, because an idle machine erases quickly.
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...(round == 0 ? 5 : 150))))
                server.killNow()
                report.kills += 1
                if try !isErased(number) { report.killsWithin += 1 }
                server = try self.start()
            }
            while try !isErased(number) {
                guard clock.now - start < .seconds(300) else { throw Unexpected(description: "account \(number) is not erased") }
                try await Task.sleep(for: .milliseconds(20))
            }
            report.slowest = max(report.slowest, clock.now - start)
            report.accounts += 1
            for trace in ada.traces { report.left += try files(holding: trace).map { "account \(number): \(trace) in \($0)" } }
            try await lookAtEve(server)
            progress(number)
        }
        _ = server.terminate()
        let verify = try ServerProcess.run(["verify", "--data", folder + "/data"])
        if verify.status != 0 || !verify.output.contains(" 0 problems; 0 files without a row") {
            report.verifyFailures.append(verify.output)
        }
    }

    struct Unexpected: Error, CustomStringConvertible { let description: String }

    // MARK: The program

    /// The log is written to the folder that the campaign searches.
    private func start() throws -> ServerProcess {
        let path = folder + "/log"
        if !FileManager.default.fileExists(atPath: path) { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        let log = try FileHandle(forUpdating: URL(filePath: path))
        try log.seekToEnd()
        return try ServerProcess(data: folder + "/data", environment: environment, log: log)
    }

    /// Reads the state from the job table: each erased account leaves exactly one job, which checks again after two hours.
    private func isErased(_ number: Int) throws -> Bool {
        let path = folder + "/data/keepsake.sqlite"
        let sql = """
            SELECT (SELECT COUNT(*) FROM job WHERE key LIKE '% again %') || ' '
                || (SELECT COUNT(*) FROM job WHERE key NOT LIKE '% again %')
            """
        let script =
            "import sqlite3, sys; print(sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True).execute(sys.argv[2]).fetchone()[0])"
        return try Tool.run("python3", ["-c", script, path, sql]) == "\(number) 0\n"
    }

    /// The names of all files in the campaign's folder that contain the words.
    func files(holding words: String) throws -> [String] {
        let needle = Data(words.utf8)
        var found: [String] = []
        let all = FileManager.default.enumerator(at: URL(filePath: folder), includingPropertiesForKeys: [.isRegularFileKey])
        while let file = all?.nextObject() as? URL {
            guard (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true else { continue }
            // The garbage collector or a start may delete the file meanwhile.
            guard let data = try? Data(contentsOf: file) else { continue }
            if data.range(of: needle) != nil || file.path.contains(words) { found.append(file.lastPathComponent) }
        }
        return found
    }

    // MARK: People

    private func person(_ server: ServerProcess, words: String) async throws -> Person {
        let body = try JSONSerialization.data(withJSONObject: [
            "email": "\(words)@example.org", "password": "\(words) horse", "name": "Name \(words)",
        ])
        let json = try await send(
            server, "POST", "/auth/password/register", nil, type: "application/json", body, agent: "\(words)'s phone"
        ).json()
        guard let id = (json["user"] as? [String: Any])?["id"] as? String,
            let token = (json["token"] as? [String: Any])?["access_token"] as? String
        else { throw Unexpected(description: "registration: \(json)") }
        let root = "/api/users/user/\(id)"
        // The words are in the EXIF data and after the end of the picture.
        let note = [UInt8](words.utf8)
        let photo = try RealFile.bytes("baseline.jpg")
        let exif = Data(photo[0..<2] + [0xFF, 0xE1, 0, UInt8(2 + 6 + note.count)] + Array("Exif\0\0".utf8) + note + photo[2...] + note)
        var voice = Data(try RealFile.bytes("plain.wav"))
        // The words go into the middle of the samples, where they sound like a click.
        voice.replaceSubrange(voice.count / 2..<(voice.count / 2 + note.count), with: note)
        var mood = MultipartBody()
        let fields = [
            ("mood", "happy"), ("note", "dear \(words) diary"), ("reason", words), ("tags", "\(words),b"), ("category", words),
            ("groupId", words), ("location", words), ("interests", words),
        ]
        for (field, value) in fields { mood.add(field, value) }
        for number in 0..<2 { mood.add("file", fileName: "\(words)\(number).jpg", exif) }
        mood.add("voiceNote", fileName: "\(words).wav", type: "audio/wav", voice)
        mood.close()
        var ids: [String] = []
        for number in 0..<3 {
            let made = try await send(
                server, "POST", root + "/moods/swift", token, type: mood.contentType, mood.data, key: "\(words)-\(number)"
            ).json()
            guard let mood = made["mood"] as? [String: Any], let id = mood["id"] as? String else {
                throw Unexpected(description: "mood: \(made)")
            }
            ids.append(id)
            guard number == 2, let link = (mood["imageUrls"] as? [String])?.first, let path = URL(string: link)?.path else { continue }
            let small = try await send(server, "GET", path + "?w=64", token)
            guard small.status == .ok else { throw Unexpected(description: "smaller copy: \(small.status.code)") }
            // The server stores a copy a tenth of a second after it sent it.
            try await Task.sleep(for: .milliseconds(300))
        }
        _ = try await send(server, "DELETE", root + "/moods/\(ids[0])", token)
        let change = try JSONSerialization.data(withJSONObject: ["note": "no more \(words)", "tags": [words, "c"]])
        _ = try await send(server, "PATCH", root + "/moods/\(ids[1])", token, type: "application/json", change)
        let picture = MultipartBody.file("\(words).jpg", exif)
        _ = try await send(server, "POST", root + "/profile-picture/swift", token, type: picture.contentType, picture.data)
        _ = try await send(server, "GET", root + "/search?q=\(words)", token)
        let (own, guest) = (Self.phoneNumber(), Self.phoneNumber())
        try await prove(own, server, token)
        try await addCoves(server, token, words: words, picture: exif, guest: guest)
        var person = Person(id: id, token: token, traces: [words, String(own.dropFirst()), String(guest.dropFirst())])
        person.seen = try await see(server, person)
        return person
    }

    /// A German mobile number in E.164.
    private static func phoneNumber() -> String { "+49151\(Int.random(in: 10_000_000...99_999_999))" }

    /// Links a Firebase identity with the phone number, and signs in with it, which gives the account the number.
    private func prove(_ number: String, _ server: ServerProcess, _ token: String) async throws {
        let signed = try Tool.run("python3", ["-B", Self.phonesProgram, "--data", keys, "--sign", number])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let link = try JSONSerialization.data(withJSONObject: [
            "issuer": "https://securetoken.google.com/keepsake-console", "id_token": signed,
        ])
        for answer in [
            try await send(server, "POST", "/auth/link", token, type: "application/json", link),
            try await send(server, "GET", "/user/me", signed),
        ] where answer.status != .ok {
            throw Unexpected(description: "phone number: \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    /// A profile with a photo, and a cove with an invitation, a changed event, an event that has ended, covers, an answer and a calendar
    /// link.
    private func addCoves(_ server: ServerProcess, _ token: String, words: String, picture: Data, guest: String) async throws {
        @discardableResult
        func post(_ path: String, _ fields: [String: Any]) async throws -> [String: Any] {
            let body = try JSONSerialization.data(withJSONObject: fields)
            let answer = try await send(server, "POST", path, token, type: "application/json", body, key: "\(words)\(path)\(fields.count)")
            guard answer.status == .ok else { throw Unexpected(description: "\(path): \(String(decoding: answer.body, as: UTF8.self))") }
            return try answer.json()
        }
        let cover = picture.base64EncodedString()
        try await post("/onboard", ["name": words, "bio": words, "job": words, "city": words])
        try await post("/userImage", ["base64Image": cover, "isProfilePic": true])
        let cove = try await post("/create-cove", ["name": words, "description": words, "location": words, "coverPhoto": cover])["cove"]
        let coveID = (cove as? [String: Any])?["id"] as? String ?? ""
        try await post("/send-invite", ["coveId": coveID, "phoneNumbers": [guest]])
        let event = [
            "coveId": coveID, "name": words, "description": words, "location": words,
            "date": "2030-01-01T20:00:00Z",
        ]
        let (first, second) = (
            try await post("/create-event", event.merging(["coverPhoto": cover]) { $1 })["event"],
            try await post("/create-event", event)["event"]
        )
        let ids = [first, second].map { ($0 as? [String: Any])?["id"] as? String ?? "" }
        try await post("/edit-event", ["eventId": ids[0], "description": "more \(words)"])
        try await post("/update-event-rsvp", ["eventId": ids[0], "status": "GOING"])
        try await post("/delete-event", ["eventId": ids[1]])
        try await post("/calendar-link", [:])
    }

    private func see(_ server: ServerProcess, _ person: Person) async throws -> [JSONValue] {
        var seen: [JSONValue] = []
        let own = ["moods", "timeline", "multimedia", "search?q=nobodyswords"].map { "/api/users/user/\(person.id)/\($0)" }
        for path in own + ["/profile", "/user-coves", "/calendar-events"] {
            let answer = try await send(server, "GET", path, person.token)
            // Links contain the port, which differs at each start.
            let text = String(decoding: answer.body, as: UTF8.self).replacing(":\(server.port)/", with: ":0/")
            seen.append(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
        }
        return seen
    }

    private mutating func lookAtEve(_ server: ServerProcess) async throws {
        guard let eve else { return }
        let seen = try await see(server, eve)
        if seen != eve.seen { report.strangers.append("after \(report.accounts)") }
    }

    private struct Answer {
        let status: HTTPResponseStatus
        let body: Data
        func json() throws -> [String: Any] { try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:] }
    }

    private func send(
        _ server: ServerProcess, _ method: String, _ path: String, _ token: String?, type: String? = nil, _ body: Data? = nil,
        key: String? = nil, agent: String? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(path)")
        request.method = HTTPMethod(rawValue: method)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let type { request.headers.add(name: "Content-Type", value: type) }
        if let key { request.headers.add(name: "Idempotency-Key", value: key) }
        if let agent { request.headers.add(name: "User-Agent", value: agent) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await campaignClient.execute(request, timeout: .seconds(180))
        return Answer(status: response.status, body: Data(try await response.body.collect(upTo: 64 * 1_048_576).readableBytesView))
    }
}
