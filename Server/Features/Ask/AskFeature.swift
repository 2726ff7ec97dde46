import Core
package import Database
package import FeatureKit
package import Foundation
package import Intelligence
import KeepsakeWire
package import Web

/// Answers questions about the user's own entries. An answer consists of quotes from these entries and claims nothing else.
package struct AskFeature: Feature {
    /// Answers questions; other features use it too.
    package let answers: Answers

    /// - Parameters:
    ///   - kinds: the entry kinds of all features.
    ///   - allowsOutside: whether the account's owner allows engines outside the installation.
    ///   - timeZone: the account's time zone.
    ///   - people: the contacts of users.
    ///   - neighbours: finds entries by meaning; if `nil`, entries are found only by words.
    package init(
        _ context: FeatureContext, kinds: [EntryKind], engines: Engines,
        allowsOutside: @escaping @Sendable (_ account: String) async throws -> Bool,
        timeZone: @escaping @Sendable (_ account: String) async throws -> TimeZone, people: any KnownPeople = NoKnownPeople(),
        neighbours: (any NeighbourFinder)? = nil
    ) {
        answers = Answers(
            store: AskStore(database: context.database, kinds: kinds), engines: engines, allowsOutside: allowsOutside, timeZone: timeZone,
            people: people, neighbours: neighbours, clock: context.clock,
            work: FairSemaphore(Answers.questionLimits))
        self.entropy = context.entropy
    }

    private let entropy: Entropy

    package static var migrations: [Migration] { [] }
    package static let openAPI = PackageResources.openapi_yaml
    package static var surfaces: [PathSurface] { [PathSurface("/api", .multimedia), PathSurface("/ws/query", .captures)] }

    package var examinations: [Examination] {
        [
            Examination(name: "analyzer") { [engines = answers.engines] in
                let analyzer = engines.analyzer(outside: true)
                return "\(analyzer.name): \(try await analyzer.probe())"
            },
            Examination(name: "text in pictures") { [engines = answers.engines] in try await engines.pictureText.probe() },
        ]
    }

    package func addRoutes(to routes: Routes) {
        routes.serve(AskEndpoints.ask, AskQuestion(answers: answers).handle)
        var limits = WebSocketLimits()
        limits.frameByteCount = 16_384
        limits.messageByteCount = 16_384
        let socket = AnswerQueries(answers: answers, entropy: entropy)
        routes.serve(webSocket: AskEndpoints.socket, limits: limits, admit: socket.admit, socket.talk)
    }
}

/// Looks up the contacts of users. The feature that stores contacts implements it.
package protocol KnownPeople: Sendable {
    /// The names of an account's contacts, including the names of merged contacts; at most 2,000. All accounts wait while one account's
    /// names are read, so this must be one short read.
    func names(of account: String) async throws -> [String]
    /// The account's contacts with one of these names, without regard to case.
    func contacts(named names: [String], of account: String) async throws -> [AskedContact]
}

package struct AskedContact: Sendable, Equatable {
    package let name: String
    package let relationship: String?
    /// The signed link to a picture of the face.
    package let faceImageURL: String?

    package init(name: String, relationship: String?, faceImageURL: String?) {
        self.name = name
        self.relationship = relationship
        self.faceImageURL = faceImageURL
    }
}

package struct NoKnownPeople: KnownPeople {
    package init() {}
    package func names(of account: String) async throws -> [String] { [] }
    package func contacts(named names: [String], of account: String) async throws -> [AskedContact] { [] }
}

/// Finds entries whose meaning is similar to a question's, for example with embeddings. The server has no implementation yet. If
/// `AskFeature` gets one, the entries that it finds are added to those that words find.
package protocol NeighbourFinder: Sendable {
    /// - Parameter allowsOutside: whether the question and the entries may leave the installation.
    /// - Returns: the entries' kind and id with their similarity, 0…1; at most `limit`.
    func neighbours(
        of question: String, account: String, allowsOutside: Bool, limit: Int
    ) async throws -> [(kind: String, id: String, similarity: Double)]
}
