import Core
import NIOCore
import NIOHTTP1

/// Requests about multipart uploads.
extension S3Client {
    struct Part: Sendable, Equatable {
        let number: Int
        let tag: String
        var byteCount: Int64 = 0
    }

    struct Upload: Sendable {
        /// The object's name, without the address's prefix.
        let name: String
        let id: String
        let begunAt: Timestamp
    }

    /// Begins an upload. If the response is lost, the request is repeated, and the store then has two uploads. The first one never gets
    /// parts; `removeLeftovers` ends it.
    /// - Returns: the upload's id.
    func createUpload(_ name: String) async throws -> String {
        let response = try await send(
            S3Request(operation: .createUpload, method: .POST, name: name, query: [("uploads", "")]))
        guard let id = XML.first("UploadId", in: response.text), !id.isEmpty else {
            throw S3Error(operation: .createUpload, status: 200, code: "no upload id")
        }
        return id
    }

    func uploadPart(_ name: String, _ id: String, number: Int, _ body: S3Body) async throws -> Part {
        let request = S3Request(
            operation: .uploadPart, method: .PUT, name: name, query: [("partNumber", String(number)), ("uploadId", id)], body: body)
        guard let tag = try await send(request).headers.first(name: "etag") else {
            throw S3Error(operation: .uploadPart, status: 200, code: "no ETag")
        }
        return Part(number: number, tag: tag, byteCount: Int64(body.byteCount))
    }

    /// Copies bytes of another object within the store.
    func copyPart(_ name: String, _ id: String, number: Int, from source: String, _ range: Range<Int64>) async throws -> Part {
        var request = S3Request(
            operation: .copyPart, method: .PUT, name: name, query: [("partNumber", String(number)), ("uploadId", id)])
        request.headers = [
            ("x-amz-copy-source", "/\(address.bucket)/" + PercentEncoding.encode(address.prefix + source, keepingSlashes: true)),
            ("x-amz-copy-source-range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"),
        ]
        guard let tag = XML.first("ETag", in: try await send(request).text) else {
            throw S3Error(operation: .copyPart, status: 200, code: "no ETag")
        }
        return Part(number: number, tag: tag, byteCount: Int64(range.count))
    }

    /// Assembles the object from its parts, in their order.
    ///
    /// Call it again after a lost response. If the upload no longer exists then, the length of the object shows whether it is complete. If
    /// the store refuses the tag of a part, the response with that tag was damaged. This method then takes the tags from the store's list
    /// of parts.
    func completeUpload(_ name: String, _ id: String, _ parts: [Part]) async throws {
        do {
            try await sendComplete(name, id, parts)
        } catch let error as S3Error where error.code == "NoSuchUpload" || error.code == "NoSuchKey" {
            guard try await head(name)?.byteCount == parts.reduce(0, { $0 + $1.byteCount }) else { throw error }
        } catch let error as S3Error where Self.isAboutParts(error) {
            // Try this three times, because the list can be damaged in the same way.
            for attempt in 1...3 {
                let stored = try await listParts(name, id)
                let wanted = Set(parts.map(\.number))
                let right = stored.filter { wanted.contains($0.number) }
                guard right.map(\.byteCount) == parts.map(\.byteCount) else { throw error }
                do {
                    return try await sendComplete(name, id, right)
                } catch let error as S3Error where Self.isAboutParts(error) && attempt < 3 {}
            }
        }
    }

    static func isAboutParts(_ error: S3Error) -> Bool { error.code == "InvalidPart" || error.code == "InvalidPartOrder" }

    func sendComplete(_ name: String, _ id: String, _ parts: [Part]) async throws {
        let list = parts.map { "<Part><PartNumber>\($0.number)</PartNumber><ETag>\(XML.escaped($0.tag))</ETag></Part>" }.joined()
        let bytes = ByteBuffer(string: "<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>")
        let request = S3Request(
            operation: .completeUpload, method: .POST, name: name, query: [("uploadId", id)],
            body: .bytes(bytes, sha256: SigV4.hash(bytes)))
        _ = try await send(request)
    }

    /// Does nothing when there is no such upload.
    func abortUpload(_ name: String, _ id: String) async throws {
        do {
            _ = try await send(S3Request(operation: .abortUpload, method: .DELETE, name: name, query: [("uploadId", id)]))
        } catch let error as S3Error where error.status == 404 {}
    }

    /// All parts of the upload, ordered by number.
    func listParts(_ name: String, _ id: String) async throws -> [Part] {
        var parts: [Part] = []
        var marker: String?
        repeat {
            var request = S3Request(operation: .listParts, method: .GET, name: name, query: [("uploadId", id)])
            if let marker { request.query.append(("part-number-marker", marker)) }
            let text = try await send(request).text
            parts += try XML.elements("Part", in: text).map { part in
                guard let number = XML.first("PartNumber", in: part).flatMap({ Int($0) }), let tag = XML.first("ETag", in: part),
                    let size = XML.first("Size", in: part).flatMap({ Self.byteCount($0) })
                else { throw S3Error(operation: .listParts, status: 200, code: "an unreadable list") }
                return Part(number: number, tag: tag, byteCount: size)
            }
            marker = XML.first("IsTruncated", in: text) == "true" ? XML.first("NextPartNumberMarker", in: text) : nil
        } while marker != nil
        return parts
    }

    /// Unfinished uploads of objects whose names begin with `prefix`.
    func listUploads(_ prefix: String) async throws -> [Upload] {
        var uploads: [Upload] = []
        var marker: (key: String, id: String)?
        repeat {
            var request = S3Request(operation: .listUploads, method: .GET, name: nil)
            request.query = [("uploads", ""), ("prefix", address.prefix + prefix)]
            if let marker { request.query += [("key-marker", marker.key), ("upload-id-marker", marker.id)] }
            let text = try await send(request).text
            for upload in XML.elements("Upload", in: text) {
                guard let name = name(XML.first("Key", in: upload)), let id = XML.first("UploadId", in: upload),
                    let time = XML.first("Initiated", in: upload).flatMap({ ListingTime.parse($0) })
                else { throw S3Error(operation: .listUploads, status: 200, code: "an unreadable list") }
                uploads.append(Upload(name: name, id: id, begunAt: time))
            }
            marker = nil
            if XML.first("IsTruncated", in: text) == "true", let key = XML.first("NextKeyMarker", in: text),
                let id = XML.first("NextUploadIdMarker", in: text)
            {
                marker = (key, id)
            }
        } while marker != nil
        return uploads
    }
}
