import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("GET …/multimedia/files/{fileId}")
struct ServeFileTests {
    /// Runs a server that stores one photo of Ada's.
    private func withPhoto(
        _ pair: StoragePair, _ change: (inout Settings) -> Void = { _ in },
        _ test: @Sendable (TestServer, TestServer.Person, FileData, Data) async throws -> Void
    ) async throws {
        try await TestServer.run(pair, change) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            let upload = try await server.upload(.file("Füße \"am\" Meer.jpg", photo), as: ada).decode(UploadResponse.self)
            try await test(server, ada, upload.files[0].data, photo)
        }
    }

    @Test("a picture uploaded with the name of a web page is served as a picture, under a picture's name", arguments: StoragePair.allCases)
    func ending(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await server.upload(.file("photo.html", try Fixture.data("baseline.jpg")), as: ada).decode(UploadResponse.self)
                .files[0].data
            let answer = try await server.send("GET", file.url)
            #expect(answer.status == 200 && answer.header("Content-Disposition") == "inline; filename=\"photo.jpg\"")
        }
    }

    @Test(
        "the original is served byte for byte, with its validators and with headers that prevent scripts", arguments: StoragePair.allCases)
    func whole(_ pair: StoragePair) async throws {
        try await withPhoto(pair) { server, ada, file, photo in
            for answer in [try await server.send("GET", file.url), try await server.send("GET", file.appUrl, as: ada)] {
                #expect(answer.status == 200 && answer.body == photo)
                #expect(answer.header("Content-Type") == "image/jpeg")
                #expect(answer.header("Content-Length") == String(photo.count))
                #expect(answer.header("Accept-Ranges") == "bytes")
                #expect(answer.header("X-Content-Type-Options") == "nosniff")
                #expect(answer.header("Content-Security-Policy") == "sandbox; default-src 'none'")
                #expect(answer.header("ETag")?.count == 66)
                #expect(answer.header("Last-Modified") == "Mon, 01 Jun 2026 12:00:00 GMT")
                #expect(answer.header("Content-Disposition")?.hasPrefix("inline; filename=\"F__e ") == true)
                #expect(answer.header("Content-Disposition")?.contains("filename*=UTF-8''F%C3%BC%C3%9Fe%20") == true)
            }
        }
    }

    @Test("HEAD sends the headers of GET without the body", arguments: StoragePair.allCases)
    func head(_ pair: StoragePair) async throws {
        try await withPhoto(pair) { server, _, file, photo in
            let answer = try await server.send("HEAD", file.url)
            #expect(answer.status == 200 && answer.body.isEmpty)
            #expect(answer.header("Content-Length") == String(photo.count))
            #expect(answer.header("ETag") != nil)
        }
    }

    @Test(
        "a range gets 206 with exactly those bytes; a range beyond the end is 416; several ranges get the whole file",
        arguments: StoragePair.allCases)
    func ranges(_ pair: StoragePair) async throws {
        try await withPhoto(pair) { server, _, file, photo in
            for (header, start, end) in [
                ("bytes=0-0", 0, 1), ("bytes=10-19", 10, 20), ("bytes=100-", 100, photo.count),
                ("bytes=-7", photo.count - 7, photo.count), ("bytes=5-99999999999999999999", 5, photo.count),
            ] {
                let answer = try await server.send("GET", file.url, headers: [("Range", header)])
                #expect(answer.status == 206, "\(header)")
                #expect(answer.body == photo.subdata(in: start..<end), "\(header)")
                #expect(answer.header("Content-Range") == "bytes \(start)-\(end - 1)/\(photo.count)")
            }
            for (range, status) in [
                ("bytes=\(photo.count)-", 416), ("bytes=-0", 416), ("bytes=0-1,4-5", 200), ("lines=1-2", 200), ("bytes=9-3", 200),
            ] {
                let other = try await server.send("GET", file.url, headers: [("Range", range)])
                #expect(other.status == status)
                if status == 416 {
                    #expect(other.header("Content-Range") == "bytes */\(photo.count)" && other.header("Accept-Ranges") == "bytes")
                    let error = try other.decode(MultimediaErrorBody.self)
                    #expect(error.error == "Range Not Satisfiable" && error.code == 416 && error.details.contains("\(photo.count) bytes"))
                } else {
                    #expect(other.body == photo)
                }
            }
        }
    }

    @Test("conditional requests use the entity tag and the date", arguments: StoragePair.allCases)
    func conditions(_ pair: StoragePair) async throws {
        try await withPhoto(pair) { server, _, file, photo in
            let etag = try #require(try await server.send("GET", file.url).header("ETag"))
            let date = "Mon, 01 Jun 2026 12:00:00 GMT"
            let earlier = "Mon, 01 Jun 2026 11:59:59 GMT"
            for (headers, status) in [
                ([("If-None-Match", etag)], 304), ([("If-None-Match", "W/\(etag), \"x\"")], 304), ([("If-None-Match", "*")], 304),
                ([("If-None-Match", "\"x\"")], 200), ([("If-Modified-Since", date)], 304), ([("If-Modified-Since", earlier)], 200),
                ([("If-None-Match", "\"x\""), ("If-Modified-Since", date)], 200), ([("If-Match", etag)], 200),
                ([("If-Match", "\"x\"")], 412),
                ([("If-Unmodified-Since", earlier)], 412), ([("If-Unmodified-Since", date)], 200),
                ([("Range", "bytes=0-3"), ("If-Range", etag)], 206), ([("Range", "bytes=0-3"), ("If-Range", "\"x\"")], 200),
                ([("Range", "bytes=0-3"), ("If-Range", date)], 206), ([("Range", "bytes=0-3"), ("If-Range", earlier)], 200),
            ] {
                let answer = try await server.send("GET", file.url, headers: headers)
                #expect(answer.status == status, "\(headers)")
                #expect(answer.body.count == (status == 200 ? photo.count : status == 206 ? 4 : answer.body.count))
                if status == 304 { #expect(answer.body.isEmpty && answer.header("ETag") == etag) }
            }
        }
    }

    @Test("a link stays the same all day, and expires at the midnight after its lifetime in days", arguments: StoragePair.allCases)
    func linkLife(_ pair: StoragePair) async throws {
        try await withPhoto(pair, { $0.linkDays = 2 }) { server, _, file, _ in
            func link() async throws -> String {
                // A new token each time, because a token expires after an hour.
                let ada = try await server.person()
                return try await server.send("GET", "/api/users/user/\(ada.id)/multimedia/\(file.fileId)", as: ada).decode(
                    MediaResponse.self
                ).file.url
            }
            server.clock.advance(by: .hours(11))
            #expect(try await link() == file.url)
            server.clock.advance(by: .hours(2))
            #expect(try await link() != file.url)
            // The clock started at noon; 13 hours later it is one o'clock. The link expires at the midnight after two more days.
            let answer = try await server.send("GET", file.url)
            #expect(answer.header("Cache-Control") == "private, max-age=\(47 * 3_600), immutable")
            server.clock.advance(by: .hours(47) - .seconds(1))
            #expect(try await server.send("GET", file.url).status == 200)
            server.clock.advance(by: .seconds(1))
            let expired = try await server.send("GET", file.url)
            #expect(expired.status == 403)
            #expect(try expired.json()["code"] as? Int == 403)
        }
    }

    @Test("a forged or altered link is 403", arguments: StoragePair.allCases)
    func forgedLinks(_ pair: StoragePair) async throws {
        try await withPhoto(pair) { server, ada, file, _ in
            let parts = URLComponents(string: file.url)!
            let signature = parts.queryItems!.first { $0.name == "signature" }!.value!
            let expires = parts.queryItems!.first { $0.name == "expires" }!.value!
            let other = try await server.upload(.file("b.png", try Fixture.data("palette.png")), as: ada).decode(UploadResponse.self).files[
                0
            ].data
            for url in [
                "\(file.appUrl)?expires=\(expires)1&signature=\(signature)",
                "\(file.appUrl)?expires=\(expires)&signature=\(String(signature.reversed()))",
                "\(file.appUrl)?expires=\(expires)&signature=", "\(file.appUrl)?signature=\(signature)",
                "\(file.appUrl)?expires=+\(expires)&signature=\(signature)",
                "\(other.appUrl)?expires=\(expires)&signature=\(signature)", "\(file.appUrl)?expires=\(expires)&signature=\(signature)AA",
            ] {
                #expect(try await server.send("GET", url).status == 403, "\(url)")
            }
        }
    }

    @Test("without a credential or a link a file is 401; a deleted file is 404 at once, also by its link", arguments: StoragePair.allCases)
    func gone(_ pair: StoragePair) async throws {
        try await withPhoto(pair) { server, ada, file, _ in
            #expect(try await server.send("GET", file.appUrl).status == 401)
            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(file.fileId)", as: ada).status == 200)
            for answer in [try await server.send("GET", file.url), try await server.send("GET", file.appUrl, as: ada)] {
                #expect(answer.status == 404)
            }
        }
    }

    @Test("shared caches must not store a response to an unsigned address", arguments: StoragePair.allCases)
    func credentialCache(_ pair: StoragePair) async throws {
        try await withPhoto(pair) { server, ada, file, _ in
            let answer = try await server.send("GET", file.appUrl, as: ada)
            #expect(answer.header("Cache-Control") == "private, no-cache")
        }
    }
}
