import Foundation
import TestKit

@testable import HTTPServer
@testable import Web

/// A new certificate for `localhost`, made by openssl.
final class TestIdentity: Sendable {
    let folder: TemporaryFolder
    var certificatePath: String { folder.path + "/cert.pem" }
    var keyPath: String { folder.path + "/key.pem" }

    init() throws {
        folder = try TemporaryFolder()
        try renew()
    }

    /// Writes a new certificate and a new key to the same files.
    func renew(name: String = "localhost") throws {
        let run = try ServerProcess.run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", keyPath, "-out", certificatePath,
            ], binary: "/usr/bin/env")
        struct Failed: Error { let errors: String }
        guard run.status == 0 else { throw Failed(errors: run.errors) }
    }

    func load() throws -> TLSIdentity { try TLSIdentity(certificate: certificatePath, key: keyPath) }
}
