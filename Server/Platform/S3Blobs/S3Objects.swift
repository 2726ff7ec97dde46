import AsyncHTTPClient
package import Core
import Crypto
package import Logging
package import NIOCore

/// Objects of a bucket by name, for backups. A name appears only once all bytes of its object are stored.
package struct S3Objects: Sendable {
    /// S3's smallest part of an upload.
    private static let partByteCount = 5 << 20
    /// Below S3's limit of 10,000.
    private static let mostParts = 9_000

    private let client: S3Client

    package init(_ address: S3Address, _ credentials: S3Credentials, clock: WallClock, logger: Logger) {
        client = S3Client(
            address, credentials, clock: clock, pacing: S3Client.Pacing(), resolving: [:], logger: logger, observe: { _ in })
    }

    /// The bucket's address, without keys.
    package var description: String { client.address.description }

    /// Stores an object, and replaces an existing one of that name. Holds one part in memory.
    /// - Parameters:
    ///   - byteCount: how many bytes follow.
    ///   - next: the next bytes; `nil` at the end. When it throws, nothing is stored.
    package func put(_ name: String, byteCount: Int64, _ next: () async throws -> ByteBuffer?) async throws {
        let partByteCount = max(Self.partByteCount, Int(byteCount / Int64(Self.mostParts)) + 1)
        var rest = ByteBuffer()
        var upload: String?
        var parts: [S3Client.Part] = []
        do {
            while let piece = try await next() {
                rest.writeImmutableBuffer(piece)
                while rest.readableBytes >= partByteCount, byteCount > Int64(partByteCount),
                    let part = rest.readSlice(length: partByteCount)
                {
                    if upload == nil { upload = try await client.createUpload(name) }
                    parts.append(try await client.uploadPart(name, upload ?? "", number: parts.count + 1, Self.body(part)))
                    rest.discardReadBytes()
                }
            }
            let total = parts.reduce(0) { $0 + $1.byteCount } + Int64(rest.readableBytes)
            guard total == byteCount else {
                throw S3Error(operation: .putObject, status: nil, code: "\(total) bytes instead of \(byteCount)")
            }
            guard let upload else { return try await client.putReplacing(name, Self.body(rest), upload: nil) }
            if rest.readableBytes > 0 {
                parts.append(try await client.uploadPart(name, upload, number: parts.count + 1, Self.body(rest)))
            }
            try await client.completeUpload(name, upload, parts)
        } catch {
            if let upload { try? await client.abortUpload(name, upload) }
            throw error
        }
    }

    /// Stores an object if there is none of that name. A store without conditional requests stores it in any case.
    /// - Returns: `false` if there is an object of that name already.
    package func create(_ name: String, _ bytes: ByteBuffer) async throws -> Bool {
        do {
            try await client.putNew(name, Self.body(bytes))
            return true
        } catch let error as S3Error where error.status == 412 {
            return false
        }
    }

    /// - Returns: the object's length and a closure that returns its next bytes, `nil` at the end; `nil` when there is no such object.
    package func get(_ name: String) async throws -> (byteCount: Int64, bytes: S3ObjectBytes)? {
        guard let byteCount = try await client.head(name)?.byteCount else { return nil }
        return (byteCount, S3ObjectBytes(name, byteCount, client))
    }

    /// No error when there is no such object.
    package func delete(_ name: String) async throws { try await client.delete(name) }

    /// One page of the objects whose names begin with `prefix`, in ascending order.
    /// - Parameter token: `next` of the previous page.
    package func list(_ prefix: String, after token: String?) async throws -> (objects: [(name: String, byteCount: Int64)], next: String?) {
        let page = try await client.list(prefix, after: token)
        return (page.objects.map { ($0.name, $0.byteCount) }, page.next)
    }

    package func close() async { await client.close() }

    private static func body(_ bytes: ByteBuffer) -> S3Body { .bytes(bytes, sha256: SigV4.hash(bytes)) }
}

/// Reads an object with one request. When the connection breaks, another request continues from the last byte received.
///
/// `@unchecked Sendable`: nothing guards the variables; one task at a time may call `next`.
package final class S3ObjectBytes: @unchecked Sendable {
    private let name: String
    private let byteCount: Int64
    private let client: S3Client
    private var position: Int64 = 0
    private var body: HTTPClientResponse.Body.AsyncIterator?

    init(_ name: String, _ byteCount: Int64, _ client: S3Client) {
        self.name = name
        self.byteCount = byteCount
        self.client = client
    }

    /// - Returns: `nil` at the end.
    package func next() async throws -> ByteBuffer? {
        var failures = 0
        while position < byteCount {
            do {
                if body == nil { body = try await client.get(name, position..<byteCount).body.makeAsyncIterator() }
                let piece = try await client.connected(.getObject) { try await body?.next() }
                guard let piece, Int64(piece.readableBytes) <= byteCount - position else {
                    throw S3Error(operation: .getObject, status: nil, code: "the body has another length")
                }
                position += Int64(piece.readableBytes)
                // Read to the body's end, so that the connection can carry the next request.
                if position == byteCount { _ = try? await body?.next() }
                return piece
            } catch let error as S3Error {
                body = nil
                failures += 1
                guard error.isTemporary, failures < client.attempts else { throw error }
                try await client.pause(failures)
            }
        }
        return nil
    }
}
