import Core
import Foundation
import HTTPServer
import Web

extension Settings.Source {
    func rateLimits(_ options: Options) throws -> RateLimits? {
        guard try choice(options.rateLimits, "rate_limits") ?? OnOff.on == .on else { return nil }
        var limits = RateLimits()
        func rate(_ flag: String?, _ key: String, _ usual: Rate) throws -> Rate {
            try number(flag, key, 1...1_000_000).map { Rate(perMinute: $0) } ?? usual
        }
        limits.signIn = try rate(options.rateSignIn, "rate_sign_in", limits.signIn)
        limits.write = try rate(options.rateWrite, "rate_write", limits.write)
        limits.read = try rate(options.rateRead, "rate_read", limits.read)
        limits.outside = try rate(options.rateOutside, "rate_outside", limits.outside)
        return limits
    }

    /// - Throws: `TLSIdentity.Unusable` if a file cannot be used.
    func tls(_ options: Options) throws -> TLSIdentity? {
        switch (text(options.tlsCert, "tls_cert"), text(options.tlsKey, "tls_key")) {
        case (nil, nil): return nil
        case (_?, nil): throw Settings.Wrong(description: "KEEPSAKE_TLS_CERT needs KEEPSAKE_TLS_KEY")
        case (nil, _?): throw Settings.Wrong(description: "KEEPSAKE_TLS_KEY needs KEEPSAKE_TLS_CERT")
        case (let certificate?, let key?): return try TLSIdentity(certificate: certificate, key: key)
        }
    }

    func trustedProxies(_ options: Options) throws -> TrustedProxies? {
        guard let text = text(options.trustedProxies, "trusted_proxies") else { return nil }
        guard let proxies = TrustedProxies(text) else {
            throw Settings.Wrong(
                description: "\(name("trusted_proxies")) must be addresses or blocks like 10.0.0.0/8, separated by commas: \(text)")
        }
        return proxies
    }

    func metricsToken(_ options: Options) throws -> MetricsToken? {
        guard let text = text(options.metricsToken, "metrics_token") else { return nil }
        // The message does not quote the token, because it is a secret. The token must be long, because nothing limits how many tokens a
        // client may try.
        guard (32...512).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Settings.Wrong(
                description: """
                    \(name("metrics_token")) must be 32 to 512 visible ASCII characters without spaces; openssl rand -hex 32 prints such \
                    a token
                    """)
        }
        return MetricsToken(Secret(text))
    }

    func origins(_ flag: String?) throws -> Set<String> {
        let texts = text(flag, "origins")?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } ?? []
        return Set(
            try texts.map { text in
                guard let origin = AllowedOrigins.origin(text) else {
                    throw Settings.Wrong(
                        description: "\(name("origins")) must be a list like https://app.example.org,http://localhost:3000: \(text)")
                }
                return origin
            })
    }
}

extension Settings {
    /// Checks the certificate, for `keepsake serve`. Other commands do not need it.
    /// - Throws: `Wrong` if a certificate is set and cannot be used.
    func requireCertificate() throws {
        if let tlsFault { throw Wrong(description: tlsFault) }
    }

    /// Warnings about settings that are valid but most likely wrong, one line each. `serve` logs them, and `keepsake doctor` prints them.
    var warnings: [String] {
        [warningOfMissingProxy, warningOfPlainHTTP, warningOfPlainPublicURL, warningOfDevelopment].compactMap { $0 }
    }

    /// A warning, only in production: clients use https, but the server neither uses TLS nor trusts a proxy that does; otherwise `nil`.
    var warningOfMissingProxy: String? {
        guard environment == .production, publicURL?.lowercased().hasPrefix("https:") == true, !usesTLS, trustedProxies.isEmpty else {
            return nil
        }
        return """
            KEEPSAKE_PUBLIC_URL is https, but neither a certificate (KEEPSAKE_TLS_CERT) nor a proxy (KEEPSAKE_TRUSTED_PROXIES) is set: \
            links do not work unless a proxy serves that URL; cookies are not Secure, and all clients behind a proxy count as one \
            network
            """
    }

    /// A warning, only in production: every machine that reaches this one can connect without TLS; otherwise `nil`. There is no warning
    /// with a trusted proxy: it may be on another machine, so the server must listen on more than a loopback address.
    var warningOfPlainHTTP: String? {
        guard environment == .production, isEveryAddress, !usesTLS, trustedProxies.isEmpty else { return nil }
        return """
            \(listeningNames.host) is \(host), and neither a certificate (KEEPSAKE_TLS_CERT) nor a proxy (KEEPSAKE_TRUSTED_PROXIES) is \
            set: the server accepts passwords over plain http from every network of this machine. Set KEEPSAKE_HOST=127.0.0.1 if the \
            proxy is on this machine, or set the one that is missing
            """
    }

    /// Whether the server listens on all addresses of the machine. The system also accepts short forms, such as 0 for 0.0.0.0.
    private var isEveryAddress: Bool { !host.isEmpty && host.allSatisfy { "0.:".contains($0) } }

    /// A warning: the server uses only TLS, but the public URL begins with http; otherwise `nil`. There is no warning with a trusted proxy,
    /// which may accept http itself.
    var warningOfPlainPublicURL: String? {
        guard usesTLS, trustedProxies.isEmpty, let publicURL, publicURL.lowercased().hasPrefix("http:") else { return nil }
        return """
            KEEPSAKE_PUBLIC_URL is \(publicURL), but with KEEPSAKE_TLS_CERT the server accepts only https: links to files do not work. \
            Write https
            """
    }

    /// A warning: the server runs in development mode, but other machines seem to use it; otherwise `nil`.
    var warningOfDevelopment: String? {
        guard environment == .development else { return nil }
        var signs: [String] = []
        if publicURL?.lowercased().hasPrefix("https:") == true { signs.append("KEEPSAKE_PUBLIC_URL is https") }
        if !trustedProxies.isEmpty { signs.append("KEEPSAKE_TRUSTED_PROXIES is set") }
        let isLoopback = IPAddress(host)?.isLoopback ?? (host.lowercased() == "localhost")
        if !isLoopback { signs.append("\(listeningNames.host) is \(host)") }
        guard !signs.isEmpty else { return nil }
        let registration = registration == .open ? ", and anybody may register" : ""
        return """
            the server runs in development mode, although \(signs.joined(separator: " and ")): it refuses no unsafe setting\(registration). \
            Set KEEPSAKE_ENV=production unless this is a developer's own server
            """
    }
}
