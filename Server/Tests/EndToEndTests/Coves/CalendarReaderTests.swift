import Core
import Database
import DatabaseEngines
import Foundation
import TestKit
import TestThreads
import Testing

@Suite("Python's icalendar", .blocksThreads)
struct CalendarReaderTests {
    /// The pieces of which hostile texts are made.
    private static let pieces = [
        "\r\n", "\n", "\r", "\n ", "\r\n\t", "BEGIN:VEVENT", "END:VEVENT", "END:VCALENDAR", "SUMMARY:x", ":", ";", ",", "\\", "\\n", "\\\\",
        "\"", "^n", "%0D%0A", "=0D=0A", "\u{0B}", "\u{0C}", "\u{1C}", "\u{1D}", "\u{1E}", "\u{85}", "\u{2028}", "\u{2029}", "\u{07}",
        "\u{7F}",
        "\t", "é", "漢", "👩‍👩‍👧", "e\u{301}", "a", "b c", String(repeating: "x", count: 40),
    ]

    @Test("it reads from the feed the events, times and texts of /calendar-events, also from hostile texts", arguments: Engine.allCases)
    func reads(_ engine: Engine) async throws {
        let installation = try Installation(StoragePair(engine))
        let ada = try installation.person()
        let node = try installation.node("coves")
        defer { node.killNow() }
        let client = CoveClient(port: node.port, person: ada)
        let cove = try await client.createCove("Chess; club, \"of\" Ada\\n")
        for (name, date) in [
            ("Party", "2030-06-24T18:03:11.482Z"), ("Käse, Wein; Bier\\n\nund 👩‍👩‍👧", "2030-06-24T20:03:11+02:00"),
            (String(repeating: "é", count: 200), "2030-01-01T00:00:00Z"),
        ] { _ = try await client.createEvent(name, in: cove, date: date) }
        let without = ["coveId": cove, "name": "No description", "location": "l", "date": "2031-12-31T23:00:00Z"]
        try await client.send("POST", "/create-event", without)
        try await Self.addHostile(500, to: cove, host: ada.id, installation)

        let link = try await client.send("POST", "/calendar-link")["url"] as? String ?? ""
        let query = try #require(URL(string: link)?.query())
        let file = try TemporaryFolder()
        let path = file.path + "/calendar.ics"
        try await client.bytes("GET", "/calendar.ics?\(query)").write(to: URL(filePath: path))
        let read = try Self.python(path)
        let found = read["events"] as? [[String: Any]] ?? []

        var listed: [[String: Any]] = []
        var cursor: String?
        repeat {
            let page = try await client.send("GET", "/calendar-events?limit=50" + (cursor.map { "&cursor=\($0)" } ?? ""))
            listed += page["events"] as? [[String: Any]] ?? []
            cursor = (page["pagination"] as? [String: Any])?["nextCursor"] as? String
        } while cursor != nil

        #expect(listed.count == 504 && found.count == 504)
        // No text has added a component, a property or an error.
        #expect(read["components"] as? Int == 505 && read["kinds"] as? [String] == ["VCALENDAR", "VEVENT"])
        #expect((read["errors"] as? [String])?.isEmpty == true)
        #expect(read["properties"] as? [String] == ["CALSCALE", "PRODID", "VERSION"] && read["version"] as? String == "2.0")
        let properties = [
            "CATEGORIES", "CREATED", "DESCRIPTION", "DTEND", "DTSTAMP", "DTSTART", "LAST-MODIFIED", "LOCATION", "SEQUENCE", "STATUS",
            "SUMMARY",
            "UID",
        ]
        for (event, row) in zip(found, listed) {
            let hasDescription = row["description"] is String
            #expect(event["id"] as? String == row["id"] as? String)
            #expect(event["properties"] as? [String] == properties.filter { hasDescription || $0 != "DESCRIPTION" })
            for field in ["name", "description", "location", "coveName"] {
                let sent = (row[field] as? String).map(Self.plain)
                #expect(event[field] as? String == sent, "\(sent.debugDescription)")
            }
            let date = row["date"] as? String ?? ""
            // Calendars have whole seconds.
            let start = String(date.prefix(19)) + "Z"
            #expect(event["start"] as? String == start && event["status"] as? String == "CONFIRMED")
            let formatter = ISO8601DateFormatter()
            let end = formatter.date(from: start).map { formatter.string(from: $0 + 7_200) }
            #expect(event["end"] as? String == end)
        }
    }

    /// Events whose texts are made of hostile pieces, inserted as rows.
    private static func addHostile(_ count: Int, to cove: String, host: String, _ installation: Installation) async throws {
        let database = try await #require(DatabaseAddress(installation.database)).open()
        var random = SplitMix64(seed: 17)
        func text() -> String {
            "x" + (0..<Int.random(in: 0...12, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
        }
        let texts = (0..<count).map { _ in (text(), text(), text()) }
        let start = Timestamp(seconds: 2_000_000_000)
        try await database.write { tx in
            for (number, (name, description, location)) in texts.enumerated() {
                let id = "hostile-\(1_000 + number)"
                let date = start + .seconds(Int64(number))
                try tx.run(
                    """
                    INSERT INTO cove_event (id, cove, host, name, description, date, location, row_bytes, created_at, changed_at)
                    VALUES (\(id), \(cove), \(host), \(name), \(description), \(date), \(location), 0, \(start), \(start))
                    """)
            }
        }
        try await database.close()
    }

    private static func python(_ path: String) throws -> [String: Any] {
        let programs = try ServerProcess.run([], binary: Repository.folder + "/scripts/python.sh")
        guard programs.status == 0 else { throw Tool.Failed(description: "python.sh: \(programs.errors)") }
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "read_calendar.py").path
        let run = try ServerProcess.run(
            [script, path], binary: programs.output.trimmingCharacters(in: .whitespacesAndNewlines) + "/python")
        return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(run.errors)")
    }

    /// What a calendar can hold of a text: every line break is a line feed, and line feeds and tabs are the only control characters.
    private static func plain(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A where previous == "\r": break
            case 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029: plain.append("\n")
            case 0x09: plain.append(scalar)
            case 0..<0x20, 0x7F: break
            default: plain.append(scalar)
            }
            previous = scalar
        }
        return String(plain)
    }
}
