import ArgumentParser
import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import Intelligence
@testable import keepsake

/// The part of the testing checklist in surface 2's document that is about files.
@Suite("Files of a chat", .blocksThreads)
struct UploadChatFileTests {
    @Test("every allowed type is stored, answered as documented, and served to its owner byte by byte", arguments: StoragePair.allCases)
    func types(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for fixture in try ChatFixture.all() {
                let answer = try await server.chatUpload(fixture.name, fixture.data, as: ada)
                #expect(answer.status == 200, "\(fixture.name): \(answer.text)")
                let file = try answer.decode(DocumentedUploadedFile.self)
                let object = try answer.decode(ChatFileObject.self)
                #expect(file.type == fixture.type.rawValue && file.filename == fixture.name && file.size == fixture.data.count)
                #expect(object.success == true && object.bytes == object.size && !object.embedded)
                #expect(object.objectId.wholeMatch(of: /[0-9a-f]{24}/) != nil)
                #expect(file.filepath?.hasPrefix(fixture.type.isImage ? "/images/\(ada.id)/" : "/uploads/\(ada.id)/") == true)
                #expect(object.source == (fixture.words == nil ? "local" : "text"), "\(fixture.name)")
                #expect(fixture.words.map { object.text?.contains($0) == true } ?? (object.text == nil), "\(object.text ?? "nil")")
                // The response has the measured width, not the one that the client sent.
                #expect((file.width == nil) == (fixture.type.document != nil || fixture.type == .usdz) && file.width != 4_032)
                let served = try await server.send("GET", file.servePath, as: ada)
                #expect(served.status == 200 && served.body == fixture.data, "\(fixture.name)")
                #expect(served.header("Content-Type") == fixture.type.rawValue && served.header("X-Content-Type-Options") == "nosniff")
                #expect(served.header("Content-Security-Policy") == "sandbox; default-src 'none'")
                let isShown = ["image/", "video/"].contains { fixture.type.rawValue.hasPrefix($0) }
                #expect(served.header("Content-Disposition")?.hasPrefix(isShown ? "inline" : "attachment") == true, "\(fixture.name)")
            }
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("text in UTF-16 is read in either byte order", arguments: [("md", true), ("txt", false)])
    func wideText(_ ending: String, _ isBigEndian: Bool) async throws {
        let words = "# The café by the lighthouse 🎬\n"
        let units = Array("\u{FEFF}\(words)".utf16)
        let bytes = units.flatMap { unit -> [UInt8] in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? pair : pair.reversed()
        }
        try await TestServer.run(StoragePair.embedded) { server in
            let ada = try await server.person()
            let answer = try await server.chatUpload("a.\(ending)", Data(bytes), as: ada)
            #expect(answer.status == 200, "\(answer.text)")
            let file = try answer.decode(ChatFileObject.self)
            let text = try #require(file.text)
            #expect(text.trimmingCharacters(in: .newlines) == "# The café by the lighthouse 🎬" && file.source == "text")
        }
    }

    @Test("a picture without positive whole numbers as width and height is 400 and leaves nothing", arguments: StoragePair.allCases)
    func sizes(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            for (width, height) in [
                (nil, "10"), ("10", nil), ("0", "10"), ("-1", "10"), ("1.5", "10"), ("", "10"), ("10", "ten"), ("+1", "1"),
            ] {
                let fields = [("width", width), ("height", height)].compactMap { field, value in value.map { (field, $0) } }
                let answer = try await server.chatUpload("a.jpg", photo, fields, as: ada)
                #expect(answer.status == 400, "\(width ?? "nil") \(height ?? "nil")")
                #expect(try (answer.json()["message"] as? String)?.contains("pixels") == true, "\(answer.text)")
            }
            // Only pictures need a width and a height.
            #expect(try await server.chatUpload("a.txt", Data("words".utf8), [], as: ada).status == 200)
            #expect(try await server.storedFileCount() == 1)
            #expect(try await server.chatFileCount() == 1)
        }
    }

    @Test(
        "a name or content that is not allowed, and a name that disagrees with the content, are 400 and leave nothing",
        arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let fixtures = try ChatFixture.all()
            for name in ["a.html", "a.svg", "a.exe", "a.webp", "a.heic", "a.zip", "a", "txt", ".", "a.txt.html", "a.docm"] {
                #expect(try await server.chatUpload(name, Data("words".utf8), as: ada).status == 400, "\(name)")
            }
            // The server compares the name with the content before it uses a store, so only one pair tests all names with all contents.
            for file in pair == .embedded ? fixtures : Array(fixtures.prefix(2)) {
                for other in fixtures where other.type != file.type {
                    let isText = [file.type, other.type].allSatisfy { [.markdown, .text].contains($0) }
                    if isText { continue }
                    let answer = try await server.chatUpload("a.\(other.type.fileExtensions[0])", file.data, as: ada)
                    #expect(answer.status == 400, "\(file.type) as \(other.type): \(answer.text)")
                }
            }
            let contents: [(String, Data)] = [
                ("a.txt", Data([0, 1, 2, 3])), ("a.txt", Data("a\u{1B}[31m".utf8)), ("a.md", Data([0x61, 0x81, 0x62])), ("a.txt", Data()),
                ("a.txt", Data(String(repeating: "words ", count: 10_000).utf8) + [0]), ("a.jpg", Data("<svg/>".utf8)),
                ("a.jpg", try Fixture.data("photo.jpg").prefix(2_000)), ("a.doc", Data("{\\rtf1 words}".utf8)),
                ("a.doc", DocumentBytes.compound([("Workbook", Data(count: 4_096))])), ("a.pdf", Data("PDF".utf8)),
                ("a.docx", ZipBytes.archive([.init("a.txt", Data("words".utf8))])), ("a.png", try Fixture.data("lossy.webp")),
                ("a.docx", ZipBytes.docx(["words"], and: [.init("word/vbaProject.bin", Data("macro".utf8))])),
            ]
            for (name, content) in contents {
                let answer = try await server.chatUpload(name, content, as: ada)
                #expect(answer.status == 400, "\(name) \(content.prefix(20) as NSData): \(answer.text)")
                #expect(try answer.json()["message"] is String)
            }
            #expect(
                try await server.chatUpload("a.jpeg", try Fixture.data("photo.jpg"), as: ada).status == 200, "jpg and jpeg are one kind")
            let wide = Data([0xFF, 0xFE, 0x41, 0x00])
            #expect(try await server.chatUpload("A.TXT", wide, as: ada).status == 200, "capital letters, and UTF-16")
            #expect(try await server.storedFileCount() == 2)
            #expect(try await server.checkedUsage(of: ada).files == 2)
        }
    }

    @Test(
        "100 MB pass and a byte more is 413, announced or not, whatever KEEPSAKE_MAX_FILE_MB says; nothing of it stays",
        arguments: ["1", "200"])
    func limit(_ setting: String) async throws {
        let settings = try await Settings.read(
            Serve.parse([]).options, environment: ["KEEPSAKE_MAX_FILE_MB": setting, "KEEPSAKE_MAX_REQUEST_MB": setting + "0"])
        try await TestServer.run(StoragePair.embedded) {
            $0.uploads = settings.uploads
        } _: { server in
            let ada = try await server.person()
            var file = Data("%PDF-1.4\n".utf8)
            file += Data(repeating: UInt8(ascii: " "), count: 104_857_600 - file.count)
            // If the setting counted, 1 would refuse 100 MB and 200 would accept a byte more.
            let isSmaller = setting == "1"
            if isSmaller {
                let most = try await server.chatUpload("a.pdf", file, as: ada)
                #expect(most.status == 200, "\(most.text)")
                // No reader can open it, so it has no text.
                #expect(try most.decode(ChatFileObject.self).source == "local")
            }
            let more = try await server.chatUpload("a.pdf", file + [0x20], as: ada)
            #expect(more.status == 413 && more.text.contains("100 MB"), "\(more.text)")
            if !isSmaller {
                let chunked = try RawConnection(port: server.port)
                try chunked.send(Self.head(server, ["Authorization: Bearer \(ada.token)"], length: nil, name: "a.pdf"))
                let body = Self.part(named: "a.pdf") + file + [0x20] + Data("\r\n--b--\r\n".utf8)
                try chunked.send(Data("\(String(body.count, radix: 16))\r\n".utf8) + body + Data("\r\n0\r\n\r\n".utf8))
                #expect(try chunked.answer().status == 413)
            }
            #expect(try await server.storedFileCount() == (isSmaller ? 1 : 0))
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("several pictures of one account at once are all kept", arguments: StoragePair.allCases)
    func several(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 1...6 {
                    group.addTask { try await server.chatUpload("\(number).jpg", photo, as: ada).decode(ChatFileObject.self).fileId }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ids.count == 6)
            // Equal bytes of one owner are stored once.
            #expect(try await server.storedFileCount() == 1)
            let two = MultipartBody.file("a.txt", Data("words".utf8))
            var body = MultipartBody(boundary: two.boundary)
            body.add("file", fileName: "a.txt", Data("words".utf8))
            body.add("file", fileName: "b.txt", Data("words".utf8))
            body.close()
            #expect(try await server.upload(body, to: TestServer.chatUploadPath, as: ada).status == 400)
            #expect(try await server.chatFileCount() == 6)
        }
    }

    @Test("an upload that the client cancels, or that its network loses, leaves nothing", arguments: StoragePair.allCases)
    func cancelled(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let film = Film.bytes(400_000)
            // A client that cancels closes its connection. A connection that is lost ends with a reset.
            for (sent, isReset) in [(0, false), (10, false), (5_000, false), (399_000, false), (10, true), (399_000, true)] {
                let connection = try RawConnection(port: server.port)
                try connection.send(Self.head(server, ["Authorization: Bearer \(ada.token)"], length: 400_300))
                try connection.send(Self.part + film.prefix(sent))
                try await Task.sleep(for: .milliseconds(50))
                if isReset { connection.reset() } else { connection.close() }
            }
            try await eventually { try await server.storedFileCount() == 0 }
            #expect(try await server.chatFileCount() == 0)
            try await eventually { try await server.checkedUsage(of: ada) == QuotaUsage() }
        }
    }

    @Test("an upload with an ended session is 401 before its body is read, and leaves nothing", arguments: StoragePair.allCases)
    func session(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let cookie = try await server.send("POST", "/auth/session", as: ada)
            let value = try #require(cookie.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
            func upload(_ name: String) async throws -> TestServer.Answer {
                let body = MultipartBody.file(name, Data("words".utf8))
                return try await server.send(
                    "POST", TestServer.chatUploadPath, headers: [("Content-Type", body.contentType), ("Cookie", value)], body: body.data)
            }
            let kept = try await upload("a.txt")
            #expect(kept.status == 200, "\(kept.text)")
            // The session ends while the body of a second upload is on its way, so a third upload is refused.
            let running = try RawConnection(port: server.port)
            let end = Data("\r\n--b--\r\n".utf8)
            let words = Data(String(repeating: "words ", count: 2_000).utf8)
            try running.send(Self.head(server, ["Cookie: \(value)"], length: Self.part.count + words.count + end.count, name: "a.txt"))
            try running.send(Self.part(named: "a.txt") + words.prefix(6_000))
            try await eventually { try await server.send("GET", "/metrics").text.contains("keepsake_uploads_in_work 1\n") }
            #expect(try await server.send("DELETE", "/auth/session", headers: [("Cookie", value)]).status < 300)
            let refused = try await upload("b.txt")
            #expect(refused.status == 401, "\(refused.text)")
            #expect(try refused.json()["message"] is String)
            #expect(try await server.chatFileCount() == 1)
            // The server finishes the second upload, because it checked the credential when the request came.
            try running.send(words.dropFirst(6_000) + end)
            #expect(try running.answer().status == 200)
            #expect(try await server.chatFileCount() == 2)
            #expect(try await server.storedFileCount() == 2)
        }
    }

    @Test("an upload whose session expires under way is finished; the next one is 401 and leaves nothing", arguments: StoragePair.allCases)
    func expired(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let cookie = try await server.send("POST", "/auth/session", as: ada)
            let value = try #require(cookie.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
            // The cookie expires a minute later.
            server.clock.advance(by: Duration.days(30) - .minutes(1))
            let running = try RawConnection(port: server.port)
            let end = Data("\r\n--b--\r\n".utf8)
            let words = Data(String(repeating: "words ", count: 2_000).utf8)
            try running.send(Self.head(server, ["Cookie: \(value)"], length: Self.part.count + words.count + end.count, name: "a.txt"))
            try running.send(Self.part(named: "a.txt") + words.prefix(6_000))
            try await eventually { try await server.send("GET", "/metrics").text.contains("keepsake_uploads_in_work 1\n") }
            server.clock.advance(by: .minutes(2))
            let body = MultipartBody.file("b.txt", Data("other words".utf8))
            let refused = try await server.send(
                "POST", TestServer.chatUploadPath, headers: [("Content-Type", body.contentType), ("Cookie", value)], body: body.data)
            #expect(refused.status == 401, "\(refused.text)")
            #expect(try refused.json()["message"] is String)
            #expect(try await server.chatFileCount() == 0)
            try running.send(words.dropFirst(6_000) + end)
            #expect(try running.answer().status == 200)
            #expect(try await server.chatFileCount() == 1)
            #expect(try await server.storedFileCount() == 1)
            #expect(try await server.checkedUsage(of: ada).files == 1)
        }
    }

    @Test("pictures of one account are read one after the other, also if one is deleted meanwhile", arguments: StoragePair.allCases)
    func oneAfterTheOther(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let picture = try #require(Data(base64Encoded: TesseractSample.base64))
            var ids: [String] = []
            for number in 1...3 {
                ids.append(try await server.chatUpload("\(number).jpg", picture, as: ada).decode(ChatFileObject.self).fileId)
            }
            #expect(try await server.send("DELETE", "/api/chat/files/\(ids[1])", as: ada).status == 200)
            let (store, left) = (server.chatFiles(), [ids[0], ids[2]])
            try await eventually { try await !store.isAnyPending(left, owner: ada.id) }
            for id in left { #expect(try await store.text(id, owner: ada.id)?.lowercased().contains("keepsake") == true) }
        }
    }

    @Test(
        "the text of a picture is read by a job, and a repeated upload with the same key gets the first answer",
        arguments: StoragePair.allCases)
    func later(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let picture = try #require(Data(base64Encoded: TesseractSample.base64))
            let first = try await server.chatUpload("sign.jpg", picture, as: ada, key: "one")
            let again = try await server.chatUpload("sign.jpg", picture, as: ada, key: "one")
            #expect(first.status == 200 && again.body == first.body, "\(again.text)")
            #expect(try await server.chatFileCount() == 1)
            let id = try first.decode(ChatFileObject.self).fileId
            let store = server.chatFiles()
            try await eventually { try await !store.isAnyPending([id], owner: ada.id) }
            #expect(try await store.text(id, owner: ada.id)?.lowercased().contains("keepsake") == true)
            #expect(try await store.text(id, owner: "somebody") == nil)
            _ = try await server.checkedUsage(of: ada)
        }
    }

    // MARK: Raw requests

    /// - Parameter length: the length of the body; `nil` for a body that comes in chunks.
    private static func head(_ server: TestServer, _ fields: [String], length: Int?, name: String = "a.mp4") -> String {
        (["POST \(TestServer.chatUploadPath) HTTP/1.1", "Host: localhost:\(server.port)", "Content-Type: multipart/form-data; boundary=b"]
            + fields + [length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked", "", ""]).joined(separator: "\r\n")
    }

    private static func part(named name: String) -> Data {
        Data("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n".utf8)
    }

    private static let part = part(named: "a.mp4")
}
