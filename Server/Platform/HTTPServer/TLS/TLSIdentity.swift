import NIOCore
import NIOSSL
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The server's certificate and private key. `reload` replaces them for new handshakes; open connections continue.
package final class TLSIdentity: Sendable {
    /// A file cannot be used. The description is one line that names the file.
    package struct Unusable: Error, CustomStringConvertible {
        package let description: String
    }

    private struct Loaded {
        let context: NIOSSLContext
        let certificate: ServerCertificate
    }

    private let certificatePath: String
    private let keyPath: String
    private let current: Mutex<Loaded>

    /// - Parameters:
    ///   - certificate: path of a PEM file with the certificate chain, the server's own certificate first.
    ///   - key: path of a PEM file with its private key, without a passphrase.
    /// - Throws: `Unusable`
    package init(certificate: String, key: String) throws {
        certificatePath = certificate
        keyPath = key
        current = Mutex(try Self.load(certificate, key))
    }

    /// Reads both files again.
    /// - Throws: `Unusable`; the server then keeps the previous certificate and key.
    package func reload() throws {
        let new = try Self.load(certificatePath, keyPath)
        current.withLock { $0 = new }
    }

    /// The certificate that new handshakes use.
    package var certificate: ServerCertificate { current.withLock { $0.certificate } }

    var context: NIOSSLContext { current.withLock { $0.context } }

    private static func load(_ certificatePath: String, _ keyPath: String) throws -> Loaded {
        for (setting, path) in [("KEEPSAKE_TLS_CERT", certificatePath), ("KEEPSAKE_TLS_KEY", keyPath)] where access(path, R_OK) != 0 {
            switch errno {
            case ENOENT, ENOTDIR: throw Unusable(description: "\(setting): \(path): there is no such file")
            case EACCES, EPERM:
                throw Unusable(
                    description:
                        "\(setting): the user who runs this may not read \(path); check the permissions of the file and of its folders")
            default: break
            }
        }
        guard let chain = try? NIOSSLCertificate.fromPEMFile(certificatePath), let own = chain.first else {
            throw Unusable(description: "KEEPSAKE_TLS_CERT: \(certificatePath) cannot be read as certificates in PEM")
        }
        guard let key = try? NIOSSLPrivateKey(file: keyPath, format: .pem) else {
            throw Unusable(description: "KEEPSAKE_TLS_KEY: \(keyPath) cannot be read as a private key in PEM without a passphrase")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        // How long a closing connection waits for the client's end of TLS. NIOSSL keeps its buffers, 50 KB and more, for this time even when
        // the client has long closed the connection. With its default of 5 s, clients that reconnect all the time would fill the memory.
        configuration.shutdownTimeout = .seconds(1)
        do {
            return Loaded(context: try NIOSSLContext(configuration: configuration), certificate: ServerCertificate(own))
        } catch {
            throw Unusable(description: "KEEPSAKE_TLS_KEY: \(keyPath) is not the key of the certificate in \(certificatePath)")
        }
    }
}
