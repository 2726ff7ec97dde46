package import Core
package import Logging
package import NIOCore
package import S3Blobs

/// Backups as objects of an S3 bucket.
package struct BackupBucket: BackupPlace {
    private let objects: S3Objects

    package init(_ address: S3Address, _ credentials: S3Credentials, clock: WallClock, logger: Logger) {
        objects = S3Objects(address, credentials, clock: clock, logger: logger)
    }

    package var description: String { objects.description }

    package func write(_ name: String, byteCount: Int64, _ bytes: any ByteSource) async throws {
        try await explained { try await objects.put(name, byteCount: byteCount) { try await bytes.next() } }
    }

    package func create(_ name: String, _ bytes: ByteBuffer) async throws -> Bool {
        try await explained { try await objects.create(name, bytes) }
    }

    package func read(_ name: String) async throws -> (byteCount: Int64, bytes: any ByteSource)? {
        guard let (byteCount, bytes) = try await explained({ try await objects.get(name) }) else { return nil }
        return (byteCount, ObjectBytes(bytes, of: self))
    }

    package func delete(_ name: String) async throws { try await explained { try await objects.delete(name) } }

    package func list(_ folder: String) -> any BackupListing { BucketListing(self, folder) }

    package func close() async { await objects.close() }

    fileprivate func page(_ folder: String, after token: String?) async throws -> (
        objects: [(name: String, byteCount: Int64)], next: String?
    ) {
        try await explained { try await objects.list(folder, after: token) }
    }

    fileprivate func explained<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as S3Error {
            throw TransferFailure(.unavailable, "\(description): \(error)")
        }
    }
}

private final class ObjectBytes: ByteSource {
    private let bytes: S3ObjectBytes
    private let bucket: BackupBucket

    init(_ bytes: S3ObjectBytes, of bucket: BackupBucket) {
        self.bytes = bytes
        self.bucket = bucket
    }

    func next() async throws -> ByteBuffer? { try await bucket.explained { try await bytes.next() } }
}

private final class BucketListing: BackupListing {
    private let bucket: BackupBucket
    private let folder: String
    private var token: String?
    private var isAtEnd = false

    init(_ bucket: BackupBucket, _ folder: String) {
        self.bucket = bucket
        self.folder = folder
    }

    func next() async throws -> [BackupEntry] {
        while !isAtEnd {
            let page = try await bucket.page(folder, after: token)
            token = page.next
            isAtEnd = page.next == nil
            if !page.objects.isEmpty { return page.objects.map { BackupEntry(name: $0.name, byteCount: $0.byteCount) } }
        }
        return []
    }
}
