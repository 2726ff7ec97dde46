import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Sign-in, onboarding and profiles")
struct ProfileTests {
    /// Every field of `/onboard`.
    private static let all: [String: any Sendable] = [
        "name": "Ada Lovelace", "birthdate": "2001-12-31", "hobbies": ["chess", "sailing"], "bio": "Hello.", "latitude": 52.25,
        "longitude": -1.5, "almaMater": "Oxford", "job": "Analyst", "workLocation": "London", "relationStatus": "single",
        "sexuality": "straight", "gender": "female", "city": "Marylebone", "gradYear": "2023",
    ]

    private static func value(_ text: String) throws -> JSONValue { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }

    @Test("the published client signs in with a Firebase token, onboards once, and reads its profile", arguments: StoragePair.allCases)
    func client(_ pair: StoragePair) async throws {
        try await TestServer.runWithFirebase(pair) { server, standIn async throws in
            let ada = try server.firebasePerson("fqWx7yZ1AbCdEfGh", phone: "+14155550123", standIn)
            // The client sends a body, which the server ignores.
            let first = try await server.send(
                "POST", "/login", as: ada, headers: [("Content-Type", "application/json")], body: Data("not JSON".utf8))
            #expect(first.status == 200)
            #expect(
                try first.decode(JSONValue.self)
                    == Self.value(
                        #"{"message":"Signed in.","user":{"uid":"fqWx7yZ1AbCdEfGh","onboarding":true,"verified":true,"cove":null}}"#))

            let onboarded = try await server.sendJSON("POST", "/onboard", Self.all, as: ada)
            #expect(onboarded.status == 200)
            #expect(try onboarded.decode(JSONValue.self) == Self.value(#"{"message":"Your profile is complete."}"#))
            #expect(try await server.sendJSON("POST", "/onboard", Self.all, as: ada).body == onboarded.body)
            let other = try await server.sendJSON("POST", "/onboard", Self.all.merging(["job": "Poet"]) { $1 }, as: ada)
            #expect(other.status == 403)
            #expect(try Set(other.json().keys) == ["message"])

            try await server.insertCove("c1", members: [ada])
            let again = try await server.send("POST", "/login", as: ada)
            #expect(
                try again.decode(JSONValue.self)
                    == Self.value(
                        #"{"message":"Signed in.","user":{"uid":"fqWx7yZ1AbCdEfGh","onboarding":false,"verified":true,"cove":"c1"}}"#))

            // The clock shows 2026-06-01.
            let expected = try Self.value(
                """
                {"message":"The profile.","profile":{"id":"fqWx7yZ1AbCdEfGh","userId":"fqWx7yZ1AbCdEfGh","name":"Ada Lovelace",
                "phone":"+14155550123","age":24,"birthday":"2001-12-31T00:00:00.000Z","birthdate":"2001-12-31T00:00:00.000Z",
                "interests":["chess","sailing"],"latitude":52.25,"longitude":-1.5,"bio":"Hello.","almaMater":"Oxford","job":"Analyst",
                "workLocation":"London","relationStatus":"single","sexuality":"straight","gender":"female","city":"Marylebone",
                "gradYear":"2023","onboarding":false,"verified":true,"photos":[],
                "stats":{"friendCount":0,"requestCount":0,"coveCount":1}}}
                """)
            for answer in [
                try await server.profile(as: ada), try await server.profile(of: ada, as: ada),
            ] { #expect(try answer.decode(JSONValue.self) == expected, "\(answer.text)") }
        }
    }

    @Test("before onboarding the profile is empty, and nothing that the client requires is null", arguments: StoragePair.allCases)
    func fresh(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, bob) = (try await server.person(), try await server.person("bob"))
            let expected = """
                {"message":"The profile.","profile":{"id":"\(ada.id)","userId":"\(ada.id)","name":"","phone":"","age":null,
                "birthday":null,"birthdate":null,"interests":[],"latitude":null,"longitude":null,"bio":null,"almaMater":null,"job":null,
                "workLocation":null,"relationStatus":null,"sexuality":null,"gender":null,"city":null,"gradYear":null,
                "onboarding":true,"verified":true,"photos":[],"stats":{"friendCount":0,"requestCount":0,"coveCount":0}}}
                """
            let own = try await server.profile(as: ada)
            #expect(try own.decode(JSONValue.self) == Self.value(expected), "\(own.text)")
            let seen = try await server.profile(of: ada, as: bob)
            let hidden = expected.replacing(#""onboarding":true,"verified":true"#, with: #""onboarding":false,"verified":null"#)
            #expect(try seen.decode(JSONValue.self) == Self.value(hidden), "\(seen.text)")
            let edit = try await server.sendJSON("POST", "/edit-profile", ["bio": "x"], as: ada)
            #expect(edit.status == 404)
        }
    }

    @Test("an edit changes what it names, clears what is null or empty, and keeps the rest", arguments: StoragePair.allCases)
    func edit(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            #expect(try await server.sendJSON("POST", "/onboard", Self.all, as: ada).status == 200)
            let answer = try await server.sendJSON(
                "POST", "/edit-profile",
                [
                    "name": "  Ada King ", "interests": ["go", "go", " "], "birthdate": "2000-02-29T10:00:00+02:00", "bio": NSNull(),
                    "job": "",
                    "latitude": NSNull(), "longitude": 180, "gradYear": 2024, "gender": "woman", "unknown": 1, "friend_count": 9,
                ],
                as: ada)
            #expect(answer.status == 200)
            #expect(try answer.decode(JSONValue.self) == Self.value(#"{"message":"Your profile was changed."}"#))
            let profile = try await server.profile(as: ada).json()["profile"] as? [String: Any] ?? [:]
            #expect(profile["name"] as? String == "Ada King" && profile["interests"] as? [String] == ["go"])
            #expect(profile["birthday"] as? String == "2000-02-29T08:00:00.000Z" && profile["age"] as? Int == 26)
            #expect(profile["bio"] is NSNull && profile["job"] is NSNull && profile["latitude"] is NSNull)
            #expect(profile["longitude"] as? Double == 180 && profile["gradYear"] as? String == "2024")
            #expect(profile["gender"] as? String == "woman" && profile["almaMater"] as? String == "Oxford")
            #expect((profile["stats"] as? [String: Int])?["friendCount"] == 0)
            // The profile has changed since onboarding, so a repeat of `/onboard` is refused.
            #expect(try await server.sendJSON("POST", "/onboard", Self.all, as: ada).status == 403)
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("a value of the wrong type, range or length is 400, names its field and changes nothing", arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let long = String(repeating: "x", count: 201)
            let shared: [(String, any Sendable)] = [
                ("name", ""), ("name", "   "), ("name", String(repeating: "n", count: 101)), ("name", 1), ("name", "a\u{0}b"),
                ("birthdate", "yesterday"), ("birthdate", "2001-02-30"), ("birthdate", "1899-12-31"), ("birthdate", "2026-06-02"),
                ("birthdate", 20_010_101), ("latitude", 90.1), ("latitude", "north"), ("longitude", -180.5),
                ("bio", String(repeating: "b", count: 2_001)), ("almaMater", long), ("job", long), ("workLocation", long),
                ("relationStatus", long), ("sexuality", long), ("gender", long), ("city", long), ("gradYear", long), ("gradYear", true),
                ("job", ["a"]),
            ]
            for (field, value) in shared + [("hobbies", "chess"), ("hobbies", [long]), ("hobbies", (0...50).map { "\($0)" })] {
                var body: [String: any Sendable] = ["name": "Ada"]
                body[field] = value
                let answer = try await server.sendJSON("POST", "/onboard", body, as: ada)
                #expect(answer.status == 400 && answer.text.contains(field), "\(field): \(answer.text)")
                #expect(try Set(answer.json().keys) == ["message"])
            }
            for body in [[:], ["name": NSNull()], ["job": "Poet"]] as [[String: any Sendable]] {
                #expect(try await server.sendJSON("POST", "/onboard", body, as: ada).status == 400)
            }
            #expect(try await server.profile(as: ada).text.contains(#""onboarding":true"#))

            try await server.onboard("Ada", as: ada)
            let before = try await server.profile(as: ada).text
            for (field, value) in shared + [("interests", "chess"), ("interests", [long]), ("name", NSNull())] {
                let body = ["city": "Rome" as any Sendable].merging([field: value]) { $1 }
                let answer = try await server.sendJSON("POST", "/edit-profile", body, as: ada)
                #expect(answer.status == 400 && answer.text.contains(field), "\(field): \(answer.text)")
            }
            // The day of this birth date has begun, but its instant is still one second ahead.
            #expect(try await server.sendJSON("POST", "/edit-profile", ["birthdate": "2026-06-01T12:00:01Z"], as: ada).status == 400)
            let after = try await server.profile(as: ada)
            #expect(try after.decode(JSONValue.self) == Self.value(before))
        }
    }

    @Test("without a credential each route is 401, with a wrong method 405, and an unknown user is 404", arguments: StoragePair.allCases)
    func access(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (method, path) in [
                ("POST", "/login"), ("POST", "/onboard"), ("POST", "/edit-profile"), ("GET", "/profile"),
                ("GET", "/profile?userId=\(ada.id)"),
            ] {
                let body = method == "POST" ? Data("{}".utf8) : nil
                let answer = try await server.send(method, path, headers: [("Content-Type", "application/json")], body: body)
                #expect(answer.status == 401)
                #expect(try Set(answer.json().keys) == ["message"], "\(answer.text)")
                let bad = try await server.send(method, path, headers: [("Authorization", "Bearer nonsense")], body: body)
                #expect(bad.status == 401)
                let wrong = try await server.send("DELETE", path, as: ada)
                #expect(wrong.status == 405)
                #expect(try Set(wrong.json().keys) == ["message"], "\(wrong.text)")
            }
            let unknown = try await server.send("GET", "/profile?userId=nobody", as: ada)
            #expect(unknown.status == 404 && unknown.text == #"{"message":"There is no such user."}"#)
            #expect(unknown.header("Error-Field") == "userId")
            let broken = try await server.send("GET", "/profile?userId=a%00b", as: ada)
            #expect(broken.status == 400)
            // White space around an id does not count.
            #expect(try await server.send("GET", "/profile?userId=%20\(ada.id)%0A", as: ada).status == 200)
        }
    }

    @Test("of eight requests to onboard with different values one succeeds", arguments: StoragePair.allCases)
    func race(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask { try await server.sendJSON("POST", "/onboard", ["name": "Ada \(number)"], as: ada).status }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 1, 403: 7])
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("a profile counts against the quota, and one that exceeds it is 413", arguments: StoragePair.allCases)
    func quota(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = 4_096
        } _: { server in
            let ada = try await server.person()
            let bio = String(repeating: "b", count: 2_000)
            #expect(try await server.sendJSON("POST", "/onboard", ["name": "Ada", "bio": bio], as: ada).status == 200)
            let interests = (0..<50).map { "\($0)" + String(repeating: "i", count: 60) }
            let more = try await server.sendJSON("POST", "/edit-profile", ["interests": interests], as: ada)
            #expect(more.status == 413, "\(more.text)")
            #expect(try await server.sendJSON("POST", "/edit-profile", ["bio": NSNull(), "job": "Analyst"], as: ada).status == 200)
            #expect(try await server.sendJSON("POST", "/edit-profile", ["interests": Array(interests.prefix(20))], as: ada).status == 200)
            _ = try await server.checkedUsage(of: ada)
        }
    }
}

@Suite("The rules of profiles")
struct ProfileRulesTests {
    @Test("an age counts whole years in UTC, and 29 February's year is full on 1 March")
    func ages() throws {
        func time(_ text: String) throws -> Timestamp { Timestamp(microseconds: try #require(WireDate.parseMicroseconds(text))) }
        for (born, now, age) in [
            ("2000-06-01T00:00:00Z", "2026-06-01T00:00:00Z", 26), ("2000-06-01T00:00:00Z", "2026-05-31T23:59:59Z", 25),
            ("2000-02-29T00:00:00Z", "2026-02-28T23:59:59Z", 25), ("2000-02-29T00:00:00Z", "2026-03-01T00:00:00Z", 26),
            ("1900-01-01T00:00:00Z", "2026-06-01T00:00:00Z", 126), ("2026-06-01T00:00:00Z", "2026-06-01T12:00:00Z", 0),
        ] {
            #expect(ProfileRules.age(bornOn: try time(born), at: try time(now)) == age, "\(born) \(now)")
        }
        // A damaged row.
        #expect(ProfileRules.age(bornOn: Timestamp(microseconds: .max), at: try time("2026-06-01T00:00:00Z")) == 0)
    }
}
