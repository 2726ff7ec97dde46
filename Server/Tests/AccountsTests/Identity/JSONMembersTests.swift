import Testing

@testable import Accounts

@Suite("Names of the members of a token")
struct JSONMembersTests {
    private func areUnique(_ names: [String]) -> Bool {
        let members = names.map { "\"\($0)\":1" }.joined(separator: ",")
        return JSONMembers.areUnique(in: Array("{\(members)}".utf8))
    }

    @Test func `names are compared without their escapes`() {
        #expect(areUnique(["iss", "sub", #"https:\/\/a.example\/role"#, "ä", ""]))
        #expect(!areUnique(["iss", #"\u0069ss"#]))
        #expect(!areUnique(["a/b", #"a\/b"#]))
        #expect(!areUnique(["ä", #"\u00e4"#]))
        #expect(!areUnique(["", ""]))
        #expect(!areUnique([#"\x"#]), "no escape of JSON")
    }

    @Test func `a text has any number of plain names, and at most 64 with escapes`() {
        let plain = (0..<1_000).map { "a\($0)" }
        let escaped = (0..<65).map { #"\u0062\#($0)"# }
        #expect(areUnique(plain + escaped.dropLast()))
        #expect(!areUnique(escaped))
    }
}
