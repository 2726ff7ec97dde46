import Core
import FeatureKit
import Foundation
import HTTPServer
import KeepsakeWire

/// Examines the certificate: for the check `certificate` of `keepsake doctor`, and for the server at its start and after a reload. It
/// assumes that the files can be read and the key fits: reading the settings has checked that.
struct CertificateExamination {
    /// A certificate that ends within this time gets a warning. Programs that renew certificates do so earlier.
    private static let notice = Duration.days(21)

    /// The host that clients connect to; `nil` if it is not known.
    let host: String?
    let now: Timestamp

    init(host: String?, now: Timestamp) {
        self.host = host
        self.now = now
    }

    init(_ settings: Settings, now: Timestamp) {
        // Behind a trusted proxy only the proxy uses the certificate, and it may connect by any name.
        let url = settings.trustedProxies.isEmpty ? settings.publicURL.flatMap { URL(string: $0) } : nil
        self.init(host: url?.host()?.trimmingCharacters(in: ["[", "]"]), now: now)
    }

    /// - Returns: the host names and the end date of the certificate.
    /// - Throws: `Settings.Wrong` if clients refuse the certificate now; `Examination.Warning` if it names no host or ends within 21 days.
    func run(_ certificate: ServerCertificate) throws -> String {
        let end = WireDate.format(certificate.end.date, .wholeSeconds)
        let names = certificate.names.isEmpty ? "no host (it has no subject alternative name)" : certificate.names.joined(separator: ", ")
        guard now >= certificate.begin else {
            throw Settings.Wrong(
                description: "not valid before \(WireDate.format(certificate.begin.date, .wholeSeconds)); check this machine's clock")
        }
        guard now <= certificate.end else {
            throw Settings.Wrong(description: "ended on \(end): clients refuse it. Renew it, and send SIGHUP to the server")
        }
        if let host, !certificate.covers(host) {
            throw Settings.Wrong(description: "not for \(host), the host of KEEPSAKE_PUBLIC_URL, but for \(names)")
        }
        // A proxy may accept a certificate without names, so it is only a warning.
        guard !certificate.names.isEmpty else {
            throw Examination.Warning(
                """
                names no host: it has no subject alternative name, and browsers and apps do not read the common name, so they refuse it. Get a \
                certificate for the server's host
                """)
        }
        let days = (certificate.end - now).components.seconds / 86_400
        guard certificate.end - now >= Self.notice else {
            throw Examination.Warning("ends on \(end), in \(Output.count(days, "day")); renew it, and send SIGHUP to the server")
        }
        return "for \(names), until \(end), \(Output.count(days, "day"))"
    }
}
