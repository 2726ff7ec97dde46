import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Sends each request of the capsules' document as printed, and reads the responses into its models.
@Suite("The capsules' document")
struct CapsuleDocumentTests {
    /// "All authenticated requests include" this header, the document says, so requests without a body have it too.
    private static let headers = [("Content-Type", "application/json")]
    private static let capsuleKeys: Set<String> = [
        "id", "user_id", "audio_url", "transcription", "duration", "file_size", "created_at", "updated_at", "status", "metadata",
    ]

    /// Decodes a response as strictly as the existing app: only 200 is a success, and a date without six fractional digits is an error.
    private func read<Model: Decodable>(_ type: Model.Type, _ answer: TestServer.Answer) throws -> Model {
        #expect(answer.status == 200, "\(answer.text)")
        #expect(WireDates.haveSixDigits(try answer.json()), "\(answer.text)")
        return try Surface.capsules.makeDecoder().decode(type, from: answer.body)
    }

    private func signIn(_ server: TestServer, _ standIn: IssuerStandIn) async throws -> TimeCapsule.AuthResponse {
        let forge = IdentityForge(.apple, standIn, server.clock, subject: "001859.abc.1242")
        forge.claims["email"] = "ada@example.org"
        let answer = try await server.post(
            "/auth/apple",
            [
                "identity_token": try forge.sign(), "user_identifier": "001859.abc.1242", "email": "ada@example.org",
                "full_name": ["given_name": "Ada", "family_name": "Lovelace"],
            ])
        return try read(TimeCapsule.AuthResponse.self, answer)
    }

    private func run(_ pair: StoragePair, _ test: @Sendable (TestServer, IssuerStandIn) async throws -> Void) async throws {
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(pair) { settings in
                settings.identities = IdentityForge.settings(standIn)
            } _: { server async throws in
                try await test(server, standIn)
            }
        }
    }

    @Test("signing in, and refreshing with the expired token still in the header", arguments: StoragePair.allCases)
    func account(_ pair: StoragePair) async throws {
        try await run(pair) { server, standIn async throws in
            let signedIn = try await signIn(server, standIn)
            #expect(signedIn.user.email == "ada@example.org" && signedIn.user.name == "Ada Lovelace" && !signedIn.user.isProUser)
            // The client adds its access token to every request, even to the one that refreshes it.
            let expired = TestServer.Person(id: signedIn.user.id, token: signedIn.token.accessToken)
            server.clock.advance(by: .minutes(61))
            #expect(try await server.send("GET", "/user/me", as: expired, headers: Self.headers).status == 401)
            let refreshed = try await server.post("/auth/refresh", ["refresh_token": signedIn.token.refreshToken], as: expired)
            let token = try read(TimeCapsule.AuthToken.self, refreshed)
            #expect(Set(try refreshed.json().keys) == ["access_token", "refresh_token", "expires_at"])
            #expect(token.expiresAt.timeIntervalSince1970 == Double(server.clock.now.seconds + 3_600))
            let ada = TestServer.Person(id: signedIn.user.id, token: token.accessToken)
            let me = try read(TimeCapsule.User.self, try await server.send("GET", "/user/me", as: ada, headers: Self.headers))
            #expect(me.id == signedIn.user.id && me.name == "Ada Lovelace" && me.createdAt == signedIn.user.createdAt)
            #expect(try await server.send("POST", "/auth/signout", as: ada, headers: Self.headers).status == 200)
            #expect(try await server.send("GET", "/user/me", as: ada, headers: Self.headers).status == 401)
        }
    }

    @Test("a recording sent to the server, and one sent to the signed address, then completed", arguments: StoragePair.allCases)
    func capsules(_ pair: StoragePair) async throws {
        try await run(pair) { server, standIn async throws in
            let signedIn = try await signIn(server, standIn)
            let ada = TestServer.Person(id: signedIn.user.id, token: signedIn.token.accessToken)
            let sound = try Fixture.data("plain.wav")
            for isDirect in [true, false] {
                let created = try await server.post(
                    "/v0/capsules",
                    ["duration": 30.5, "file_size": sound.count, "created_at": "2025-01-27T12:00:00.000000Z"] as [String: Any], as: ada)
                let upload = try read(TimeCapsule.Upload.self, created)
                let shown = try #require(try created.json()["capsule"] as? [String: Any])
                #expect(Set(try created.json().keys) == ["capsule", "upload_url"])
                #expect(Set(shown.keys) == Self.capsuleKeys)
                for key in ["audio_url", "transcription", "metadata"] { #expect(shown[key] is NSNull, "\(key)") }
                #expect(shown["created_at"] as? String == "2025-01-27T12:00:00.000000Z")
                #expect(upload.capsule.userId == ada.id && upload.capsule.status == .uploading && upload.capsule.duration == 30.5)
                #expect(upload.capsule.fileSize == Int64(sound.count))
                let id = upload.capsule.id
                if isDirect {
                    let sent = try read(TimeCapsule.Upload.self, try await server.uploadAudio(sound, to: id, as: ada))
                    #expect(sent.uploadURL == nil && sent.capsule.id == id)
                } else {
                    let address = try #require(upload.uploadURL)
                    #expect(try await server.putAudio(sound, address.absoluteString).status == 200)
                }
                let completed = try await server.completeCapsule(id, as: ada)
                let capsule = try read(TimeCapsule.Capsule.self, completed)
                #expect(Set(try completed.json().keys) == Self.capsuleKeys)
                #expect(capsule.id == id && capsule.status == .processing && capsule.audioURL != nil)
                #expect(capsule.transcription == nil && capsule.metadata == nil)
            }
        }
    }
}

/// The document's models. The document shows no coding keys, so their names in JSON are those of its samples. It does not define
/// `CapsuleMetadata` and `AuthResponse`.
private enum TimeCapsule {
    struct AuthResponse: Codable {
        let user: User
        let token: AuthToken
    }
    struct User: Codable {
        let id: String
        let email: String?
        let name: String?
        let createdAt: Date
        let isProUser: Bool

        enum CodingKeys: String, CodingKey {
            case id, email, name
            case createdAt = "created_at"
            case isProUser = "is_pro_user"
        }
    }
    struct AuthToken: Codable {
        let accessToken: String
        let refreshToken: String
        let expiresAt: Date

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case refreshToken = "refresh_token"
            case expiresAt = "expires_at"
        }
    }
    enum CapsuleStatus: String, Codable {
        case uploading, processing, transcribing, completed, failed
    }
    struct Capsule: Codable {
        let id: String
        let userId: String
        let audioURL: URL?
        let transcription: String?
        let duration: TimeInterval
        let fileSize: Int64
        let createdAt: Date
        let updatedAt: Date
        let status: CapsuleStatus
        let metadata: JSONValue?

        enum CodingKeys: String, CodingKey {
            case id, transcription, duration, status, metadata
            case userId = "user_id"
            case audioURL = "audio_url"
            case fileSize = "file_size"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }
    struct Upload: Codable {
        let capsule: Capsule
        let uploadURL: URL?

        enum CodingKeys: String, CodingKey {
            case capsule
            case uploadURL = "upload_url"
        }
    }
}
