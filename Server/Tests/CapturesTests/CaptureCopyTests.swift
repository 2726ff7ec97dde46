import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Smaller copies of captures' photos", .blocksThreads)
struct CaptureCopyTests {
    @Test("a link gives the photo in any size, without metadata; without a size it gives the original", arguments: StoragePair.allCases)
    func sizes(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let url = try #require(try await server.uploadCapture("a", "photo.jpg", as: ada).json()["url"] as? String)
            for (format, name) in [("jpeg", "photo.jpg"), ("webp", "photo.webp")] {
                let small = try await server.send("GET", "\(url)&w=200&h=256&format=\(format)")
                #expect(small.status == 200 && small.header("Content-Type") == "image/\(format)", "\(small.text.prefix(200))")
                #expect(small.header("Content-Disposition")?.contains(name) == true)
                #expect(small.body.range(of: Data("Exif".utf8)) == nil)
                let look = try DecodedImage([UInt8](small.body), format)
                #expect((look.width, look.height) == (192, 256))
            }
            let sent = try Fixture.data("photo.jpg")
            #expect(try await server.send("GET", url).body == sent)

            let path = "/raw-media/\(ada.id)/memories/a/photo.jpg"
            #expect(try await server.send("GET", path + "?w=64", as: ada).status == 200)
            #expect(try await server.send("GET", path + "?w=64", as: eve).status == 403)
            #expect(try await server.send("GET", path + "?w=64").status == 401)
            for wrong in ["w=0", "w=2049", "q=80", "w=64&fit=cover", "w=64&format=gif"] {
                #expect(try await server.send("GET", "\(path)?\(wrong)", as: ada).status == 400, "\(wrong)")
            }
            #expect(try await server.uploadCapture("a", "voice.m4a", as: ada).status == 200)
            #expect(try await server.send("GET", "/raw-media/\(ada.id)/memories/a/audio.m4a?w=64", as: ada).status == 422)

            try CaptureClient(server, ada).take("a", at: "2026-05-01T08:05:00Z")
            #expect(try await server.send("DELETE", "/captures/a", as: ada).status == 200)
            #expect(try await server.send("GET", "\(url)&w=200&h=256&format=jpeg").status == 404)
        }
    }
}
