import Core
import Foundation
import Intelligence
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// The answers of the model `local`. They consist of quotes with their sources.
@Suite("Local answers", .blocksThreads)
struct LocalAnswerTests {
    /// 2026-11-22T12:00:00Z, a Sunday.
    static let now = Timestamp(seconds: 1_795_348_800)

    static let entries = [
        ("Just met with John at the coffee shop to discuss the project.", "2026-11-20T10:30:00Z"),
        ("Nora sent a postcard from the lighthouse.", "2026-11-20T18:00:00Z"),
        ("Bought a bicycle from a retired postman.", "2026-11-21T09:00:00Z"),
        ("The garden was full of yellow flowers.", "2026-06-14T09:00:00Z"),
    ]

    static func keepSome(_ server: TestServer, _ person: TestServer.Person) async throws {
        for (title, at) in entries {
            let answer = try await server.create("events", [("title", title), ("date", at)], as: person)
            try #require(answer.status == 200, "\(answer.text)")
        }
    }

    @Test("it says that no model is configured, quotes entries and files, and names each source", arguments: StoragePair.allCases)
    func quotes(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, clock: TestClock(Self.now)) { server in
            let ada = try await server.person()
            try await Self.keepSome(server, ada)
            let met = try await server.say("When did I meet John at the coffee shop?", as: ada)
            #expect(
                met.responseMessage.text == """
                    No model is configured on this server, so these are quotes from what you keep here:
                    From your event of 2026-11-20 at 10:30: Just met with John at the coffee shop to discuss the project.
                    """)
            #expect(met.responseMessage.model == "local" && met.responseMessage.sender == "Keepsake")
            let file = try await server.uploadChatFile(
                "boat.txt", Data("The boat is called Albatross. It leaks a little.".utf8), as: ada)
            let boat = try await server.say("What is the boat called?", in: met.conversation.conversationId, files: [file], as: ada)
            #expect(boat.responseMessage.text.contains(#"From the file "boat.txt": The boat is called Albatross."#))
            // The file belongs to the conversation. A later message of the conversation may ask about it, but one of another conversation
            // may not.
            let later = try await server.say("Does the boat leak?", in: met.conversation.conversationId, as: ada)
            #expect(later.responseMessage.text.contains("leaks a little"), "\(later.responseMessage.text)")
            let other = try await server.say("What is the boat called?", as: ada)
            #expect(other.responseMessage.text == ChatLines.opening(.notConfigured, foundSomething: false))
            // Entries of the same minute with the same words give one line, and so do files with the same name and text.
            for _ in 0..<2 {
                let event = [("title", "The kayak stands in the shed."), ("date", "2026-11-19T08:00:00Z")]
                #expect(try await server.create("events", event, as: ada).status == 200)
            }
            let text = Data("The kayak has a shed of its own.".utf8)
            let files = [
                try await server.uploadChatFile("kayak.txt", text, as: ada), try await server.uploadChatFile("kayak.txt", text, as: ada),
            ]
            let twice = try await server.say("Where does the kayak stand in the shed?", files: files, as: ada)
            #expect(
                twice.responseMessage.text.split(separator: "\n").dropFirst().map(String.init) == [
                    "From your event of 2026-11-19 at 08:00: The kayak stands in the shed.",
                    #"From the file "kayak.txt": The kayak has a shed of its own."#,
                ])
        }
    }

    @Test("a line's fixed part is recognised, and anything else is not")
    func frames() {
        #expect(ChatLines.rest(of: "From the file \"a.txt\": Hello.") == "Hello.")
        #expect(ChatLines.rest(of: "From your mood of 2026-01-02 at 03:04: Good.") == "Good.")
        #expect(ChatLines.rest(of: ChatLines.opening(.refused, foundSomething: true)) == "")
        #expect(ChatLines.rest(of: "You were happy.") == nil)
        // A file's name cannot end the fixed part of its line.
        #expect(ChatLines.rest(of: ChatLines.quote("Hello.", fromFile: "a\": You were happy.\n\"b")) == "Hello.")
    }
}
