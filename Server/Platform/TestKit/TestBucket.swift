internal import AsyncHTTPClient
internal import Blobs
package import Core
internal import Crypto
internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOHTTP1
package import S3Blobs

/// Objects of one test under a prefix of their own, in the bucket of the radosgw that `make services` starts. Deinitialization deletes them
/// in the background.
package final class TestBucket: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package struct Object: Sendable {
        /// Without the prefix.
        package let name: String
        package let byteCount: Int64
    }

    /// For `Settings.blobs`.
    package let address: BlobAddress
    /// `address` and the keys, as environment variables of a program.
    package let environment: [String: String]
    private let requests: Requests

    /// - Parameters:
    ///   - port: the port of a proxy to radosgw, for a test that observes or breaks requests.
    ///   - authority: path of the CA certificate that the store must trust, if the proxy speaks TLS.
    package init(port: Int = CephService.sharedPort, authority: String? = nil) throws {
        let prefix = "test-\(UUID().uuidString.lowercased())/"
        let endpoint = "\(authority == nil ? "http" : "https")://127.0.0.1:\(port)"
        let query = "endpoint=\(endpoint)&region=\(Requests.region)&prefix=\(prefix)" + (authority.map { "&ca=\($0)" } ?? "")
        environment = [
            "KEEPSAKE_BLOBS": "s3://\(Requests.bucket)?\(query)",
            "AWS_ACCESS_KEY_ID": CephService.credentials.accessKeyID,
            "AWS_SECRET_ACCESS_KEY": CephService.credentials.secretAccessKey.exposed,
        ]
        address = try BlobAddress(environment["KEEPSAKE_BLOBS"] ?? "", environment: environment)
        requests = Requests(
            endpoint: "http://127.0.0.1:\(CephService.sharedPort)", prefix: prefix,
            signer: SigV4(credentials: CephService.credentials, region: Requests.region))
    }

    deinit { Self.cleaner.remove(requests) }

    private static let cleaner = Cleaner()

    /// Deletes the objects of deinitialized buckets in the background, one bucket after the other. Tests do not wait for it. If the process
    /// ends first, objects are left until radosgw stops, which keeps them in memory.
    private final class Cleaner: Sendable {
        private let gone: AsyncStream<Requests>.Continuation
        private let task: Task<Void, Never>

        init() {
            let (buckets, gone) = AsyncStream.makeStream(of: Requests.self)
            self.gone = gone
            task = Task { for await requests in buckets { try? await requests.removeAll() } }
        }

        deinit { task.cancel() }

        func remove(_ requests: Requests) { gone.yield(requests) }
    }

    /// Opens a store on the objects, as another process would.
    /// - Parameter options: options of the store, for example an observer of its requests.
    package func open(
        clock: WallClock = .system, scratchFolder: String, options: S3BlobStore.Options = .init()
    ) async throws -> S3BlobStore {
        guard case .s3(let address, let credentials) = address else { throw Failure(description: "not an object store") }
        return try await S3BlobStore.open(
            address, credentials, scratchFolder: scratchFolder, clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            options: options)
    }

    // MARK: Objects

    /// All objects, and one of size 0 for each unfinished upload in parts.
    package func list() async throws -> [Object] { try await requests.objects() + requests.unfinished() }

    /// - Parameter name: without the prefix.
    package func get(_ name: String) async throws -> [UInt8] { try await requests.send(.GET, name) }

    package func put(_ name: String, _ bytes: [UInt8]) async throws { _ = try await requests.send(.PUT, name, body: bytes) }

    package func delete(_ name: String) async throws { _ = try await requests.send(.DELETE, name) }
}

/// Signed requests to the bucket, without the retries and checks of the store under test.
private struct Requests: Sendable {
    /// The same name as in `scripts/services.sh`.
    static let bucket = "keepsake-tests"
    static let region = "us-east-1"

    let endpoint: String
    let prefix: String
    let signer: SigV4

    /// - Parameters:
    ///   - name: without the prefix; `nil` for the bucket. Names need no percent-encoding.
    ///   - query: names and values that need no percent-encoding, except for slashes in values.
    func send(_ method: HTTPMethod, _ name: String?, query: [(String, String)] = [], body: [UInt8] = []) async throws -> [UInt8] {
        let path = "/\(Self.bucket)" + (name.map { "/\(prefix)\($0)" } ?? "")
        let signed = signer.headers(
            method: method.rawValue, path: path, query: query, headers: [("host", String(endpoint.dropFirst("http://".count)))],
            sha256: Hex.encode(SHA256.hash(data: body)), at: WallClock.system.now)
        let text = query.sorted { $0 < $1 }.map { "\($0)=\($1.replacing("/", with: "%2F"))" }.joined(separator: "&")
        var request = HTTPClientRequest(url: "\(endpoint)\(path)\(text.isEmpty ? "" : "?" + text)")
        request.method = method
        request.headers = HTTPHeaders(signed)
        if method == .PUT { request.body = .bytes(body) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let answer = try await response.body.collect(upTo: 256 << 20)
        guard response.status.code < 300 else {
            throw TestBucket.Failure(
                description: "\(method) \(name ?? "bucket"): \(response.status.code); start radosgw with `make services`")
        }
        return Array(answer.readableBytesView)
    }

    func objects() async throws -> [TestBucket.Object] {
        var objects: [TestBucket.Object] = []
        var after: String?
        repeat {
            let page = try await send(
                .GET, nil, query: [("list-type", "2"), ("prefix", prefix)] + (after.map { [("start-after", $0)] } ?? []))
            let text = String(decoding: page, as: UTF8.self)
            for entry in text.matches(of: /<Contents>.*?<Key>(.*?)<\/Key>.*?<Size>(\d+)<\/Size>/.dotMatchesNewlines()) {
                objects.append(.init(name: String(entry.1.dropFirst(prefix.count)), byteCount: Int64(entry.2) ?? 0))
                after = String(entry.1)
            }
            if !text.contains("<IsTruncated>true") { after = nil }
        } while after != nil
        return objects
    }

    func unfinished() async throws -> [TestBucket.Object] {
        try await uploads().map { TestBucket.Object(name: $0.name, byteCount: 0) }
    }

    private func uploads() async throws -> [(name: String, id: String)] {
        let text = String(decoding: try await send(.GET, nil, query: [("prefix", prefix), ("uploads", "")]), as: UTF8.self)
        return text.matches(of: /<Upload>.*?<Key>(.*?)<\/Key>.*?<UploadId>(.*?)<\/UploadId>/.dotMatchesNewlines()).map {
            (String($0.1.dropFirst(prefix.count)), String($0.2))
        }
    }

    func removeAll() async throws {
        for upload in try await uploads() { _ = try await send(.DELETE, upload.name, query: [("uploadId", upload.id)]) }
        for object in try await objects() { _ = try await send(.DELETE, object.name) }
    }
}
