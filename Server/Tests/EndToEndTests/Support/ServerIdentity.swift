import TestKit

/// A self-signed certificate for 127.0.0.1, and its key.
struct ServerIdentity {
    let certificate: String
    let key: String

    init(in folder: String) throws {
        certificate = folder + "/cert.pem"
        key = folder + "/key.pem"
        try Tool.run(
            "openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
                + ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate])
    }

    /// The arguments of `keepsake serve` that use this certificate.
    var arguments: [String] { ["--tls-cert", certificate, "--tls-key", key] }
}
