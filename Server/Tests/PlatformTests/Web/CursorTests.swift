import Core
import Database
import Testing
import Web

@Suite("Cursors")
struct CursorTests {
    private let cursors = Cursors(signer: Signer(key: [UInt8](repeating: 1, count: 32)))

    @Test("a cursor is valid only for the list it was made for")
    func scopes() throws {
        let cursor = cursors.make(["17", "a-b"], purpose: "media", scope: ["ada", "mood"])
        #expect(try cursors.open(cursor, purpose: "media", scope: ["ada", "mood"], count: 2) == ["17", "a-b"])
        for (purpose, scope, count) in [
            ("media", ["eve", "mood"], 2), ("media", ["ada", ""], 2), ("moods", ["ada", "mood"], 2), ("media", ["ada", "mood"], 3),
        ] {
            #expect(throws: Cursors.unreadable) { try cursors.open(cursor, purpose: purpose, scope: scope, count: count) }
        }
    }

    @Test("a cursor that was changed anywhere is refused")
    func changed() throws {
        let cursor = Array(cursors.make(["17", "x"], purpose: "media", scope: []))
        for index in cursor.indices {
            var bent = cursor
            bent[index] = bent[index] == "A" ? "B" : "A"
            #expect(throws: Cursors.unreadable) { try cursors.open(String(bent), purpose: "media", scope: [], count: 2) }
        }
        for text in ["", "A", "AAAA", String(repeating: "A", count: 2_000)] {
            #expect(throws: Cursors.unreadable) { try cursors.open(text, purpose: "media", scope: [], count: 2) }
        }
    }

    private func paging(_ cursor: String?, list: String = "media", scope: [String] = ["ada"]) throws -> Paging<TimeKey> {
        try Paging(list, of: scope, after: cursor, limit: 20, cursors)
    }

    @Test("the cursor of a page's last row requests the next page, for that list and scope only")
    func paging() throws {
        let first = try paging(nil)
        #expect(first.request.after == nil && first.request.limit == 20 && first.request.rowLimit == 21)
        #expect(first.cursor(nil) == nil)
        for key in [TimeKey(at: Timestamp(microseconds: .min), id: ""), TimeKey(at: Timestamp(microseconds: 17), id: "a-b")] {
            let cursor = try #require(first.cursor(key))
            // The format from before `Paging` existed: cursors that clients already hold must stay valid.
            #expect(cursor == cursors.make(["\(key.at.microseconds)", key.id], purpose: "media", scope: ["ada"]))
            #expect(try paging(cursor).request.after == key)
            #expect(throws: Cursors.unreadable) { try paging(cursor, list: "moments") }
            #expect(throws: Cursors.unreadable) { try paging(cursor, scope: ["eve"]) }
        }
        let noTime = cursors.make(["soon", "a"], purpose: "media", scope: ["ada"])
        #expect(throws: Cursors.unreadable) { try paging(noTime) }
    }
}
