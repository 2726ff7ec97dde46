import Foundation
import HTTPTypes
import KeepsakeWire
import Testing

@testable import KeepsakeKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The response or error that the transport returns, depending on what URLSession reports about a request.
@Suite("KeepsakeKit's exchanges with URLSession")
struct ExchangeTests {
    /// - Parameter error: the error with which URLSession ends the request after the response with this status.
    private func outcome(_ status: Int, _ error: (any Error)?) async throws -> TransportResponse {
        let exchange = Exchange(file: nil, progress: nil)
        let url = try #require(URL(string: "http://127.0.0.1"))
        let head = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: ["X-Request-ID": "r"]))
        #expect(exchange.receive(head) && exchange.receive(Data("{".utf8)))
        exchange.complete(error)
        return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<TransportResponse, any Error>) in
            #expect(!exchange.start(continuation))
        }
    }

    @Test("a refusal counts although the connection broke while the body was sent", arguments: [401, 413, 507])
    func refusals(_ status: Int) async throws {
        let response = try await outcome(status, URLError(.networkConnectionLost))
        #expect(response.head.status.code == status && response.head.headerFields[.xRequestID] == "r")
    }

    @Test("a success whose connection broke does not count, and a cancelled exchange is cancelled")
    func breaks() async throws {
        await #expect { try await outcome(200, URLError(.networkConnectionLost)) } throws: { ($0 as? KeepsakeError)?.code == .network }
        await #expect { try await outcome(413, URLError(.cancelled)) } throws: { ($0 as? KeepsakeError)?.code == .cancelled }
        #expect(try await outcome(200, nil).head.status == .ok)
    }

    @Test("a status that HTTP does not have is an error without a name", arguments: [1_000, -1, Int.max])
    func impossibleStatus(_ status: Int) async throws {
        let response = try await outcome(status, nil)
        #expect(KeepsakeError(response.head, body: response.body, surface: .capsules).isRetryable == false)
        #expect(!(200..<300 ~= response.head.status.code))
    }
}
