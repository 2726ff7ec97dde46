import HTTPTypes
import Hummingbird
package import NIOCore
package import Wire

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
    private var writer: any ResponseBodyWriter

    init(_ writer: any ResponseBodyWriter) { self.writer = writer }

    /// Answers when the client takes more.
    /// - Throws: when it has hung up.
    package func write(_ bytes: ByteBuffer) async throws { try await writer.write(bytes) }
}

extension Routes {
    /// Answers an endpoint with a file that is made while it is sent.
    package func serve<Input: Codable & Sendable>(
        download endpoint: Endpoint<Input, FileContent>, _ handle: @escaping @Sendable (Input, WebContext) async throws -> Download
    ) {
        add(endpoint) { input, _, context in
            let download = try await handle(input, context)
            let headers: HTTPFields = [
                .contentType: download.contentType,
                .contentDisposition: ServedFile.disposition(contentType: download.contentType, fileName: download.fileName),
                .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
            ]
            return Response(
                status: .ok, headers: headers,
                body: ResponseBody { writer in
                    try await download.write(DownloadBody(writer))
                    try await writer.finish(nil)
                })
        }
    }
}
