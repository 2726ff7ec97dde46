import Core
import Testing

@Suite("JSON of clients")
struct UntrustedJSONTests {
    private func passes(_ json: String) -> Bool { (try? UntrustedJSON.check(json)) != nil }

    @Test("JSON with too many values is refused, and long texts do not count as values")
    func values() {
        let limit = UntrustedJSON.valueLimit
        func array(of value: String, _ count: Int) -> String {
            "[" + Array(repeating: value, count: count).joined(separator: ",") + "]"
        }
        #expect(passes(array(of: "1", limit - 1)) && !passes(array(of: "1", limit)))
        #expect(passes(array(of: "{}", limit / 2 - 1)) && !passes(array(of: "{}", limit)))
        #expect(passes(array(of: #"{"a":1}"#, limit / 3 - 1)) && !passes(array(of: #"{"a":1}"#, limit / 3 + 1)))
        let text = String(repeating: #",:[{\",\\"#, count: limit)
        #expect(passes("[\"\(text)\"]"))
        #expect(!passes("[\"\(text)\"," + array(of: "[]", limit) + "]"))
    }
}
