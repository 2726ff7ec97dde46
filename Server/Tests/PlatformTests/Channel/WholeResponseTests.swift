import HTTPTypes
import NIOCore
import Testing

@testable import HTTPServer

/// The bytes of responses that `HTTP1Exchange` encodes itself.
@Suite("Whole responses")
struct WholeResponseTests {
    private func encode(
        _ status: HTTPResponse.Status, _ fields: HTTPFields, _ body: String = "", isHead: Bool = false, closes: Bool = false
    ) -> (first: String, second: String?) {
        let response = WholeResponse(status: status, fields: fields, body: ByteBuffer(string: body))
        let (first, second) = response.encoded(isHead: isHead, closes: closes, ByteBufferAllocator())
        return (String(buffer: first), second.map { String(buffer: $0) })
    }

    @Test("head and body are one buffer, with the fields in their order")
    func joined() {
        let bytes = encode(.ok, [.contentType: "application/json", .contentLength: "2", .vary: "Origin"], "{}")
        #expect(bytes.first == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nVary: Origin\r\n\r\n{}")
        #expect(bytes.second == nil)
    }

    @Test("a longer body stays where it is")
    func separate() {
        let body = String(repeating: "a", count: 20_000)
        let bytes = encode(.ok, [.contentLength: "20000"], body)
        #expect(bytes.first == "HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n")
        #expect(bytes.second == body)
    }

    @Test("the response to HEAD has the length but not the body; 204 and 304 have neither")
    func withoutBody() {
        #expect(encode(.ok, [.contentLength: "2"], "{}", isHead: true).first == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
        for status in [HTTPResponse.Status.noContent, .notModified] {
            let bytes = encode(status, [.contentLength: "0", .eTag: "\"a\""])
            #expect(bytes.first == "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\nETag: \"a\"\r\n\r\n")
            #expect(bytes.second == nil)
        }
    }

    @Test("the last response of a connection says so once, and no field contradicts the length")
    func closing() {
        let bytes = encode(.badRequest, [.connection: "keep-alive", .transferEncoding: "chunked", .contentLength: "0"], closes: true)
        #expect(bytes.first == "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }

    @Test("a response of unknown length and an informational one keep NIO's encoder")
    func notEncoded() {
        #expect(WholeResponse.canEncode(.ok, [.contentLength: "0"]))
        #expect(WholeResponse.canEncode(.notModified, [:]))
        #expect(!WholeResponse.canEncode(.ok, [:]))
        #expect(!WholeResponse.canEncode(.continue, [:]))
        #expect(!WholeResponse.canEncode(.switchingProtocols, [:]))
    }
}
