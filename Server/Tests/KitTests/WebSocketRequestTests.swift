import Foundation
import HTTPTypes
import Testing

@testable import KeepsakeKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The requests that KeepsakeKit passes to URLSession. Linux's URLSession cannot open WebSockets, so the tests check only the requests.
@Suite("KeepsakeKit's requests for WebSockets of URLSession")
struct WebSocketRequestTests {
    @Test(
        "the scheme is a WebSocket's, and the time limit is longer than the pause between two pings",
        arguments: [("http", "ws"), ("https", "wss")])
    func request(_ scheme: String, _ expected: String) throws {
        let head = HTTPRequest(
            method: .get, scheme: scheme, authority: "keepsake.example.org:8443", path: "/base/ws/events?since=1",
            headerFields: [.authorization: "Bearer a"])
        let request = try URLSessionTransport.webSocketRequest(head, .seconds(20))
        #expect(request.url?.absoluteString == "\(expected)://keepsake.example.org:8443/base/ws/events?since=1")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer a")
        #expect(request.timeoutInterval > 25)
    }
}
