package import Blobs
package import Core
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore

/// A stored file that a route sends.
package struct ServedFile: Sendable {
    let open: @Sendable () async throws -> any BlobReader
    let byteCount: Int64
    /// The media type that the server detected in the content; never the one that the client declared.
    let contentType: String
    /// The file name that the client suggests to the person who saves the file.
    let fileName: String
    /// SHA-256 of the content in lower-case hexadecimal; also the ETag.
    let sha256: String
    let modifiedAt: Timestamp
    /// Whether the content depends on the request's `Accept`.
    let dependsOnAccept: Bool
    /// Signs a link to the object store that needs no credential; returns `nil` if the store has no such links. `nil`: the server always
    /// sends the bytes itself.
    let presign: Presign?
    /// Whether the file is still stored, and its owner's account is open.
    let isStored: @Sendable () async throws -> Bool

    /// - Parameters:
    ///   - contentType: the object store sends the bytes with this type, whatever it has stored.
    ///   - disposition: the object store sends the bytes with this `Content-Disposition`, too.
    ///   - life: how long the link works.
    package typealias Presign = @Sendable (_ contentType: String, _ disposition: String, _ life: Duration) throws -> String?

    /// How long a link to the object store works. A deleted file can be read for this time.
    private static let linkLife = Duration.seconds(60)

    package init(
        byteCount: Int64, contentType: String, fileName: String, sha256: String, modifiedAt: Timestamp, dependsOnAccept: Bool = false,
        presign: Presign? = nil, isStored: @escaping @Sendable () async throws -> Bool = { true },
        open: @escaping @Sendable () async throws -> any BlobReader
    ) {
        self.open = open
        self.byteCount = byteCount
        self.contentType = contentType
        self.fileName = fileName
        self.sha256 = sha256
        self.modifiedAt = modifiedAt
        self.dependsOnAccept = dependsOnAccept
        self.presign = presign
        self.isStored = isStored
    }

    func response(to request: Request, _ context: WebContext) async throws -> Response {
        let etag = "\"\(sha256)\""
        var headers: HTTPFields = [
            .eTag: etag,
            .lastModified: HTTPDate.format(seconds: modifiedAt.seconds),
            .cacheControl: Self.cacheControl(context.link),
            .acceptRanges: "bytes",
            .xContentTypeOptions: "nosniff",
            // Whatever an uploaded file contains, a browser that opens it runs no script and loads nothing.
            .contentSecurityPolicy: "sandbox; default-src 'none'",
        ]
        if dependsOnAccept { headers[.vary] = "Accept" }
        switch Conditions.decide(request.headers, etag: etag, lastModified: modifiedAt) {
        case .preconditionFailed: throw Problem.fileChanged
        case .notModified: return Response(status: .notModified, headers: headers)
        case .proceed: break
        }
        let disposition = Self.disposition(contentType: contentType, fileName: fileName)
        headers[.contentType] = contentType
        headers[.contentDisposition] = disposition
        let asked = Conditions.rangeHolds(request.headers, etag: etag, lastModified: modifiedAt) ? request.headers[.range] : nil
        let part = ByteRange.parse(asked, byteCount: byteCount)
        if part != .unsatisfiable, mayRedirect(request), let redirect = try redirect(disposition) { return redirect }
        switch part {
        case .unsatisfiable:
            var problem = Problem(.rangeNotSatisfiable, "The range is outside the file, which has \(byteCount) bytes.", field: "Range")
            problem.fileByteCount = byteCount
            throw problem
        case .whole:
            return Response(status: .ok, headers: headers, body: try await body(0..<byteCount, request.method, context))
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
            return Response(status: .partialContent, headers: headers, body: try await body(range, request.method, context))
        }
    }

    private func body(_ range: Range<Int64>, _ method: HTTPRequest.Method, _ context: WebContext) async throws -> ResponseBody {
        let length = Int(range.upperBound - range.lowerBound)
        guard method != .head, length > 0 else { return ResponseBody(contentLength: length) { try await $0.finish(nil) } }
        if length <= AnswersInFlight.smallByteCount { return try await wholeBody(range, context) }
        // Take the slot before the file is opened, so that a refused request uses no file descriptor.
        let slot = try context.enterAnswer()
        if let whole = context.wholeAnswer(length, slot) {
            let body = try await wholeBody(range, context)
            ClientPresence.current?.onceSent { whole.release() }
            return body
        }
        // Open the file before the head is sent, so that a missing file gives an error and not a truncated response.
        let reader = try await open()
        let eventLoop = context.channel.eventLoop
        let permission = permission(context)
        if let stream = reader.stream(range, on: eventLoop) {
            let part = try await remotePart(stream, byteCount: Int64(length), slot, context)
            return try context.body(slot, byteCount: length) { answer in try await answer.finish(part, while: permission) }
        }
        return try context.body(slot, byteCount: length) { answer in try await answer.finish(reader, range, while: permission) }
    }

    /// A client that reads slowly can read one response for days. It gets no more of it when its session has ended, or the file was
    /// deleted. If the database cannot be read, the next check decides.
    private func permission(_ context: WebContext) -> Answer.Permission {
        { [isStored, session = context.session, requester = context.requester] in
            await requester.run {
                do {
                    try await session?.requireLive()
                    return try await isStored()
                } catch {
                    return (error as? Problem)?.kind != .unauthenticated
                }
            }
        }
    }

    private func remotePart(
        _ stream: any BlobStream, byteCount: Int64, _ slot: AnswersInFlight.Slot, _ context: WebContext
    ) async throws -> RemotePart {
        do {
            let connection = try context.enterRemoteAnswer()
            let eventLoop = context.channel.eventLoop
            return try await ClientPresence.whilePresent(on: LoopExecutor(eventLoop)) {
                try await RemotePart(stream, byteCount: byteCount, slot, connection, on: eventLoop)
            }
        } catch is CancellationError {
            // The client is gone and reads no response; status 408 keeps this out of the error log.
            throw Problem(.timeout, "The client closed the request before the file was read.")
        }
    }

    // MARK: Redirects

    /// Whether the server may redirect this request to the object store. The store adds no `nosniff` and no security policy, so it serves
    /// only content that a browser shows and cannot run. The client would repeat its conditions to the store, whose dates and entity tags
    /// differ, so requests with conditions are not redirected. HEAD requests are not redirected either, because a link is signed for GET.
    private func mayRedirect(_ request: Request) -> Bool {
        guard presign != nil, request.method == .get, Self.isShown(contentType) else { return false }
        return [.ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange].allSatisfy { request.headers[$0] == nil }
    }

    /// - Returns: `nil` if the store has no links.
    private func redirect(_ disposition: String) throws -> Response? {
        guard let link = try presign?(contentType, disposition, Self.linkLife) else { return nil }
        // A stored redirect would outlive its link, or the file.
        var headers: HTTPFields = [.location: link, .cacheControl: "no-store"]
        if dependsOnAccept { headers[.vary] = "Accept" }
        return Response(status: .found, headers: headers)
    }

    // MARK: Bodies

    /// Reads the range on the current thread if the page cache has it, and otherwise on the blob store's threads. The body is then complete
    /// in memory: it is written together with the head, and no longer needs the file's descriptor.
    private func wholeBody(_ range: Range<Int64>, _ context: WebContext) async throws -> ResponseBody {
        let reader = try await open()
        var bytes = ByteBufferAllocator().buffer(capacity: range.count)
        if !reader.readCached(range, into: &bytes) || bytes.readableBytes < range.count {
            bytes = try await reader.read(range, on: context.channel.eventLoop).get()
        }
        return ResponseBody(byteBuffer: bytes)
    }

    private static func cacheControl(_ link: SignedLinks.Grant?) -> String {
        guard let link else { return "private, no-cache" }
        return "private, max-age=\(max(0, link.expiresAt.seconds - link.now.seconds)), immutable"
    }

    /// `Content-Disposition` (RFC 6266) with the name in ASCII for old clients and in UTF-8 (RFC 8187) for the others.
    static func disposition(contentType: String, fileName: String) -> String {
        let fileName = FileEnding.name(fileName, of: contentType)
        let start = isShown(contentType) ? "inline; filename=\"" : "attachment; filename=\""
        if fileName.utf8.allSatisfy(isPlain) { return "\(start)\(fileName)\"" }
        var value = start
        for scalar in fileName.unicodeScalars { value.unicodeScalars.append(scalar.isASCII && isPlain(UInt8(scalar.value)) ? scalar : "_") }
        value += "\"; filename*=UTF-8''"
        for byte in fileName.utf8 {
            if isAttributeCharacter(byte) {
                value.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                value += byte < 16 ? "%0" : "%"
                value += String(byte, radix: 16, uppercase: true)
            }
        }
        return value
    }

    /// Whether a browser may show the content instead of saving it: pictures, sounds and films.
    private static func isShown(_ contentType: String) -> Bool {
        ["image/", "audio/", "video/"].contains { contentType.hasPrefix($0) } && !contentType.hasPrefix("image/svg")
    }

    /// Printable ASCII without what some clients interpret in a quoted name.
    private static func isPlain(_ byte: UInt8) -> Bool {
        0x20..<0x7F ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "%")
    }

    /// Whether RFC 8187 §3.2.1 allows the byte unencoded (`attr-char`).
    private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$&+-.^_`|~".utf8.contains(byte)
        }
    }
}
