import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("What the server says of files that it refuses")
struct RefusedFileTests {
    private static let types = "JPEG, PNG, WebP, GIF, HEIC, MP4 and MOV"

    private static func cutOff(_ type: String) -> String {
        "The file is cut off or damaged: it begins as \(type), but the rest does not fit."
    }

    @Test("empty, cut-off and mislabelled files are told apart, and the message names the accepted types")
    func reasons() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            let unknown = "The content is not of a type that is taken here, whatever the file's name says: \(Self.types)."
            for (content, message) in [
                (Data(), "The file is empty."), (Data("I am a photo".utf8), unknown), (Data("%PDF-1.7\n".utf8), unknown),
                (try Fixture.data("voice.m4a"), "The file is M4A. \(unknown)"),
                (photo.prefix(3), Self.cutOff("JPEG")), (try Fixture.data("moov-last.mp4").dropLast(100), Self.cutOff("MP4")),
            ] {
                let answer = try await server.upload(.file("photo.jpg", content), as: ada)
                let json = try answer.json()
                #expect(answer.status == 422 && (json["details"] as? String) == message, "\(json)")
            }
            // Longer than what the first look sees; only the decoder finds the end missing.
            let half = try await server.upload(.file("photo.jpg", photo.prefix(photo.count / 2)), as: ada)
            #expect(half.status == 422 && (try half.json()["details"] as? String)?.contains("damaged") == true, "\(half.text)")
            // A file of the same content is accepted under a wrong name: only the content counts.
            #expect(try await server.upload(.file("photo.txt", photo), as: ada).status == 200)
        }
    }

    @Test("refused files of one request are listed with their place, since phones give several files the same name")
    func places() async throws {
        try await TestServer.run(.sqlite) { server in
            var body = MultipartBody()
            for content in [try Fixture.data("photo.jpg"), Data(), try Fixture.data("palette.png"), Data("no photo".utf8)] {
                body.add("file", fileName: "image.jpg", content)
            }
            body.close()
            let upload = try await server.upload(body, as: server.person()).decode(UploadResponse.self)
            #expect(upload.count == 2 && upload.errors?.count == 2)
            #expect(upload.errors?.first == "image.jpg: The file is empty. (file 2 of the request)")
            let last = try #require(upload.errors?.last)
            #expect(last.hasPrefix("image.jpg: The content is not") && last.hasSuffix(" (file 4 of the request)"))
        }
    }

    @Test("the quota's message has the used bytes, the limit, and the size that was asked for", arguments: StoragePair.allCases)
    func quota(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = 2_097_152
        } _: { server in
            let ada = try await server.person()
            #expect(try await server.upload(.file("a.mp4", Film.bytes(1_500_000)), as: ada).status == 200)
            // Announced, and checked before the body is read: without what the form around the file may take.
            let announced = try await server.upload(.file("b.mp4", Film.bytes(1_500_000)), as: ada)
            let message = try #require(try announced.json()["details"] as? String)
            #expect(announced.status == 413)
            #expect(
                message == "Your quota of 2 MB is used up: 1.4 MB are used, and at least 1.3 MB more are needed. Nothing was kept.")
            // Small enough to be counted only with its row.
            let small = try await server.upload(.file("c.mp4", Film.bytes(700_000)), as: ada)
            let text = try #require(try small.json()["details"] as? String)
            #expect(small.status == 413 && text.contains("1.4 MB are used, and at least 70") && text.contains(" bytes more"), "\(text)")
        }
    }
}
