import Testing

@testable import Web

@Suite("Query items")
struct QueryItemsTests {
    private func items(_ query: String?) -> [String] { QueryItems(query).map { "\($0.name)=\($0.value)" } }

    @Test("items keep their order, and values are decoded")
    func order() {
        #expect(items("b=1&a=%C3%A4%20x&b=2") == ["b=1", "a=ä x", "b=2"])
        #expect(QueryItems("b=1&a=2&b=3")["b"] == "1")
        #expect(QueryItems("b=1")["a"] == nil)
    }

    @Test("a plus is a space, and %2B a plus")
    func plus() {
        #expect(items("q=wedding+rings&tag=new%20york+%2B1&+=%2b") == ["q=wedding rings", "tag=new york +1", "+=+"])
    }

    @Test("what is missing is empty, and empty items are skipped")
    func gaps() {
        #expect(items(nil) == [])
        #expect(items("") == [])
        #expect(items("&&a&b=&=c&") == ["a=", "b=", "=c"])
    }

    @Test("a value ends at the next &, whatever else it contains, and a wrong escape stays as it is")
    func odd() {
        #expect(items("a=b=c&e=%zz&f=%2&g=+%zz") == ["a=b=c", "e=%zz", "f=%2", "g= %zz"])
    }

    @Test("ids of requests have 16 digits and differ")
    func requestIDs() {
        let ids = (0..<10_000).map { _ in RequestIDs.next() }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.utf8.count == 16 && $0.allSatisfy(\.isHexDigit) })
    }
}
