package import Blobs
import Core
import Foundation
import HTTPTypes
package import Hummingbird
import KeepsakeWire
import NIOCore

/// A JSON body that the server has not read yet and in which some members are files in base64. The files are decoded while they arrive and
/// go through the same session as the parts of a form.
package struct IncomingJSON {
    private let request: Request
    private let context: WebContext
    private let members: Set<String>
    private let parameters: [String: String]
    private let surface: Surface
    private let maxByteCount: Int

    /// - Parameters:
    ///   - members: names of members of the top-level object whose value is a file, or null.
    ///   - parameters: the values of the names in the route's path.
    ///   - maxByteCount: the most bytes of the body as it is sent.
    init(
        request: Request, context: WebContext, members: Set<String>, parameters: [String: String], surface: Surface, maxByteCount: Int
    ) {
        self.request = request
        self.context = context
        self.members = members
        self.parameters = parameters
        self.surface = surface
        self.maxByteCount = maxByteCount
    }

    /// Reads the object into `session`, each file under its member's name, and decodes the rest of it. An empty text is not a file. Returns
    /// once every file is on disk under its final key; after an error no file remains. Check the input inside `ReceivedUpload.settle`,
    /// which deletes the files if it is refused.
    /// - Parameter type: a type that has no properties for the files, or optional ones. The decoder sees null in place of each file.
    /// - Throws: `.invalid`, naming the member, for an input that is not of this type; what the session throws for its files; `.tooLarge`.
    package func receive<Input: Decodable>(
        into session: UploadSession, as type: Input.Type
    ) async throws -> (upload: ReceivedUpload, input: Input) {
        var object = JSONFileSteps(members: members)
        var fingerprint = context.idempotency.isHeld ? RequestFingerprint.JSON(path: request.uri.path) : nil
        var pending: String?
        var input: Input?
        session.expectBase64(maxBodyByteCount: Int64(maxByteCount))
        let upload = try await session.receive(request, context, kept: { object.rest.count }) { chunk in
            fingerprint?.add(chunk)
            for step in try object.steps(in: chunk) {
                switch step {
                case .begin(let member): pending = member
                case .append(let bytes):
                    if let member = pending.take() { try session.begin(field: member, fileName: nil) }
                    try await session.append(bytes)
                case .end:
                    // A file without bytes was never begun, so there is nothing to end.
                    if pending.take() == nil { try await session.end() }
                }
            }
        } end: {
            try object.finish()
            input = try InputDecoder.decode(type, parameters: parameters, json: ByteBuffer(bytes: object.rest), surface: surface)
            if let fingerprint { context.idempotency.identify(fingerprint.finish()) }
        }
        guard let input else { preconditionFailure("the body has ended") }
        return (upload, input)
    }

    /// Reads the body and computes only its fingerprint, to compare it with an earlier request; stores nothing.
    /// - Throws: `.tooLarge` beyond `limit` bytes.
    static func fingerprint(of request: Request, _ context: WebContext, upTo limit: Int) async throws -> RequestFingerprint {
        var fingerprint = RequestFingerprint.JSON(path: request.uri.path)
        try await context.readUpload(request, upTo: limit) { fingerprint.add($0) }
        return fingerprint.finish()
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
    /// - Parameter kept: the number of bytes that `take` keeps in memory, apart from those that it passes to the session.
    /// - Throws: before it reads anything, `.tooManyRequests` when the link, the account or its network has too many unfinished uploads;
    ///   `.unauthenticated` when the caller's session has ended meanwhile.
    func receive(
        _ request: Request, _ context: WebContext, by link: UploadLink? = nil, kept: () -> Int = { 0 },
        _ take: (ByteBuffer) async throws -> Void, end: () async throws -> Void
    ) async throws -> ReceivedUpload {
        do {
            try await announce(byteCount: request.headers[.contentLength].flatMap { Int64($0) })
            let body = try context.beginUpload(by: link)
            var isKept = false
            defer { if !isKept { body?.end() } }
            try await context.continueIfExpected(request)
            return try await context.withoutSlot {
                for try await chunk in request.body {
                    try count(arrived: chunk.readableBytes)
                    let mayStay = body?.keep(chunk.readableBytes) ?? true
                    try await take(chunk)
                    guard let body, !mayStay else { continue }
                    await writeOut()
                    try body.wrote(keeping: keptByteCount + kept())
                }
                try await end()
                // The handler holds long texts, those of the form and those of the entry, while it waits for the database or for its turn.
                let kept = textByteCount > Self.shortTextByteCount ? 2 * textByteCount : 0
                try body?.reserve(kept)
                let received = try await finish()
                try await context.requireLiveSession()
                if let body, kept > 0 {
                    body.finish(keeping: kept)
                    isKept = true
                    context.record.update { $0.body = body }
                }
                return received
            }
        } catch {
            await abort()
            throw error
        }
    }

    /// The texts of a form, in bytes, that do not count once its body has ended.
    private static let shortTextByteCount = 4_096
}
