package import Blobs
import Core
package import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore

/// A JSON body that the server has not read yet and in which some members are files in base64. They are decoded while they arrive and go
/// through the same session as the parts of a form.
package struct IncomingJSON {
    private let request: Request
    private let context: WebContext
    private let members: Set<String>

    /// - Parameter members: names of members of the top-level object. Those whose value is a string are files.
    package init(request: Request, context: WebContext, members: Set<String>) {
        self.request = request
        self.context = context
        self.members = members
    }

    /// Reads the object into `session`, each file under its member's name. Returns once every file is on disk under its final key. After an
    /// error no file remains.
    /// - Returns: the stored files, and the object as JSON with `null` in place of each file.
    package func receive(into session: UploadSession) async throws -> (upload: ReceivedUpload, object: Data) {
        var object = JSONFileSteps(members: members)
        session.isBase64 = true
        let upload = try await session.receive(request, context) { chunk in
            for step in try object.steps(in: chunk) {
                switch step {
                case .begin(let member): try session.begin(field: member, fileName: nil)
                case .append(let bytes): try await session.append(bytes)
                case .end: try await session.end()
                }
            }
        } end: {
            try object.finish()
        }
        return (upload, Data(object.rest))
    }
}

/// A request body that consists of one file.
package struct IncomingFile {
    private let request: Request
    private let context: WebContext

    package init(request: Request, context: WebContext) {
        self.request = request
        self.context = context
    }

    /// The announced length in bytes; `nil` when the request has no `Content-Length`.
    package var byteCount: Int64? { request.headers[.contentLength].flatMap { Int64($0) } }

    /// The announced media type without parameters, in lower case; `nil` when the request has none.
    package var contentType: String? {
        request.headers[.contentType].map { $0.prefix { $0 != ";" }.lowercased().trimmingCharacters(in: .whitespaces) }
    }

    /// Reads the body into `session` as the file of `field`. After an error no file remains.
    /// - Parameter link: the upload link that the request used; `nil` when it used none. The upload then counts for the link's owner.
    package func receive(into session: UploadSession, field: String, by link: UploadLink? = nil) async throws -> ReceivedUpload {
        try session.begin(field: field, fileName: nil)
        return try await session.receive(request, context, by: link) {
            try await session.append($0)
        } end: {
            try await session.end()
        }
    }
}

extension UploadSession {
    /// Reads a body as it arrives. The request holds no admission slot until the body is complete and its files are inspected.
    /// - Throws: before it reads anything, `.tooManyRequests` when the link, the account or its network has too many unfinished uploads.
    func receive(
        _ request: Request, _ context: WebContext, by link: UploadLink? = nil, _ take: (ByteBuffer) async throws -> Void,
        end: () async throws -> Void
    ) async throws -> ReceivedUpload {
        do {
            try await announce(byteCount: request.headers[.contentLength].flatMap { Int64($0) })
            let body = try context.beginUpload(by: link)
            defer { body?.end() }
            try await context.continueIfExpected(request)
            return try await context.withoutPlace {
                for try await chunk in request.body {
                    try count(arrived: chunk.readableBytes)
                    try await body?.hold(chunk.readableBytes)
                    try await take(chunk)
                }
                try await end()
                return try await finish()
            }
        } catch {
            await abort()
            throw error
        }
    }
}
