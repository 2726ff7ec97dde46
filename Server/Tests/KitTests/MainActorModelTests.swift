import Foundation
import HTTPTypes
import KeepsakeKit
import KeepsakeTesting
import KeepsakeWire
import Testing

/// An app's models that are `Codable` only on the main actor: encoding or decoding them anywhere else would end the process.
@MainActor private struct Person: @MainActor Codable {
    var id: String
    var name: String?

    enum CodingKeys: String, CodingKey { case id, name }

    init(from decoder: any Decoder) throws {
        MainActor.preconditionIsolated()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        name = try container.decodeIfPresent(String.self, forKey: .name)
    }
}

@MainActor private struct Draft: @MainActor Codable {
    var name: String
    var location: String?

    init(name: String, location: String? = nil) {
        self.name = name
        self.location = location
    }

    enum CodingKeys: String, CodingKey { case name, location }

    func encode(to encoder: any Encoder) throws {
        MainActor.preconditionIsolated()
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(location, forKey: .location)
    }
}

@MainActor private struct Created: @MainActor Codable {
    var cove: Draft
}

@Suite("An app's models on the main actor", .timeLimit(.minutes(1)))
@MainActor struct MainActorModelTests {
    @Test("the library encodes and decodes them on the main actor, for calls and for creations")
    func calls() async throws {
        let server = FakeServer()
        let client = server.client()
        let id = try await client.auth.register(email: "ada@example.org", password: "correct horse").id
        let rename = Endpoint<Draft, Person>(.patch, AccountEndpoints.updateMe.path, surface: .capsules, body: .json())
        let ada = try await client.send(rename, Draft(name: "Ada"))
        #expect(ada.id == id && ada.name == "Ada")

        let create = CreationEndpoint<Draft, Created>(.post, CoveEndpoints.create.endpoint.path, surface: .coves, body: .json())
        server.inject(.lostResponse, times: 1) { $0.method == .post }
        let sailors = try await client.send(create, Draft(name: "Sailors", location: "Kiel"))
        #expect(sailors.cove.name == "Sailors" && sailors.cove.location == "Kiel")
        #expect(try await client.coves.list().count == 1)
    }

    @Test("a response of another form is an error with the request's path")
    func otherForm() async throws {
        let client = FakeServer().client()
        try await client.auth.register(email: "ada@example.org", password: "correct horse")
        let wrong = Endpoint<Empty, Created>(.get, AccountEndpoints.me.path, surface: .capsules)
        do {
            _ = try await client.send(wrong, Empty())
            Issue.record("a user was decoded as something else")
        } catch let error as KeepsakeError {
            #expect(error.code == .invalidResponse && error.message.contains("/user/me") && error.status == 200)
        }
    }
}
