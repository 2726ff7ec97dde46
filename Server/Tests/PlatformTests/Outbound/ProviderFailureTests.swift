import NIOCore
import NIOHTTP1
import Outbound
import Testing

@Suite("Failures of providers")
struct ProviderFailureTests {
    private func failure(_ status: Int, _ body: String = "", retryAfter: String? = nil) -> ProviderFailure {
        ProviderFailure(
            .init(status: status, headers: retryAfter.map { ["Retry-After": $0] } ?? [:], body: ByteBuffer(string: body)), engine: "openai")
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
        #expect(failure(429, retryAfter: "999999").after == .seconds(3_600))
        for status in [408, 500, 502, 503, 529] {
            let failure = failure(status, retryAfter: "soon")
            #expect(failure.description == "openai answers \(status)" && failure.after == nil && !failure.isPermanent)
        }
    }
}
