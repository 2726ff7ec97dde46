import HTTPTypes
import Hummingbird
package import KeepsakeWire
package import NIOCore

/// A file that is made while it is sent: nobody knows its length beforehand.
package struct Download: Sendable {
    let contentType: String
    let fileName: String
    let write: @Sendable (DownloadBody) async throws -> Void

    /// - Parameter write: writes all of it. What it throws, or what a client causes that hangs up, ends the connection, so that nobody
    ///   takes the part for the whole.
    package init(contentType: String, fileName: String, write: @escaping @Sendable (DownloadBody) async throws -> Void) {
        self.contentType = contentType
        self.fileName = fileName
        self.write = write
    }
}

/// Where a download's bytes go. Of one task.
package final class DownloadBody {
    /// A good size for what is written at a time.
    package static let pieceByteCount = 65_536

    private let answer: Answer

    init(_ answer: Answer) { self.answer = answer }

    /// Returns when the bytes have left for the network, so that whoever makes them holds no more than these.
    /// - Throws: when the client has hung up.
    package func write(_ bytes: ByteBuffer) async throws { try await answer.send(bytes) }
}

extension Routes {
    /// Answers an endpoint with a file that is made while it is sent.
    package func serve<Input: Codable & Sendable>(
        download endpoint: Endpoint<Input, FileContent>, _ handle: @escaping @Sendable (Input, WebContext) async throws -> Download
    ) {
        add(endpoint) { input, _, context in
            let place = try context.enterAnswer()
            let download = try await handle(input, context)
            let headers: HTTPFields = [
                .contentType: download.contentType,
                .contentDisposition: ServedFile.disposition(contentType: download.contentType, fileName: download.fileName),
                .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
            ]
            return Response(
                status: .ok, headers: headers,
                body: try context.body(place, byteCount: nil) { try await download.write(DownloadBody($0)) })
        }
    }
}
