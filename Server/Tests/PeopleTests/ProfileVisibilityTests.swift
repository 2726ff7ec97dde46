import Accounts
import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Who sees what of a profile")
struct ProfileVisibilityTests {
    /// What the person who asks is to the person whose profile it is.
    enum Asker: String, CaseIterable { case oneself, friend, coveMember, stranger, blocked, blocker }

    private static let everybody: Set<Asker> = [.oneself, .friend, .coveMember, .stranger]
    private static let coveMembers: Set<Asker> = [.oneself, .friend, .coveMember]
    private static let friends: Set<Asker> = [.oneself, .friend]

    /// Each field of a profile, and who sees its value. `onboarding` is always a Bool and has a test of its own.
    private static let table: [(field: String, seenBy: Set<Asker>)] = [
        ("id", everybody), ("userId", everybody), ("name", everybody), ("photos", everybody),
        ("bio", coveMembers), ("interests", coveMembers), ("almaMater", coveMembers), ("job", coveMembers),
        ("phone", friends), ("age", friends), ("birthday", friends), ("birthdate", friends), ("workLocation", friends),
        ("relationStatus", friends), ("sexuality", friends), ("gender", friends), ("city", friends), ("gradYear", friends),
        ("verified", friends), ("stats.friendCount", friends), ("stats.requestCount", friends), ("stats.coveCount", friends),
        ("latitude", [.oneself]), ("longitude", [.oneself]),
    ]

    private static func seen(by asker: Asker) -> Set<String> {
        Set(table.filter { $0.seenBy.contains(asker) }.map(\.field))
    }

    /// The fields of a profile in JSON whose values are shown. Also expects that hidden fields have the form that the client requires.
    private static func shown(_ profile: JSONValue) -> Set<String> {
        guard case .object(var fields) = profile else { return [] }
        if case .object(let stats)? = fields.removeValue(forKey: "stats") {
            for (name, value) in stats { fields["stats." + name] = value }
        }
        let onboarding = fields.removeValue(forKey: "onboarding")
        #expect(onboarding == .bool(false))
        #expect(Set(fields.keys) == Set(table.map(\.field)))
        for required in ["name", "phone", "id", "userId", "interests", "photos", "stats.friendCount"] {
            #expect(fields[required] != .null, "\(required)")
        }
        return Set(fields.filter { ![.null, .string(""), .array([]), .integer(0)].contains($0.value) }.keys)
    }

    /// A person with a value in every field, and one asker of each kind.
    private static func make(_ server: TestServer) async throws -> (ada: TestServer.Person, askers: [Asker: TestServer.Person]) {
        let ada = try await server.person()
        let body: [String: any Sendable] = [
            "name": "Ada", "birthdate": "2001-12-31", "hobbies": ["chess"], "bio": "Hello.", "latitude": 52.25, "longitude": -1.5,
            "almaMater": "Oxford", "job": "Analyst", "workLocation": "London", "relationStatus": "single", "sexuality": "straight",
            "gender": "female", "city": "Marylebone", "gradYear": "2023",
        ]
        #expect(try await server.sendJSON("POST", "/onboard", body, as: ada).status == 200)
        #expect(try await server.addPhoto("palette.png", as: ada).status == 200)
        try await server.setPhone("+14155550123", of: ada)
        try await server.backend.database.write { tx in
            try tx.run("UPDATE profile SET friend_count = 3, request_count = 2 WHERE account = \(ada.id)")
        }
        var askers = [Asker.oneself: ada]
        for asker in Asker.allCases where asker != .oneself { askers[asker] = try await server.person(asker.rawValue.lowercased()) }
        func person(_ asker: Asker) throws -> TestServer.Person { try #require(askers[asker]) }
        try await server.befriend(ada, try person(.friend))
        // People with a block do not see more when they share a cove with the person.
        try await server.insertCove("c1", members: [ada, try person(.coveMember), try person(.blocked), try person(.blocker)])
        try await server.block(try person(.blocked), by: ada)
        try await server.block(ada, by: try person(.blocker))
        return (ada, askers)
    }

    @Test("each field is shown to those who may see it and to nobody else", arguments: StoragePair.allCases)
    func fields(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, askers) = try await Self.make(server)
            for asker in Asker.allCases {
                let answer = try await server.profile(of: ada, as: try #require(askers[asker]))
                if asker == .blocked || asker == .blocker {
                    #expect(answer.status == 404 && answer.text == #"{"message":"There is no such user."}"#, "\(asker)")
                    continue
                }
                guard case .object(let body) = try answer.decode(JSONValue.self), let profile = body["profile"] else {
                    Issue.record("\(asker): \(answer.text)")
                    continue
                }
                #expect(Self.shown(profile) == Self.seen(by: asker), "\(asker)")
            }
            // Without a `userId`, the response is the asker's own profile.
            let own = try await server.profile(as: try #require(askers[.stranger])).text
            #expect(!own.contains("Ada"))
        }
    }

    /// A condition that a control removes, and who then sees more than the table allows.
    private struct Control: Sendable {
        let removes: String
        let seenTooMuchBy: Set<Asker>
        let visibility: @Sendable (_ person: String, _ viewer: String, _ hasCommonCove: Bool) -> ProfileVisibility
    }

    private static let controls = [
        Control(removes: "nothing", seenTooMuchBy: []) { ProfileVisibility(of: $0, to: $1, hasCommonCove: $2) },
        Control(removes: "the position's condition", seenTooMuchBy: [.friend, .coveMember, .stranger]) {
            let rules = ProfileVisibility(of: $0, to: $1, hasCommonCove: $2)
            return ProfileVisibility(
                toSelf: "1 = 1", toFriends: rules.toFriends, toCoveMembers: rules.toCoveMembers, isShown: rules.isShown)
        },
        Control(removes: "the friends' condition", seenTooMuchBy: [.coveMember, .stranger]) {
            let rules = ProfileVisibility(of: $0, to: $1, hasCommonCove: $2)
            return ProfileVisibility(toSelf: rules.toSelf, toFriends: "1 = 1", toCoveMembers: rules.toCoveMembers, isShown: rules.isShown)
        },
        Control(removes: "the cove members' condition", seenTooMuchBy: [.stranger]) {
            let rules = ProfileVisibility(of: $0, to: $1, hasCommonCove: $2)
            return ProfileVisibility(toSelf: rules.toSelf, toFriends: rules.toFriends, toCoveMembers: "1 = 1", isShown: rules.isShown)
        },
        Control(removes: "the blocks' condition", seenTooMuchBy: [.blocked, .blocker]) {
            let rules = ProfileVisibility(of: $0, to: $1, hasCommonCove: $2)
            return ProfileVisibility(
                toSelf: rules.toSelf, toFriends: rules.toFriends, toCoveMembers: rules.toCoveMembers, isShown: "")
        },
    ]

    @Test("control: without one of the query's conditions the same table fails", arguments: StoragePair.allCases)
    func control(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, askers) = try await Self.make(server)
            let profiles = server.backend.features[PeopleFeature.self].profiles
            for control in Self.controls {
                var tooMuch: Set<Asker> = []
                for asker in Asker.allCases {
                    let viewer = try #require(askers[asker])
                    guard let view = try await profiles.store.view(ada.id, by: viewer.id, control.visibility) else { continue }
                    let json = try Surface.coves.makeEncoder().encode(profiles.presenter.profile(view))
                    let shown = Self.shown(try JSONDecoder().decode(JSONValue.self, from: json))
                    if !shown.isSubset(of: Self.seen(by: asker)) { tooMuch.insert(asker) }
                }
                #expect(tooMuch == control.seenTooMuchBy, "without \(control.removes)")
            }
        }
    }

    @Test("who has left the common cove or the friendship sees what strangers see", arguments: StoragePair.allCases)
    func former(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, askers) = try await Self.make(server)
            let (friend, member) = (try #require(askers[.friend]), try #require(askers[.coveMember]))
            func shown(to asker: TestServer.Person) async throws -> Set<String> {
                guard case .object(let body) = try await server.profile(of: ada, as: asker).decode(JSONValue.self) else { return [] }
                return Self.shown(body["profile"] ?? .null)
            }
            #expect(try await shown(to: member) == Self.seen(by: .coveMember))
            try await server.backend.database.write { tx in
                try tx.run("DELETE FROM cove_member WHERE account = \(member.id)")
                try tx.run("DELETE FROM friendship WHERE account = \(ada.id) OR friend = \(ada.id)")
            }
            #expect(try await shown(to: member) == Self.seen(by: .stranger))
            #expect(try await shown(to: friend) == Self.seen(by: .stranger))
            // A cove that has ended does not make its members see more of each other.
            try await server.insertCove("c2", members: [ada, member])
            #expect(try await shown(to: member) == Self.seen(by: .coveMember))
            try await server.backend.database.write { tx in try tx.run("UPDATE cove SET ended_at = created_at WHERE id = 'c2'") }
            #expect(try await shown(to: member) == Self.seen(by: .stranger))
        }
    }

    @Test("a friend sees whether the person has onboarded; others always see false", arguments: StoragePair.allCases)
    func onboarding(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, bob, eve) = (try await server.person(), try await server.person("bob"), try await server.person("eve"))
            try await server.befriend(ada, bob)
            func onboarding(as viewer: TestServer.Person) async throws -> Bool {
                try await server.profile(of: ada, as: viewer).text.contains(#""onboarding":true"#)
            }
            #expect(try await onboarding(as: ada))
            #expect(try await onboarding(as: bob))
            #expect(try await !onboarding(as: eve))
            try await server.onboard("Ada", as: ada)
            #expect(try await !onboarding(as: bob))
        }
    }

    @Test("a hidden account is 404 for everybody, and comes back complete", arguments: StoragePair.allCases)
    func hidden(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, askers) = try await Self.make(server)
            let others = [Asker.friend, .coveMember, .stranger].compactMap { askers[$0] }
            var before: [JSONValue] = []
            for other in others { before.append(try await server.profile(of: ada, as: other).decode(JSONValue.self)) }
            try await server.hide(ada)
            for other in others { #expect(try await server.profile(of: ada, as: other).status == 404) }
            try await server.show(ada)
            for (other, seen) in zip(others, before) {
                #expect(try await server.profile(of: ada, as: other).decode(JSONValue.self) == seen)
            }
            // Hiding an account without a profile creates a row for it.
            let stranger = try #require(askers[.stranger])
            try await server.hide(stranger)
            #expect(try await server.profile(of: stranger, as: ada).status == 404)
            try await server.show(stranger)
            #expect(try await server.profile(of: stranger, as: ada).status == 200)
            try await server.onboard("Sam", as: stranger)
            #expect(try await server.profile(of: stranger, as: ada).text.contains("Sam"))
        }
    }

    @Test("a deleted account is 404 from the deletion's answer on, before anything is erased", arguments: StoragePair.allCases)
    func closed(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, askers) = try await Self.make(server)
            let others = [Asker.friend, .coveMember, .stranger].compactMap { askers[$0] }
            let now = server.clock.now
            let features = server.backend.features
            // Runs the write of a deletion, without the job that erases the account.
            let isClosed = try await server.backend.accounts.close(
                ada.id, at: now,
                hiding: { tx in for feature in features.all { try feature.hide(ada.id, .closed(keepsCoves: false), tx) } },
                also: { _ in })
            #expect(isClosed)
            for other in others { #expect(try await server.profile(of: ada, as: other).status == 404) }
            #expect(try await server.profile(as: ada).status == 401)
        }
    }
}
