import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestKit

/// Uploads files of a chat to a running server.
struct ChatFileClient: Sendable {
    let port: Int
    let person: CampaignPerson

    /// - Returns: the status, or 0 if the client missed the response three times because it came early; see `MissedAnswer`.
    func upload(_ name: String, _ data: Data) async throws -> Int {
        var body = MultipartBody()
        body.add("file", fileName: name, data)
        for field in ["width", "height"] { body.add(field, "64") }
        body.close()
        let (bytes, contentType) = (ByteBuffer(bytes: body.data), body.contentType)
        for _ in 0..<3 {
            if let status = try await MissedAnswer.unless({ try await send(.bytes(bytes), contentType) }) { return status }
        }
        return 0
    }

    /// Uploads `head` and as many equal pieces as make `byteCount`. All uploads share the piece's memory.
    func upload(_ name: String, _ head: Data, padding piece: ByteBuffer, byteCount: Int) async throws -> Int {
        let boundary = "0123456789"
        let start = "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n"
        let end = "\r\n--\(boundary)--\r\n"
        let parts = AsyncStream<ByteBuffer> { continuation in
            continuation.yield(ByteBuffer(bytes: Data(start.utf8) + head))
            var left = byteCount - head.count
            while left > 0 {
                let count = min(left, piece.readableBytes)
                continuation.yield(piece.getSlice(at: piece.readerIndex, length: count)!)
                left -= count
            }
            continuation.yield(ByteBuffer(string: end))
            continuation.finish()
        }
        let length = Int64(start.utf8.count + byteCount + end.utf8.count)
        return try await send(.stream(parts, length: .known(length)), "multipart/form-data; boundary=\(boundary)")
    }

    private func send(_ body: HTTPClientRequest.Body, _ contentType: String) async throws -> Int {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/api/chat/files/upload")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Content-Type", value: contentType)
        request.body = body
        let response = try await campaignClient.execute(request, timeout: .seconds(120))
        _ = try await response.body.collect(upTo: 4 << 20)
        return Int(response.status.code)
    }
}
