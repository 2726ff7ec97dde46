import Blobs
import Core
import Foundation
import HTTPTypes
import Hummingbird
import KeepsakeWire
import Logging
import NIOCore
import ServiceLifecycle
import TestKit
import Testing

@testable import Web

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Base64 files in JSON")
struct JSONFileTests {
    private struct Rest: Codable { var title: String }

    /// - Returns: the files by member name, and the rest of the object.
    private func take(_ json: String, cut: Int) throws -> (files: [String: [UInt8]], rest: String) {
        var steps = JSONFileSteps(members: ["photo", "data"])
        var files: [String: [UInt8]] = [:]
        var open: String?
        let bytes = Array(json.utf8)
        for start in stride(from: 0, to: bytes.count, by: cut) {
            for step in try steps.steps(in: ByteBuffer(bytes: bytes[start..<min(start + cut, bytes.count)])) {
                switch step {
                case .begin(let member):
                    #expect(open == nil && files[member] == nil)
                    open = member
                    files[member] = []
                case .append(let bytes): files[try #require(open), default: []] += Array(bytes.readableBytesView)
                case .end: open = nil
                }
            }
        }
        try steps.finish()
        return (files, String(decoding: steps.rest, as: UTF8.self))
    }

    @Test("files are decoded byte for byte, however the body is cut, and the rest is kept", arguments: [1, 2, 3, 5, 64, 100_000])
    func whole(_ cut: Int) throws {
        var generator = TestKit.SplitMix64(seed: 7)
        for length in [0, 1, 2, 3, 4, 100, 1_000] {
            let content = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let plain = Data(content).base64EncodedString()
            let forms = [
                plain, plain.replacing("/", with: "\\/"), plain.replacing("=", with: ""),
                plain.replacing("+", with: "-").replacing("/", with: "_"), plain.replacing("+", with: "\\u002B"),
                "data:image/jpeg;base64," + plain, "data:image\\/png;base64," + plain,
                Data(content).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn]).replacing(
                    "\r", with: "\\r\\n"),
            ]
            for form in forms {
                let (files, rest) = try take(#" {"a":"photo","photo" : "\#(form)" ,"b":{"photo":"x"},"c":[{"data":"\""}, 1]}\#n"#, cut: cut)
                #expect(files == ["photo": content], "\(form)")
                #expect(rest == #"{"a":"photo","photo" :null ,"b":{"photo":"x"},"c":[{"data":"\""}, 1]}"#)
            }
        }
    }

    @Test(
        "invalid base64, and a body that is no object, are 400 naming the member",
        arguments: [
            (#"{"data":"AA*A"}"#, "data"), (#"{"data":"A"}"#, "data"), (#"{"data":"AB"}"#, "data"), (#"{"data":"AA=A"}"#, "data"),
            (#"{"data":"AA==="}"#, "data"), (#"{"data":"AAAA="}"#, "data"), (#"{"data":"data:text"}"#, "data"), (#"{"data":"\x"}"#, "data"),
            (#"{"data":"\u00e9"}"#, "data"), ("{\"data\":\"A\nAAA\"}", "data"), (#"{"data":"AAAA"#, nil), (#"{"data":"AAAA""#, nil),
            (#"{"data":5}"#, "data"), (#"{"data":{"a":"AAAA"}}"#, "data"), (#"{"data":["AAAA"]}"#, "data"), (#"{"data":true}"#, "data"),
            (#"["data"]"#, nil), ("", nil), (#"{"a":1}x"#, nil), (#"{"data" "AAAA"}"#, nil),
        ] as [(String, String?)])
    func broken(_ json: String, _ field: String?) {
        for cut in [1, 1_000] {
            do {
                let (files, rest) = try take(json, cut: cut)
                Issue.record("\(json) was taken: \(files), \(rest)")
            } catch {
                let problem = error as? Problem
                #expect(problem?.kind == .invalid && problem?.field == field, "\(json): \(error)")
            }
        }
    }

    @Test("null is left to the input's decoder, like members of the same name further inside; the size of the rest is limited")
    func others() throws {
        #expect(try take(#"{"data":null,"x":{"data":"AAAA"}}"#, cut: 1).rest == #"{"data":null,"x":{"data":"AAAA"}}"#)
        var steps = JSONFileSteps(members: ["data"], maxRestByteCount: 100)
        #expect(throws: Problem.self) { _ = try steps.steps(in: ByteBuffer(string: #"{"a":"\#(String(repeating: "x", count: 200))"}"#)) }
    }

    @Test("no input makes it trap")
    func hostile() {
        var generator = TestKit.SplitMix64(seed: 11)
        let seed = Array(#"{"data":"data:image/png;base64,AAAA\/\u002B==","a":[{"b":"\\"}]}"#.utf8)
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            var steps = JSONFileSteps(members: ["data"])
            for start in stride(from: 0, to: bytes.count, by: 7) {
                guard (try? steps.steps(in: ByteBuffer(bytes: bytes[start..<min(start + 7, bytes.count)]))) != nil else { break }
            }
        }
    }

    @Test("a JSON body and a raw body pass through the upload session: staged, hashed, limited, and deleted when refused")
    func session() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let kind = UploadRules.FileKind(
            fields: ["data"], maxCount: 1, maxByteCount: 1_048_576, windowByteCount: 16, tailByteCount: 16, types: [],
            refusal: Problem(.unprocessable, "no"), recognise: { _, _ in nil }, conclude: { "test/\($0.byteCount)" })
        let rules = UploadRules(kinds: [kind], textFields: [], keepsTheOthers: false)
        let content = (0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let web = WebServer(metrics: Metrics())
        let router = web.makeRouter()
        router.on("/json", method: .post) { request, context in
            let session = UploadSession(rules: rules, gate: UploadGate(store: store), owner: "ada")
            let body = IncomingJSON(
                request: request, context: context, members: ["data"], parameters: [:], surface: .coves, maxByteCount: 1_500_000)
            let (upload, rest) = try await body.receive(into: session, as: Rest.self)
            let text = "\(upload.files[0].blob.sha256) \(rest.title)"
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: text)))
        }
        router.on("/raw", method: .put) { request, context in
            let session = UploadSession(rules: rules, gate: UploadGate(store: store), owner: "ada")
            let upload = try await IncomingFile(request: request, context: context).receive(into: session, field: "data")
            return Response(
                status: .ok, body: .init(byteBuffer: ByteBuffer(string: "\(upload.files[0].blob.sha256) \(upload.files[0].facts.type)")))
        }
        let (ports, onPort) = AsyncStream.makeStream(of: Int.self)
        let application = web.makeApplication(
            router: router, host: "127.0.0.1", port: 0, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { onPort.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            var iterator = ports.makeAsyncIterator()
            let port = await iterator.next()!
            func send(_ method: String, _ path: String, _ body: Data) async throws -> (Int, String) {
                var request = URLRequest(url: URL(string: "http://127.0.0.1:\(port)\(path)")!)
                request.httpMethod = method
                let (data, response) = try await URLSession.shared.upload(for: request, from: body)
                return ((response as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
            }
            let sha256 = BlobStoreSuite.sha256(content)
            let json = try JSONSerialization.data(withJSONObject: ["data": Data(content).base64EncodedString(), "title": "Sea"])
            let taken = try await send("POST", "/json", json)
            #expect(taken == (200, sha256 + " Sea"))
            #expect(try await send("PUT", "/raw", Data(content)) == (200, "\(sha256) test/900000"))
            let large = Data(count: 1_048_577)
            #expect(try await send("PUT", "/raw", large).0 == 413)
            #expect(try await send("POST", "/json", Data(#"{"data":"\#(large.base64EncodedString())"}"#.utf8)).0 == 413)
            // The body has a limit of its own, whatever the body contains.
            #expect(try await send("POST", "/json", Data(#"{"title":""#.utf8) + Data(count: 1_500_000)).0 == 413)
            #expect(try await send("POST", "/json", Data(#"{"data":"\#(Data(content).base64EncodedString())!"}"#.utf8)).0 == 400)
            #expect(try await send("POST", "/json", Data(#"{"data":"AAAA","data":"AAAA"}"#.utf8)).0 == 400)
            var kept = 0
            for try await entries in store.list(olderThan: nil) { kept += entries.count }
            #expect(kept == 2)
            #expect(try await store.removeLeftovers(olderThan: Timestamp(microseconds: .max)) == 0)
            group.cancelAll()
        }
        await store.close()
    }
}
