import Blobs
import Core
import Database
import Foundation
import HTTPServer
import HTTPTypes
import KeepsakeWire
import Logging
import ServiceLifecycle
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import Web
@testable import keepsake

/// The tests add their own routes in front of the whole server. The routes store a picture from a JSON body in the media library.
@Suite("Routes whose JSON carries files in base64", .blocksThreads)
struct JSONFileRouteTests {
    private struct Input: Codable, Sendable {
        var title: String
        var count: Int?
    }

    private struct Output: Codable, Sendable, Equatable {
        var id: String?
        var title: String
    }

    private static func create(_ maxByteCount: Int) -> CreationEndpoint<Input, Output> {
        CreationEndpoint(.post, "/test/pictures", surface: .coves, body: .jsonWithFiles(maxByteCount: maxByteCount))
    }
    private static func change(_ maxByteCount: Int) -> Endpoint<Input, Output> {
        Endpoint(.put, "/test/pictures", surface: .coves, body: .jsonWithFiles(maxByteCount: maxByteCount))
    }

    /// A server with both test routes.
    private struct Front: Sendable {
        let server: TestServer
        let port: Int
        let ada: TestServer.Person

        func send(_ body: String, method: String = "POST", key: String? = nil) async throws -> TestServer.Answer {
            try await server.send(
                method, "http://127.0.0.1:\(port)/test/pictures", as: ada,
                headers: [("Content-Type", "application/json")] + (key.map { [("Idempotency-Key", $0)] } ?? []), body: Data(body.utf8))
        }

        /// - Parameter fields: additional header fields.
        func head(_ fields: [String]) -> String {
            (["POST /test/pictures HTTP/1.1", "Host: localhost", "Authorization: Bearer \(ada.token)"] + fields + ["", ""]).joined(
                separator: "\r\n")
        }

        /// The number of stored `Idempotency-Key`s, of finished and unfinished requests.
        func claimCount() async throws -> Int {
            try await server.backend.database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM idempotency")!.get("n") }
        }

        /// Whether the server refuses an upload that waits for `100 Continue`, because there are too many unfinished uploads.
        func refusesAnotherUpload() throws -> Bool {
            let connection = try RawConnection(port: port)
            defer { connection.close() }
            try connection.send(head(["Content-Length: 1000", "Expect: 100-continue"]))
            return try connection.answer().status == 429
        }

        /// The number of rows in the library and of files in the blob store.
        func kept() async throws -> [Int] {
            let rows: Int = try await server.backend.database.read { tx in
                try tx.row("SELECT COUNT(*) AS n FROM media")!.get("n")
            }
            return [rows, try await server.storedFileCount()]
        }
    }

    private static func run(
        _ pair: StoragePair, limits: ChannelLimits = ChannelLimits(), maxByteCount: Int = 100_000,
        _ test: @escaping @Sendable (Front) async throws -> Void
    ) async throws {
        try await TestServer.run(pair) { server in
            let web = WebServer(metrics: Metrics(), limits: limits)
            let routes = server.backend.makeRoutes(on: web)
            let handler = StorePicture(media: server.backend.media, database: server.backend.database)
            routes.serve(files: ["photo"], create(maxByteCount), handler.create)
            routes.serve(files: ["photo"], change(maxByteCount), handler.change)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let (ports, onPort) = AsyncStream.makeStream(of: Int.self)
            let application = web.makeApplication(router: routes.router, host: "127.0.0.1", port: 0, logger: logger) { onPort.yield($0) }
            let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask(executorPreference: globalConcurrentExecutor) { try await group.run() }
                var iterator = ports.makeAsyncIterator()
                let port = try #require(await iterator.next())
                let result: Result<Void, any Error>
                do {
                    result = .success(try await test(Front(server: server, port: port, ada: server.person())))
                } catch {
                    result = .failure(error)
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                try result.get()
            }
        }
    }

    private struct StorePicture: Sendable {
        let media: MediaFeature
        let database: any Database

        func create(_ body: IncomingJSON, _ context: WebContext) async throws -> Kept<Output> {
            let owner = try context.requireViewer().accountID
            let session = UploadSession(rules: MediaLibrary.picture(in: ["photo"]), gate: media.gate, owner: owner)
            let (upload, input) = try await body.receive(into: session, as: Input.self)
            let library = media.library
            return try await upload.settle {
                guard input.title != "refused" else { throw Problem(.invalid, "title is refused.", field: "title") }
                guard let received = upload.files.first else { throw Problem(.invalid, "photo is missing.", field: "photo") }
                let file = library.file(received, category: "photo", groupID: nil)
                let output = Output(id: file.id, title: input.title)
                return try await database.write { tx in
                    let surplus = try library.add([file], rowBytes: 0, owner: owner, tx)
                    return (try context.idempotency.keep(output, creating: [MediaLibrary.resource(file.id)], tx), surplus)
                }
            }
        }

        func change(_ body: IncomingJSON, _ context: WebContext) async throws -> Output {
            try await create(body, context).output
        }
    }

    /// A photo that is so long that the server writes its beginning to the disk before the rest arrives. The bytes after the picture's end
    /// have no meaning.
    private static func longPhoto() throws -> String {
        try (Fixture.data("photo.jpg") + Data(count: 600_000)).base64EncodedString()
    }

    private static func photo(_ name: String = "photo.jpg") throws -> String { try Fixture.data(name).base64EncodedString() }

    @Test("members come in any order, and the file's bytes are stored as they were", arguments: StoragePair.allCases)
    func order(_ pair: StoragePair) async throws {
        try await Self.run(pair) { front in
            let photo = try Self.photo()
            for (method, body) in [
                ("POST", #"{"title":"Sea","count":3,"photo":"\#(photo)"}"#), ("POST", #"{"photo":"\#(photo)","title":"Sea"}"#),
                ("PUT", #"{"x":{"photo":"no file"},"photo":"data:image\/jpeg;base64,\#(photo)","title":"Sea"}"#),
            ] {
                let answer = try await front.send(body, method: method)
                #expect(answer.status == 200, "\(answer.text)")
                let output = try answer.decode(Output.self)
                let id = try #require(output.id)
                #expect(output.title == "Sea")
                let link = front.server.backend.media.library.link(id, owner: front.ada.id)
                #expect(try await front.server.send("GET", link).body == Fixture.data("photo.jpg"))
            }
            #expect(try await front.kept() == [3, 1])
        }
    }

    @Test("a body without a length may come in pieces that end anywhere", arguments: [1, 3, 1_000, 20_000], StoragePair.allCases)
    func pieces(_ length: Int, _ pair: StoragePair) async throws {
        try await Self.run(pair) { front in
            // Use a small picture for short pieces, because the server refuses large bodies in tiny pieces.
            let photo = try Self.photo(length < 1_000 ? "palette.png" : "photo.jpg").replacing("/", with: "\\/")
            let body = Array(#"{"title":"S\u00e9a","photo" : "\#(photo)" , "count":1}"#.utf8)
            let connection = try RawConnection(port: front.port)
            try connection.send(front.head(["Transfer-Encoding: chunked"]))
            for start in stride(from: 0, to: body.count, by: length) {
                let piece = body[start..<min(start + length, body.count)]
                try connection.send(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8))
            }
            try connection.send("0\r\n\r\n")
            let answer = try connection.answer()
            #expect(answer.status == 200 && answer.text.contains("\"title\":\"Séa\""), "\(answer.text)")
            #expect(try await front.kept() == [1, 1])
        }
    }

    private static let refusals: [(body: String, status: Int, words: String)] = [
        (#"{"title":"Sea","photo":"A*A"}"#, 400, "photo is not base64"), (#"{"title":"Sea","photo":5}"#, 400, "photo must be a string"),
        (#"{"title":"Sea","photo":{"a":1}}"#, 400, "photo must be a string"), (#"{"title":"Sea"}"#, 400, "photo is missing"),
        (#"{"title":"Sea","photo":null}"#, 400, "photo is missing"), (#"{"title":"Sea","photo":""}"#, 400, "photo is missing"),
        (#"{"title":"Sea","photo":"data:image/png;base64,"}"#, 400, "photo is missing"),
        (#"{"photo":"PICTURE"}"#, 400, "title is missing"), (#"{"photo":"PICTURE","title":5}"#, 400, "title must be a string"),
        (#"{"photo":"PICTURE","title":null}"#, 400, "title must not be null"),
        (#"{"photo":"PICTURE","title":"Sea","count":"3"}"#, 400, "count must be a whole number"),
        (#"{"photo":"PICTURE","title":"refused"}"#, 400, "title is refused"),
        (#"{"photo":"PICTURE","title":"Sea","photo":"PICTURE"}"#, 400, "Send at most 1 file"),
        (#"{"photo":"PICTURE","title":"Sea""#, 400, "not a JSON object"), (#"{"photo":"PICTURE","title":Sea}"#, 400, "not JSON"),
        (#"["PICTURE"]"#, 400, "not a JSON object"), ("", 400, "not a JSON object"),
        (#"{"title":"Sea","photo":"aGVsbG8="}"#, 400, "JPEG, PNG, WebP or HEIC"),
        (#"{"title":"Sea","photo":"GIF"}"#, 400, "JPEG, PNG, WebP or HEIC"),
        (#"{"photo":"PICTURE","title":"LONG"}"#, 413, "larger than 65536 bytes"),
        (#"{"title":"Sea","photo":"LONGLONG"}"#, 413, "larger than"),
    ]

    @Test("a refused body leaves nothing, and the refusal names the member", arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        try await Self.run(pair) { front in
            let long = String(repeating: "A", count: 70_000)
            let (picture, gif) = (try Self.photo("palette.png"), try Self.photo("still87a.gif"))
            for (body, status, words) in Self.refusals {
                let body = body.replacing("LONG", with: long).replacing("PICTURE", with: picture).replacing("GIF", with: gif)
                for method in ["POST", "PUT"] {
                    let answer = try await front.send(body, method: method)
                    #expect(answer.status == status && answer.text.contains(words), "\(body.prefix(60)): \(answer.text)")
                    #expect(try answer.json().keys.sorted() == ["message"])
                }
            }
            let stranger = try await front.server.send("POST", "http://127.0.0.1:\(front.port)/test/pictures", body: Data("{}".utf8))
            #expect(stranger.status == 401)
            #expect(try await front.kept() == [0, 0])
        }
    }

    @Test("a body that announces too much is 413 before it is read; an endless one as soon as it is too long")
    func tooLong() async throws {
        try await Self.run(.embedded) { front in
            let announced = try RawConnection(port: front.port)
            try announced.send(front.head(["Content-Length: 100001", "Expect: 100-continue"]))
            #expect(try announced.answer().status == 413)
            let endless = try RawConnection(port: front.port)
            try endless.send(front.head(["Transfer-Encoding: chunked"]))
            let piece = "2710\r\n" + String(repeating: " ", count: 10_000) + "\r\n"
            for _ in 0..<11 { try endless.send(piece) }
            #expect(try endless.answer().status == 413)
        }
    }

    @Test("a client that expects 100 Continue gets it before its body is read", arguments: StoragePair.allCases)
    func expectation(_ pair: StoragePair) async throws {
        try await Self.run(pair) { front in
            let body = #"{"title":"Sea","photo":"\#(try Self.photo())"}"#
            let connection = try RawConnection(port: front.port)
            try connection.send(front.head(["Content-Length: \(body.utf8.count)", "Expect: 100-continue"]))
            #expect(try connection.answer().status == 100)
            try connection.send(body)
            #expect(try connection.answer().status == 200)
        }
    }

    @Test("a retry with the same key gets the first answer and stores nothing; another body is 422", arguments: StoragePair.allCases)
    func retry(_ pair: StoragePair) async throws {
        try await Self.run(pair) { front in
            let body = #"{"title":"Sea!","photo":"\#(try Self.photo())"}"#
            // After a refused request, its key can be used again.
            #expect(try await front.send(body.replacing("Sea!", with: "refused"), key: "k").status == 400)
            let first = try await front.send(body, key: "k")
            #expect(first.status == 200 && first.header("Idempotency-Replayed") == nil)
            let again = try await front.send(body, key: "k")
            #expect(again.status == 200 && again.body == first.body && again.header("Idempotency-Replayed") == "true")
            for other in [body.replacing("Sea!", with: "Lake"), body.replacing("/9j/", with: "/9k/"), body + " "] {
                let answer = try await front.send(other, key: "k")
                #expect(answer.status == 422 && answer.text.contains("Idempotency-Key"), "\(answer.text)")
            }
            #expect(try await front.kept() == [1, 1])

            let id = try #require(try first.decode(Output.self).id)
            let path = "/api/users/user/\(front.ada.id)/multimedia/\(id)"
            #expect(try await front.server.send("DELETE", path, as: front.ada).status == 200)
            #expect(try await front.send(body, key: "k").status == 410)
        }
    }

    @Test(
        "while a body is arriving, a second one with its key is 409; a hang-up leaves nothing and frees the key",
        arguments: StoragePair.allCases
    )
    func hangUp(_ pair: StoragePair) async throws {
        try await Self.run(pair, maxByteCount: 2_000_000) { front in
            let body = Array(#"{"title":"Sea","photo":"\#(try Self.longPhoto())"}"#.utf8)
            let text = String(decoding: body, as: UTF8.self)
            let connection = try RawConnection(port: front.port)
            try connection.send(front.head(["Content-Length: \(body.count)", "Idempotency-Key: k"]))
            try connection.send(body[..<600_000])
            try await eventually { try await front.claimCount() == 1 }
            let second = try await front.send(text, key: "k")
            #expect(second.status == 409 && second.header("Retry-After") == "1")
            connection.close()
            try await eventually { try await front.server.storedFileCount() == 0 }
            try await eventually { try await front.send(text, key: "k").status == 200 }
            #expect(try await front.kept() == [1, 1])
        }
    }

    @Test("a body that arrives slowly takes no other request's place, and counts among its account's unfinished uploads")
    func slow() async throws {
        var limits = ChannelLimits()
        limits.requestsInWork = 1
        limits.requestsInWorkPerCaller = 1
        limits.requestsInWorkPerNetwork = 1
        limits.unfinishedUploads = .init(total: 2, perAccount: 1, perNetwork: 2)
        try await Self.run(.embedded, limits: limits, maxByteCount: 2_000_000) { front in
            let body = #"{"title":"Sea","photo":"\#(try Self.longPhoto())"}"#
            let slow = try RawConnection(port: front.port)
            try slow.send(front.head(["Content-Length: \(body.utf8.count)", "Idempotency-Key: k"]) + body.prefix(600_000))
            // Once the key is claimed, the server has also counted the slow upload. A second upload sent before that could take the only
            // place.
            try await eventually { try await front.claimCount() == 1 }
            #expect(try front.refusesAnotherUpload())
            // The slow upload does not use the only place for a request in work.
            #expect(try await front.server.send("GET", "http://127.0.0.1:\(front.port)/user/me", as: front.ada).status == 200)
            try slow.send(String(body.dropFirst(600_000)))
            #expect(try slow.answer().status == 200)
            #expect(try await front.kept() == [1, 1])
        }
    }
}
