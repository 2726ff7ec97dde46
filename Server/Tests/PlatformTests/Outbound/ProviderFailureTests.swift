import Core
import NIOCore
import NIOHTTP1
import Outbound
import Testing

@Suite("Failures of providers")
struct ProviderFailureTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private let now = Timestamp(seconds: 784_111_777)

    private func failure(_ status: Int, _ body: String = "", retryAfter: String? = nil, sent: String? = nil) -> ProviderFailure {
        var headers: HTTPHeaders = [:]
        if let retryAfter { headers.add(name: "Retry-After", value: retryAfter) }
        if let sent { headers.add(name: "Date", value: sent) }
        return ProviderFailure(.init(status: status, headers: headers, body: ByteBuffer(string: body)), engine: "openai", now: now)
    }

    @Test("permanent errors differ from temporary ones, and no error contains the key")
    func refusals() {
        let body = #"{"error":{"message":"Incorrect API key provided: sk-1234","code":"invalid_api_key"}}"#
        for status in [400, 401, 403, 404, 413, 415, 422] {
            let failure = failure(status, body)
            #expect(failure.description == "openai answers \(status) (invalid_api_key)" && failure.isPermanent)
        }
        #expect(failure(401, #"{"error":{"code":"Your key sk-1234 is wrong"}}"#).description == "openai answers 401")
        let busy = failure(429, #"{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED"}}"#, retryAfter: "17")
        #expect(busy.description == "openai answers 429 (RESOURCE_EXHAUSTED)" && busy.after == .seconds(17) && !busy.isPermanent)
        #expect(busy.isAway)
        #expect(failure(429, retryAfter: "999999").after == .seconds(3_600))
        for status in [408, 500, 502, 503, 529] {
            let failure = failure(status, retryAfter: "soon")
            #expect(failure.description == "openai answers \(status)" && failure.after == nil && !failure.isPermanent)
            #expect(failure.isAway == [408, 503].contains(status), "\(status)")
        }
    }

    @Test(
        "Retry-After may be a date, which is compared with the response's own date, or with the clock; at most an hour",
        arguments: [
            ("Sun, 06 Nov 1994 08:50:07 GMT", nil, 30), ("Sunday, 06-Nov-94 08:50:07 GMT", nil, 30), ("Sun Nov  6 08:50:07 1994", nil, 30),
            ("Sun, 06 Nov 1994 08:49:00 GMT", nil, 0), ("Mon, 07 Nov 1994 08:49:37 GMT", nil, 3_600),
            // The provider's clock is an hour ahead.
            ("Sun, 06 Nov 1994 09:50:07 GMT", "Sun, 06 Nov 1994 09:49:47 GMT", 20),
            ("Sun, 06 Nov 1994 08:50:07 GMT", "no date", 30), ("-5", nil, 0),
        ] as [(String, String?, Int)])
    func dates(_ retryAfter: String, _ sent: String?, _ seconds: Int) {
        for status in [429, 503] { #expect(failure(status, retryAfter: retryAfter, sent: sent).after == .seconds(seconds)) }
    }

    @Test("Retry-After that is neither a number nor a date is ignored", arguments: ["", "soon", "1.5", "06 Nov 1994", "9e9"])
    func nonsense(_ retryAfter: String) { #expect(failure(429, retryAfter: retryAfter).after == nil) }
}
