import NIOSSL
import Synchronization

/// The server's certificate and key. They can be read again while connections go on: a new handshake takes what is there then.
package final class TLSIdentity: Sendable {
    /// One line that names the file.
    package struct Unusable: Error, CustomStringConvertible {
        package let description: String
    }

    private let certificatePath: String
    private let keyPath: String
    private let current: Mutex<NIOSSLContext>

    /// - Parameters:
    ///   - certificate: path of a chain in PEM, the server's own certificate first.
    ///   - key: path of its private key in PEM, without a passphrase.
    /// - Throws: `Unusable`
    package init(certificate: String, key: String) throws {
        certificatePath = certificate
        keyPath = key
        current = Mutex(try Self.load(certificate, key))
    }

    /// Reads both files again.
    /// - Throws: `Unusable`; what was there before is kept then.
    package func reload() throws {
        let new = try Self.load(certificatePath, keyPath)
        current.withLock { $0 = new }
    }

    var context: NIOSSLContext { current.withLock { $0 } }

    private static func load(_ certificatePath: String, _ keyPath: String) throws -> NIOSSLContext {
        guard let chain = try? NIOSSLCertificate.fromPEMFile(certificatePath), !chain.isEmpty else {
            throw Unusable(description: "KEEPSAKE_TLS_CERT: \(certificatePath) cannot be read as certificates in PEM")
        }
        guard let key = try? NIOSSLPrivateKey(file: keyPath, format: .pem) else {
            throw Unusable(description: "KEEPSAKE_TLS_KEY: \(keyPath) cannot be read as a private key in PEM without a passphrase")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw Unusable(description: "KEEPSAKE_TLS_KEY: \(keyPath) is not the key of the certificate in \(certificatePath)")
        }
    }
}
