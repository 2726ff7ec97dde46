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
}
