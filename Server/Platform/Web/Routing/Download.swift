package import Core
import HTTPTypes
import Hummingbird
package import KeepsakeWire
package import NIOCore

/// A file that is generated while it is sent, so that its length is unknown beforehand.
package struct Download: Sendable {
    let contentType: String
    let fileName: String
    let version: String?
    let linkMaker: Viewer?
    let write: @Sendable (DownloadBody) async throws -> Void

    /// - Parameters:
    ///   - version: changes whenever the file's content does; only visible ASCII without quotes and commas. The server sends it as the
    ///     `ETag`, and answers 304 to a client that has this version. `nil`: clients do not keep the file.
    ///   - linkMaker: who made the link that the request uses. The server stops sending the file when the session of `linkMaker` ends, and
    ///     also when the session of the request itself ends.
    ///   - write: writes the whole file. If it throws, for example because the client disconnected, the server closes the connection, so
    ///     that the client does not mistake a part of the file for the whole.
    package init(
        contentType: String, fileName: String, version: String? = nil, linkMaker: Viewer? = nil,
        write: @escaping @Sendable (DownloadBody) async throws -> Void
    ) {
        self.contentType = contentType
        self.fileName = fileName
        self.version = version
        self.linkMaker = linkMaker
        self.write = write
    }
}

/// Receives the bytes of a download. Only one task may use it.
package final class DownloadBody {
    /// The caller writes what it has made as soon as it has this many bytes. They stay in memory until the client has read them, and
    /// `AnswersInFlight` does not count them, so callers must not make more at a time.
    package static let pieceByteCount = 32_768

    private let answer: Answer
    private let turns: LongWorkTurns
    private let sessions: SessionCheck

    init(_ answer: Answer, _ context: WebContext, _ sessions: SessionCheck) {
        self.answer = answer
        self.sessions = sessions
        turns = LongWorkTurns(context)
    }

    /// Waits for the requester's turn, and makes a piece of the download in it, because a long piece keeps a thread busy. Write the piece
    /// after this method has returned. Otherwise a slow client would keep the turn.
    /// - Throws: the errors of `make`; `CancellationError`.
    package func making<T>(_ make: () async throws -> T) async throws -> T { try await turns.run(make) }

    /// Returns when the bytes have left for the network. So the caller holds only one piece in memory.
    /// - Throws: when the client has disconnected, or the session has ended that requested the download or made its link.
    package func write(_ bytes: ByteBuffer) async throws {
        try await sessions.requireLive()
        try await answer.send(bytes)
    }
}

extension Routes {
    /// Serves an endpoint with a file that is generated while it is sent.
    package func serve<Input: Codable & Sendable>(
        download endpoint: Endpoint<Input, FileContent>, _ handle: @escaping @Sendable (Input, WebContext) async throws -> Download
    ) {
        let sockets = sockets
        add(endpoint) { input, request, context in
            let slot = try context.enterAnswer()
            let download = try await handle(input, context)
            var headers: HTTPFields = [.cacheControl: "no-store", .xContentTypeOptions: "nosniff"]
            if let version = download.version {
                let etag = "\"\(version)\""
                headers[.cacheControl] = "private, no-cache"
                headers[.eTag] = etag
                switch Conditions.decide(request.headers, etag: etag) {
                case .preconditionFailed: throw Problem.fileChanged
                case .notModified: return Response(status: .notModified, headers: headers)
                case .proceed: break
                }
            }
            headers[.contentType] = download.contentType
            headers[.contentDisposition] = ServedFile.disposition(contentType: download.contentType, fileName: download.fileName)
            let viewers = Set([context.viewer, download.linkMaker].compactMap { $0 })
            return Response(
                status: .ok, headers: headers,
                body: try context.body(slot, byteCount: nil) { answer in
                    // Writing the file reads the database and compresses, on behalf of the account. Bind the record again, because the
                    // request's task has left its binding by then.
                    try await Requester.$source.withValue(context.record) {
                        try await context.onThreads { try await download.write(DownloadBody(answer, context, sockets.check(of: viewers))) }
                    }
                    try await answer.finish()
                })
        }
    }
}
