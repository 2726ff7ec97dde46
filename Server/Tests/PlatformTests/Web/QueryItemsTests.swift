import Core
import Testing

@testable import Web

@Suite("Query items")
struct QueryItemsTests {
    private func items(_ query: String?) throws -> [String] { try QueryItems(query).map { "\($0.name)=\($0.value)" } }

    @Test("items keep their order, and values are decoded")
    func order() throws {
        #expect(try items("b=1&a=%C3%A4%20x&b=2") == ["b=1", "a=ä x", "b=2"])
        #expect(try QueryItems("b=1&a=2&b=3")["b"] == "1")
        #expect(try QueryItems("b=x+%C3%A4")["b"] == "x ä")
        #expect(try QueryItems("b=1")["a"] == nil)
    }

    @Test("the length of a value is known before it is decoded")
    func length() throws {
        let query = try QueryItems("b=%41%41&a=1")
        #expect(query.isLonger("b", than: 5) && !query.isLonger("b", than: 6) && !query.isLonger("c", than: 0))
    }

    @Test("a plus is a space, and %2B a plus")
    func plus() throws {
        #expect(try items("q=wedding+rings&tag=new%20york+%2B1&+=%2b") == ["q=wedding rings", "tag=new york +1", "+=+"])
        // A plus that carries an accent is one Character, but not one byte.
        #expect(try items("q=a+\u{301}b") == ["q=a \u{301}b"])
    }

    @Test("what is missing is empty, and empty items are skipped")
    func gaps() throws {
        #expect(try items(nil) == [])
        #expect(try items("") == [])
        #expect(try items("&&a&b=&=c&") == ["a=", "b=", "=c"])
    }

    @Test("a value ends at the next &, whatever else it contains, and a wrong escape stays as it is")
    func odd() throws {
        #expect(try items("a=b=c&e=%zz&f=%2&g=+%zz") == ["a=b=c", "e=%zz", "f=%2", "g= %zz"])
    }

    @Test("a query of more than 100 items is refused", arguments: ["=+&", "a&", "name=value&"])
    func tooMany(_ item: String) throws {
        #expect(try items(String(repeating: item, count: 100)).count == 100)
        for count in [101, 10_000] {
            #expect(throws: Problem.self) { _ = try QueryItems(String(repeating: item, count: count)) }
        }
    }

    @Test("ids of requests have 16 digits and differ")
    func requestIDs() {
        let ids = (0..<10_000).map { _ in RequestIDs.next() }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.utf8.count == 16 && $0.allSatisfy(\.isHexDigit) })
    }
}
