import AsyncHTTPClient
import Core
import Foundation
import KeepsakeWire
import NIOCore
import NIOHTTP1
import S3Blobs
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Redirects to the object store")
struct RedirectTests {
    /// Runs a server that redirects downloads and has one photo of Ada's.
    private func withPhoto(
        _ change: (inout Settings) -> Void = { $0.blobsRedirect = true },
        _ test: @Sendable (TestServer, TestServer.Person, FileData, Data) async throws -> Void
    ) async throws {
        try await TestServer.run(.shared, change) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            let answer = try await server.upload(.file("Meer.jpg", photo), as: ada)
            try await test(server, ada, try answer.decode(UploadResponse.self).files[0].data, photo)
        }
    }

    /// Sends a request and does not follow a redirect.
    private func send(_ method: String, _ url: String, headers: [(String, String)] = []) async throws -> TestServer.Answer {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        let client = HTTPClient(configuration: configuration)
        do {
            var request = HTTPClientRequest(url: url)
            request.method = HTTPMethod(rawValue: method)
            for (name, value) in headers { request.headers.add(name: name, value: value) }
            let response = try await client.execute(request, timeout: .seconds(60))
            let body = method == "HEAD" ? ByteBuffer() : try await response.body.collect(upTo: 64 << 20)
            try await client.shutdown()
            return TestServer.Answer(status: Int(response.status.code), headers: response.headers, body: Data(body.readableBytesView))
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    @Test("a picture is a redirect to a link of 60 seconds, which gives the bytes with the type and the name that the server forces")
    func redirect() async throws {
        try await withPhoto { server, ada, file, photo in
            for (url, headers) in [(file.url, []), (file.appUrl, [ada.bearer])] {
                let answer = try await send("GET", url, headers: headers)
                #expect(answer.status == 302 && answer.body.isEmpty)
                // A cache that stored the redirect would keep it after its link has expired or the file is deleted.
                #expect(answer.header("Cache-Control") == "no-store")
                #expect(answer.header("Referrer-Policy") == "no-referrer")
                #expect(answer.header("ETag") == nil && answer.header("Accept-Ranges") == nil)
                let link = try #require(answer.header("Location"))
                #expect(link.contains("X-Amz-Expires=60&"))
                let bytes = try await send("GET", link)
                #expect(bytes.status == 200 && bytes.body == photo)
                #expect(bytes.header("Content-Type") == "image/jpeg")
                #expect(bytes.header("Content-Disposition") == "inline; filename=\"Meer.jpg\"")
                let part = try await send("GET", link, headers: [("Range", "bytes=10-19")])
                #expect(part.status == 206 && part.body == photo[10..<20])
                // The link allows neither another type nor a change of the object.
                #expect(try await send("GET", link.replacing("image%2Fjpeg", with: "text%2Fhtml")).status == 403)
                #expect(try await send("PUT", link).status == 403)
            }
        }
    }

    @Test("a sound and a film are redirects too; a document of a chat and an export are sent by the server")
    func kinds() async throws {
        try await TestServer.run(.shared, { $0.blobsRedirect = true }) { server in
            let ada = try await server.person()
            let upload = try await server.upload(.file("Meer.mp4", try Fixture.data("moov-last.mp4")), as: ada)
            let film = try upload.decode(UploadResponse.self).files[0].data
            let mood = try await server.mood([("mood", "calm")], files: [.voice], as: ada)
            let voice = try #require(mood.voiceNote)
            for (url, fixture, type) in [(film.url, "moov-last.mp4", "video/mp4"), (voice, "voice.m4a", "audio/mp4")] {
                let answer = try await send("GET", url)
                #expect(answer.status == 302 && answer.body.isEmpty, "\(fixture)")
                let bytes = try await send("GET", try #require(answer.header("Location")))
                let sent = try Fixture.data(fixture)
                #expect(bytes.status == 200 && bytes.body == sent, "\(fixture)")
                #expect(bytes.header("Content-Type") == type)
                #expect(bytes.header("Content-Disposition")?.hasPrefix("inline; filename=") == true)
            }

            let words = Data("The lighthouse was closed.".utf8)
            var body = MultipartBody()
            body.add("file", fileName: "letter.txt", type: "text/plain", words)
            body.add("endpoint", "google")
            body.close()
            let stored = try await server.upload(body, to: "/api/chat/files/upload", as: ada)
            let path = try #require(try stored.json()["filepath"] as? String)
            let base = "http://127.0.0.1:\(server.port)"
            let document = try await send("GET", "\(base)/api/chat/files/serve\(path)", headers: [ada.bearer])
            #expect(document.status == 200 && document.body == words)
            #expect(document.header("Content-Security-Policy") == "sandbox; default-src 'none'")
            let export = try await send("GET", base + "/auth/export", headers: [ada.bearer])
            #expect(export.status == 200 && export.header("Content-Type") == "application/zip")
        }
    }

    @Test("pictures and films of chats, and photos and recordings of captures with their smaller copies, are redirects too")
    func otherFeatures() async throws {
        try await TestServer.run(.shared, { $0.blobsRedirect = true }) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let served = "\(server.url)/api/chat/files/serve"
            for (fixture, type) in [("photo.jpg", "image/jpeg"), ("moov-last.mp4", "video/mp4")] {
                let sent = try Fixture.data(fixture)
                var body = MultipartBody()
                body.add("file", fileName: fixture, type: type, sent)
                for (field, value) in [("endpoint", "google"), ("width", "64"), ("height", "64")] { body.add(field, value) }
                body.close()
                let stored = try await server.upload(body, to: "/api/chat/files/upload", as: ada)
                let url = served + (try #require(try stored.json()["filepath"] as? String))
                try await expectLink(url, as: ada, to: sent, type, "inline; filename=\"\(fixture)\"")
                #expect(try await send("GET", url).status == 401, "\(fixture)")
                #expect(try await send("GET", url, headers: [eve.bearer]).status == 403, "\(fixture)")
                let head = try await send("HEAD", url, headers: [ada.bearer])
                #expect(head.status == 200 && head.header("Content-Length") == "\(sent.count)", "\(fixture)")
            }
            for (fixture, name, type) in [("photo.jpg", "photo.jpg", "image/jpeg"), ("voice.m4a", "audio.m4a", "audio/mp4")] {
                let form = MultipartBody.file(fixture, try Fixture.data(fixture))
                let stored = try await server.upload(form, to: "/upload/a", as: ada)
                let url = try #require(try stored.json()["url"] as? String)
                try await expectLink(url, to: try Fixture.data(fixture), type, "inline; filename=\"\(name)\"")
                if fixture == "photo.jpg" {
                    #expect(try await send("GET", "\(url)&w=64&format=jpeg").status == 200)
                    try await server.settleCopies()
                    let copy = try await send("GET", "\(url)&w=64&format=jpeg")
                    #expect(copy.status == 302 && copy.body.isEmpty)
                }
            }
        }
    }

    /// Expects a redirect to a link of 60 seconds that gives the bytes with this type and disposition.
    private func expectLink(
        _ url: String, as person: TestServer.Person? = nil, to content: Data, _ type: String, _ disposition: String
    ) async throws {
        let answer = try await send("GET", url, headers: person.map { [$0.bearer] } ?? [])
        #expect(answer.status == 302 && answer.body.isEmpty, "\(url)")
        #expect(answer.header("Cache-Control") == "no-store")
        let link = try #require(answer.header("Location"), "\(url)")
        #expect(link.contains("X-Amz-Expires=60&"))
        let bytes = try await send("GET", link)
        #expect(bytes.status == 200 && bytes.body == content, "\(url)")
        #expect(bytes.header("Content-Type") == type)
        #expect(bytes.header("Content-Disposition") == disposition)
        let part = try await send("GET", link, headers: [("Range", "bytes=10-19")])
        #expect(part.status == 206 && part.body == content[10..<20], "\(url)")
    }

    @Test("HEAD, conditions and impossible ranges are answered by the server")
    func conditions() async throws {
        try await withPhoto { server, _, file, photo in
            let head = try await send("HEAD", file.url)
            let etag = try #require(head.header("ETag"))
            #expect(head.status == 200 && head.header("Content-Length") == String(photo.count))
            for (headers, status) in [
                ([("If-None-Match", etag)], 304), ([("If-None-Match", "\"x\"")], 200), ([("If-Match", etag)], 200),
                ([("If-Match", "\"x\"")], 412), ([("If-Modified-Since", "Mon, 01 Jun 2026 11:59:59 GMT")], 200),
                ([("If-Unmodified-Since", "Mon, 01 Jun 2026 12:00:00 GMT")], 200), ([("Range", "bytes=0-3"), ("If-Range", etag)], 206),
                ([("Range", "bytes=\(photo.count)-")], 416), ([("Range", "bytes=0-3")], 302),
            ] {
                #expect(try await send("GET", file.url, headers: headers).status == status, "\(headers)")
            }
        }
    }

    @Test("a smaller copy is sent from memory until it is stored, and then by redirect")
    func copies() async throws {
        try await withPhoto { server, _, file, _ in
            await server.holdCopies()
            let fresh = try await send("GET", "\(file.url)&w=256")
            #expect(fresh.status == 200)
            try await server.storeCopies()
            let stored = try await send("GET", "\(file.url)&w=256")
            #expect(stored.status == 302 && stored.header("Vary")?.contains("Accept") == true)
            let bytes = try await send("GET", try #require(stored.header("Location")))
            #expect(bytes.body == fresh.body && bytes.header("Content-Type") == fresh.header("Content-Type"))
        }
    }

    @Test("after a deletion there is no redirect, and a link given out before still works: that is what redirects cost")
    func deleted() async throws {
        try await withPhoto { server, ada, file, photo in
            let link = try #require(try await send("GET", file.url).header("Location"))
            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(file.fileId)", as: ada).status == 200)
            #expect(try await send("GET", file.url).status == 404)
            #expect(try await send("GET", link).body == photo)
        }
    }

    @Test("by default the server sends the bytes itself")
    func off() async throws {
        try await withPhoto({ _ in }) { _, _, file, photo in
            let answer = try await send("GET", file.url)
            #expect(answer.status == 200 && answer.body == photo)
            #expect(answer.header("Content-Security-Policy") == "sandbox; default-src 'none'")
        }
    }

    @Test("the console's policy names the bucket only when files come from there")
    func console() async throws {
        try await withPhoto { server, _, file, _ in
            guard case .s3(let address, _) = server.backend.settings.blobs else {
                Issue.record("not an object store")
                return
            }
            let origin = address.origin
            let link = try #require(try await send("GET", file.url).header("Location"))
            #expect(link.hasPrefix(origin + "/"))
            let policy = try #require(try await server.send("GET", "/console/").header("Content-Security-Policy"))
            #expect(policy.contains("img-src 'self' blob: \(origin);") && policy.contains("media-src 'self' blob: \(origin);"))
        }
        try await TestServer.run(.shared) { server in
            let policy = try #require(try await server.send("GET", "/console/").header("Content-Security-Policy"))
            #expect(policy.contains("img-src 'self' blob:;") && !policy.contains("http:"))
        }
    }
}
