import Foundation
import KeepsakeWire
import MediaTools
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Infected pictures of people, coves and events", .blocksThreads)
struct ScannedPictureTests {
    /// Uses the clamd that `make services` starts.
    private static func scanned(_ settings: inout Settings) { settings.clamd = ClamdAddress(ClamdService.everybodys) }

    /// In base64: a photo with EICAR's test string in a comment after the start of the image.
    private static func infected() throws -> String {
        let (photo, virus) = (try Fixture.data("photo.jpg"), Data(Eicar.bytes))
        let comment = Data([0xFF, 0xFE, 0, UInt8(virus.count + 2)]) + virus
        let whole: Data = photo.prefix(2) + comment + photo.dropFirst(2)
        return whole.base64EncodedString()
    }

    @Test("an infected picture is 400 on every route that takes one, and leaves nothing", arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.scanned) { server in
            let ada = try await server.person()
            let photo = try await server.addPhoto("photo.jpg", as: ada).decodeCoves(PhotoResponse.self).photo.id
            let made = try await server.sendJSON("POST", "/create-cove", ["name": "Chess", "location": "Here"], as: ada)
            let cove = try made.decodeCoves(CreatedCove.self).cove.id
            let fields: [String: Any] = ["coveId": cove, "name": "Final", "location": "Here", "date": "2026-08-01T10:00:00Z"]
            let held = try await server.sendJSON("POST", "/create-event", fields, as: ada)
            let event = try held.decodeCoves(CreatedCoveEvent.self).event.id
            let (count, usage) = (try await server.storedFileCount(), try await server.checkedUsage(of: ada))

            let picture = try Self.infected()
            let requests: [(path: String, body: [String: Any])] = [
                ("/userImage", ["base64Image": picture]), ("/userImage", ["data": picture, "isProfilePic": true]),
                ("/userImageUpdate", ["photoId": photo, "data": picture]),
                ("/create-cove", ["name": "Go", "location": "Here", "coverPhoto": picture]),
                ("/edit-cove", ["coveId": cove, "coverPhoto": picture]),
                ("/create-event", fields.merging(["coverPhoto": picture]) { $1 }),
                ("/edit-event", ["eventId": event, "coverPhoto": picture]),
            ]
            for (path, body) in requests {
                let answer = try await server.sendJSON("POST", path, body, as: ada)
                #expect(answer.status == 400 && answer.text.contains("virus"), "\(path): \(answer.status) \(answer.text)")
                #expect(try Set(answer.json().keys) == ["message"], "\(path)")
            }
            #expect(try await server.storedFileCount() == count)
            #expect(try await server.checkedUsage(of: ada) == usage)
        }
    }
}
