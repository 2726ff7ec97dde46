import Core
import NIOCore
import Testing

@testable import Web

@Suite("Fields of a form without files")
struct PlainFieldsTests {
    @Test("too many combining marks in a row are refused before the names are compared")
    func marks() {
        let types = PlainFieldTypes(numbers: [], times: [], lists: [])
        let marks = String(repeating: "\u{301}", count: 1_000)
        let escaped = String(repeating: #"\u0301"#, count: 1_000)
        let encoded = String(repeating: "%CC%81", count: 1_000)
        for (fields, body) in [
            (.urlEncoded, marks + "=1"), (.urlEncoded, encoded + "=1"), (.urlEncoded, "other=" + encoded),
            (.json, #"{"\#(marks)":"a"}"#), (.unstated, #"{"\#(escaped)":"a"}"#),
        ] as [(PlainFields, String)] {
            #expect(throws: Problem.self) { _ = try fields.fields(in: ByteBuffer(string: body), named: ["note"], types) }
        }
    }

    @Test("fields of a JSON object are read by their types, and others are not decoded")
    func json() throws {
        let types = PlainFieldTypes(numbers: ["score"], times: ["at"], lists: ["tags"])
        let names: Set = ["note", "score", "at", "tags", "place"]
        func read(_ json: String) throws -> [String] {
            try PlainFields.json.fields(in: ByteBuffer(string: json), named: names, types).map { "\($0.name)=\($0.text)" }
        }
        let json = #"{"tags":["a","b"],"note":"x","at":1700000000,"score":0.5,"place":null,"other":{"note":[1,{}]}}"#
        #expect(try read(json) == ["at=1700000000", "note=x", "score=0.5", "tags=a,b"])
        #expect(try read("{}") == [])
        for (json, message) in [
            (#"{"note":1}"#, "note must be a string."), (#"{"score":"1"}"#, "score must be a number."),
            (#"{"score":true}"#, "score must be a number."), (#"{"tags":"a"}"#, "tags must be a list of texts without commas."),
            (#"{"tags":["a,b"]}"#, "tags must be a list of texts without commas."), (#"["note"]"#, "The body is not a JSON object."),
            (#"{"note":"#, "The body is not a JSON object."),
        ] {
            let problem = #expect(throws: Problem.self) { _ = try read(json) }
            #expect(problem?.message == message)
        }
    }

    @Test("members that no route knows cost little, however many values they have and how deep")
    func unknownMembers() throws {
        let types = PlainFieldTypes(numbers: [], times: [], lists: [])
        let depth = 60
        let values = Array(repeating: "{}", count: 9_000).joined(separator: ",")
        let json = #"{"note":"x","other":"# + String(repeating: "[", count: depth) + values + String(repeating: "]", count: depth) + "}"
        let start = ContinuousClock.now
        let fields = try PlainFields.json.fields(in: ByteBuffer(string: json), named: ["note"], types)
        #expect(fields.map(\.text) == ["x"])
        // It takes about 2 ms. To decode each value took more than a second.
        #expect(ContinuousClock.now - start < .seconds(0.3))
    }

    @Test("a URL-encoded form with very many fields is refused")
    func manyItems() throws {
        let types = PlainFieldTypes(numbers: [], times: [], lists: [])
        func count(_ items: Int) throws -> Int {
            let body = ByteBuffer(string: Array(repeating: "note=a", count: items).joined(separator: "&"))
            return try PlainFields.urlEncoded.fields(in: body, named: ["note"], types).count
        }
        #expect(try count(1_000) == 1_000)
        #expect(throws: Problem.self) { try count(1_001) }
    }

    @Test("in a URL-encoded form, a plus is a space, even if a combining accent follows it")
    func plus() throws {
        let types = PlainFieldTypes(numbers: [], times: [], lists: [])
        let body = ByteBuffer(string: "a+b=new+york%2B1&note=a+\u{301}b")
        let fields = try PlainFields.urlEncoded.fields(in: body, named: ["a b", "note"], types)
        #expect(fields.map { "\($0.name)=\($0.text)" } == ["a b=new york+1", "note=a \u{301}b"])
    }

    @Test("the check of the beginning reads each chunk once, and none after the first brace")
    func beginning() {
        #expect(isAccepted(["  ", "\r\n", "", "\t{", "}", "a=1"]))
        #expect(isAccepted(Array(repeating: " ", count: 1_000) + ["{"]))
        #expect(isAccepted([], .json) && isAccepted(["a=1"], .urlEncoded))
        for chunks in [[], [""], [" ", "\n"], ["a={"], [" ", "a", "{"], ["[{"]] as [[String]] {
            #expect(!isAccepted(chunks), "\(chunks)")
        }
    }

    private func isAccepted(_ chunks: [String], _ fields: PlainFields = .unstated) -> Bool {
        do {
            var beginning = JSONBeginning(of: fields)
            for chunk in chunks { try beginning.take(ByteBuffer(string: chunk)) }
            try beginning.finish()
            return true
        } catch {
            return false
        }
    }
}
