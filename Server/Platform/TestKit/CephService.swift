import Core
package import S3Blobs

/// A radosgw, Ceph's S3 server, for one test, which the test may kill, restart and pause. The objects survive that.
package final class CephService: Sendable {
    private static let bucket = "keepsake-tests"
    /// The keys that `scripts/services.sh` creates.
    package static let credentials = S3Credentials(
        accessKeyID: "KEEPSAKETESTKEY00001", secretAccessKey: Secret("keepsaketestsecret000000000000000000001"))
    /// The keys of a user who may not read the bucket.
    package static let stranger = S3Credentials(
        accessKeyID: "KEEPSAKETESTKEY00002", secretAccessKey: Secret("keepsaketestsecret000000000000000000002"))

    /// The port of the radosgw that `make services` starts. Tests share it and must not stop it.
    package static let sharedPort = ServicesScript.environment("KEEPSAKE_S3_PORT").flatMap { Int($0) } ?? 17_480

    /// An unused prefix of the shared bucket.
    package static func everybodys() throws -> S3Address { try address(port: sharedPort) }

    /// - Parameters:
    ///   - port: the port of a radosgw, or of a proxy to one.
    ///   - query: further parameters of the address.
    package static func address(port: Int, _ query: String = "") throws -> S3Address {
        let prefix = "test-" + Hex.encode(Entropy.system.bytes(8))
        return try S3Address("s3://\(bucket)?endpoint=http://127.0.0.1:\(port)&prefix=\(prefix)\(query)")
    }

    private let owned: Owned
    private let folder: String
    private let store: [String: String]
    package let port: Int

    private struct Owned: ~Copyable, Sendable { let folder: TemporaryFolder }

    /// - Parameters:
    ///   - port: a port on loopback that no other test uses; the next one is used too.
    ///   - diskByteCount: the size of a file for the objects; by default they are in memory, which has room for 2 GB.
    package init(port: Int, diskByteCount: Int? = nil) throws {
        try BlockingThreads.check()
        self.port = port
        store = diskByteCount.map { ["KEEPSAKE_S3_STORE": "bluestore", "KEEPSAKE_S3_SIZE": "\($0)"] } ?? [:]
        owned = Owned(folder: try TemporaryFolder())
        folder = owned.folder.path
        try run("start")
    }

    deinit { try? run("stop") }

    package func address() throws -> S3Address { try Self.address(port: port) }

    package func restart() throws { try run("restart") }

    package func kill() throws { try run("kill") }

    /// Suspends the process. Until it is resumed, the operating system still accepts connections.
    package func pause() throws { try run("pause") }
    package func resume() throws { try run("resume") }

    package func start() throws { try run("start") }

    private func run(_ what: String) throws {
        try ServicesScript.run([what, "s3"], ["KEEPSAKE_SERVICES": folder, "KEEPSAKE_S3_PORT": "\(port)"].merging(store) { $1 })
    }
}
