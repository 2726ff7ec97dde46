import AsyncHTTPClient
import Core
import NIOCore
import NIOHTTP1

/// Requests about whole objects and the bucket.
extension S3Client {
    /// What the response to a HEAD request says about an object.
    struct ObjectHead: Sendable {
        let byteCount: Int64
        /// The hash that `put` stored with the object.
        let sha256: String?
    }

    struct ListedObject: Sendable {
        /// The object's name without the prefix that the store's address contains.
        let name: String
        let modifiedAt: Timestamp
        let byteCount: Int64
    }

    private static let sha256Header = "x-amz-meta-sha256"
    private static let uploadHeader = "x-amz-meta-upload"
    /// 1 PiB, more than any store accepts for an object.
    private static let mostByteCount: Int64 = 1 << 50

    /// Reads the size of an object as the store states it.
    /// - Returns: `nil` unless the size is between 0 bytes and 1 PiB. Other sizes would end the process: a range with a negative end traps,
    ///   and so does an overflow.
    static func byteCount(_ text: some StringProtocol) -> Int64? {
        Int64(text).flatMap { (0...mostByteCount).contains($0) ? $0 : nil }
    }

    /// Stores an object under a name that no other object has.
    ///
    /// After a lost response the second attempt finds the object of the first: `If-None-Match` fails, and the stored hash shows that the
    /// object is complete.
    func putNew(_ name: String, _ body: S3Body) async throws {
        var request = S3Request(operation: .putObject, method: .PUT, name: name, body: body)
        request.headers = [(Self.sha256Header, body.sha256)]
        if usesConditions { request.headers.append(("if-none-match", "*")) }
        do {
            _ = try await send(request)
        } catch let error as S3Error where error.status == 412 {
            let stored = try await head(name)
            guard stored?.sha256 == body.sha256, stored?.byteCount == Int64(body.byteCount) else { throw error }
        } catch let error as S3Error where error.status == 501 && usesConditions {
            giveUpConditions()
            try await putNew(name, body)
        }
    }

    /// Stores an object, and replaces any other of that name.
    /// - Parameter upload: the id of a multipart upload, stored with the object. `getWhole` returns it.
    func putReplacing(_ name: String, _ body: S3Body, upload: String?) async throws {
        var request = S3Request(operation: .putObject, method: .PUT, name: name, body: body)
        if let upload { request.headers = [(Self.uploadHeader, upload)] }
        _ = try await send(request)
    }

    /// Reads a whole object into memory.
    /// - Returns: `nil` when there is no such object.
    func getWhole(_ name: String, maxByteCount: Int) async throws -> (bytes: ByteBuffer, upload: String?)? {
        do {
            let response = try await send(
                S3Request(operation: .getObject, method: .GET, name: name), maxByteCount: maxByteCount)
            return (response.body, response.headers.first(name: Self.uploadHeader))
        } catch let error as S3Error where error.isMissing {
            return nil
        }
    }

    /// - Returns: `nil` when there is no such object.
    func head(_ name: String) async throws -> ObjectHead? {
        do {
            let response = try await send(S3Request(operation: .headObject, method: .HEAD, name: name))
            guard let count = response.headers.first(name: "content-length").flatMap({ Self.byteCount($0) }) else {
                throw S3Error(operation: .headObject, status: 200, code: "no Content-Length")
            }
            return ObjectHead(byteCount: count, sha256: response.headers.first(name: Self.sha256Header))
        } catch let error as S3Error where error.isMissing {
            return nil
        }
    }

    /// - Parameter range: not empty.
    func get(_ name: String, _ range: Range<Int64>) async throws -> HTTPClientResponse {
        let response = try await open(Self.ranged(name, range))
        try Self.checkRange(response.status, range)
        return response
    }

    /// - Throws: `S3Error` when the response to a request for `range` begins elsewhere: a proxy that ignores the range sends the object
    ///   from its beginning (RFC 9110 §14.2).
    static func checkRange(_ status: HTTPResponseStatus, _ range: Range<Int64>) throws {
        guard status == .partialContent || range.lowerBound == 0 else {
            throw S3Error(operation: .getObject, status: Int(status.code), code: "the range was ignored")
        }
    }

    /// The first bytes of an object.
    /// - Returns: at most `count` bytes, and the length of the whole object; `nil` when there is no such object.
    func getFirstBytes(_ name: String, count: Int) async throws -> (bytes: ByteBuffer, byteCount: Int64)? {
        do {
            let response = try await send(Self.ranged(name, 0..<Int64(count)), maxByteCount: count)
            guard response.status == 206 else { return (response.body, Int64(response.body.readableBytes)) }
            // For example `bytes 0-65535/1000000`.
            guard let total = response.headers.first(name: "content-range")?.split(separator: "/").last.flatMap({ Self.byteCount($0) }),
                total >= Int64(response.body.readableBytes)
            else { throw S3Error(operation: .getObject, status: 206, code: "no usable Content-Range") }
            return (response.body, total)
        } catch let error as S3Error where error.isMissing {
            return nil
        } catch let error as S3Error where error.status == 416 {
            // The store refuses the range of an empty object, which has no first byte.
            return try await head(name).map { (ByteBuffer(), $0.byteCount) }
        }
    }

    static func ranged(_ name: String, _ range: Range<Int64>) -> S3Request {
        var request = S3Request(operation: .getObject, method: .GET, name: name)
        request.headers = [("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")]
        return request
    }

    /// No error when there is no such object.
    func delete(_ name: String) async throws {
        do {
            _ = try await send(S3Request(operation: .deleteObject, method: .DELETE, name: name))
        } catch let error as S3Error where error.isMissing {}
    }

    /// One page of the objects whose names begin with `prefix`.
    /// - Parameter token: `next` of the previous page.
    func list(_ prefix: String, after token: String?) async throws -> (objects: [ListedObject], next: String?) {
        var request = S3Request(operation: .listObjects, method: .GET, name: nil)
        request.query = [("list-type", "2"), ("prefix", address.prefix + prefix)]
        if let token { request.query.append(("continuation-token", token)) }
        let text = try await send(request).text
        let objects = try XML.elements("Contents", in: text).map { entry in
            guard let name = name(XML.first("Key", in: entry)),
                let time = XML.first("LastModified", in: entry).flatMap({ ListingTime.parse($0) }),
                let byteCount = XML.first("Size", in: entry).flatMap({ Self.byteCount($0) })
            else { throw S3Error(operation: .listObjects, status: 200, code: "an unreadable list") }
            return ListedObject(name: name, modifiedAt: time, byteCount: byteCount)
        }
        return (objects, XML.first("IsTruncated", in: text) == "true" ? XML.first("NextContinuationToken", in: text) : nil)
    }

    /// - Returns: the name without the prefix that the store's address contains.
    func name(_ key: String?) -> String? {
        guard let key, key.hasPrefix(address.prefix) else { return nil }
        return String(key.dropFirst(address.prefix.count))
    }

    /// Asks whether the bucket exists and the keys may read it.
    /// - Parameter attempts: `nil` for the usual number.
    func checkBucket(attempts: Int? = nil) async throws {
        _ = try await send(S3Request(operation: .headBucket, method: .HEAD, name: nil), attempts: attempts)
    }
}
