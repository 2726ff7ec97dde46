package import Core
import Foundation
import NIOSSL

/// The bucket that holds the blobs, and how to reach it: `s3://BUCKET?endpoint=…&region=…&prefix=…&style=path|virtual&ca=FILE`.
package struct S3Address: Sendable, Equatable {
    package enum Style: String, Sendable, CaseIterable {
        /// `https://ENDPOINT/BUCKET/KEY`
        case path
        /// `https://BUCKET.ENDPOINT/KEY`
        case virtual
    }

    package var bucket: String
    /// `http` or `https`.
    package var scheme: String
    /// The host, and the port if it is not the scheme's default, as in the `Host` header. The bucket is not part of it.
    package var authority: String
    package var region: String
    /// Empty, or the first part of every object's name, ending in `/`.
    package var prefix: String
    package var style: Style
    /// The only certificate authorities that the client accepts. If empty, the client accepts those that the machine trusts.
    let authorities: [NIOSSLCertificate]

    package struct Wrong: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter text: without `endpoint`, the bucket is at AWS in `region`, which is `us-east-1` by default. With an endpoint, the style
    ///   is `path` by default, because not every store answers to the bucket's own host name. The file of `ca` is read now.
    /// - Throws: `Wrong`, which says what is wrong with the address, and quotes no part in which somebody may have written keys.
    package init(_ text: String) throws(Wrong) {
        guard text.hasPrefix("s3://") else { throw Wrong(description: "must look like s3://BUCKET?endpoint=https://HOST&region=REGION") }
        let rest = text.dropFirst(5)
        let mark = rest.firstIndex(of: "?") ?? rest.endIndex
        let bucket = rest[..<mark]
        guard (3...63).contains(bucket.utf8.count), bucket.utf8.allSatisfy(Self.isOfBucket) else {
            throw Wrong(description: "names no bucket: a bucket has 3 to 63 lower-case letters, digits, hyphens and dots")
        }
        self.bucket = String(bucket)
        var values: [String: String] = [:]
        for pair in rest[mark...].dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, ["endpoint", "region", "prefix", "style", "ca"].contains(parts[0]), values[parts[0]] == nil
            else {
                throw Wrong(description: "takes endpoint, region, prefix, style and ca, each once")
            }
            guard let value = parts[1].removingPercentEncoding else { throw Wrong(description: "has a broken %-escape in \(parts[0])") }
            values[parts[0]] = value
        }
        region = values["region"] ?? "us-east-1"
        guard !region.isEmpty, region.utf8.allSatisfy(Self.isOfName) else {
            throw Wrong(description: "has an invalid region: \(region)")
        }
        if let endpoint = values["endpoint"] {
            (scheme, authority) = try Self.parts(of: endpoint)
        } else {
            (scheme, authority) = ("https", "s3.\(region).amazonaws.com")
        }
        prefix = values["prefix"] ?? ""
        if !prefix.isEmpty, !prefix.hasSuffix("/") { prefix += "/" }
        guard prefix.utf8.count <= 512, prefix.utf8.allSatisfy({ Self.isOfName($0) || $0 == UInt8(ascii: "/") }), !prefix.hasPrefix("/"),
            !prefix.contains("//"), !("/" + prefix).contains("/../"), !("/" + prefix).contains("/./")
        else {
            throw Wrong(description: "has an invalid prefix: use letters, digits, hyphens, dots, underscores and single slashes")
        }
        guard let style = Style(rawValue: values["style"] ?? (values["endpoint"] == nil ? "virtual" : "path")) else {
            throw Wrong(description: "has an unknown style: use path or virtual")
        }
        self.style = style
        guard let file = values["ca"] else {
            authorities = []
            return
        }
        guard scheme == "https" else { throw Wrong(description: "has a ca, which only an https endpoint needs") }
        guard let found = try? NIOSSLCertificate.fromPEMFile(file), !found.isEmpty else {
            throw Wrong(description: "names as ca a file without certificates in PEM: \(file)")
        }
        authorities = found
    }

    /// Where requests go, as an http or https URL without a path.
    package var endpoint: String { "\(scheme)://\(authority)" }

    /// Whether both addresses lead to the same objects, whatever the region and the style say.
    package func isSamePlace(as other: S3Address) -> Bool {
        endpoint == other.endpoint && bucket == other.bucket && prefix == other.prefix
    }

    /// The origin of the bucket's objects, as a browser names it.
    package var origin: String { "\(scheme)://\(host)" }

    /// The value of the `Host` header.
    var host: String { style == .path ? authority : "\(bucket).\(authority)" }

    /// - Parameter name: an object's name without the prefix; `nil` for the bucket itself.
    /// - Returns: the path, percent-encoded as a signature needs it.
    func path(_ name: String?) -> String {
        let object = name.map { "/" + PercentEncoding.encode(prefix + $0, keepingSlashes: true) } ?? ""
        return style == .path ? "/\(bucket)\(object)" : object.isEmpty ? "/" : object
    }

    private static func parts(of endpoint: String) throws(Wrong) -> (scheme: String, authority: String) {
        guard let scheme = ["https", "http"].first(where: { endpoint.hasPrefix($0 + "://") }) else {
            throw Wrong(description: "has an endpoint that is not an http or https URL")
        }
        var authority = String(endpoint.dropFirst(scheme.utf8.count + 3))
        if authority.hasSuffix("/") { authority.removeLast() }
        let isAllowed: (UInt8) -> Bool = { isOfName($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
        guard !authority.isEmpty, authority.utf8.allSatisfy(isAllowed) else {
            throw Wrong(description: "has an endpoint with more than a scheme, a host and a port; keys belong in the environment")
        }
        // Clients leave the scheme's own port out of the Host header, which is signed.
        let usual = scheme == "https" ? ":443" : ":80"
        if authority.hasSuffix(usual) { authority.removeLast(usual.utf8.count) }
        return (scheme, authority)
    }

    private static func isOfBucket(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        isOfBucket(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
    }
}

/// The description contains no keys, so that it can be printed.
extension S3Address: CustomStringConvertible {
    package var description: String { "s3://\(bucket) at \(endpoint)\(prefix.isEmpty ? "" : ", prefix \(prefix)")" }
}

/// The keys of an account at the object store.
package struct S3Credentials: Sendable {
    package let accessKeyID: String
    package let secretAccessKey: Secret<String>
    /// Part of temporary keys; `nil` for permanent ones.
    package let sessionToken: Secret<String>?

    package init(accessKeyID: String, secretAccessKey: Secret<String>, sessionToken: Secret<String>? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    /// Reads AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
    /// - Throws: `S3Address.Wrong`, which names the variable that is missing or wrong and never quotes it.
    package init(environment: [String: String]) throws(S3Address.Wrong) {
        func value(_ name: String) throws(S3Address.Wrong) -> String? {
            guard let value = environment[name], !value.isEmpty else { return nil }
            guard value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw S3Address.Wrong(description: "\(name) must be visible ASCII characters without spaces")
            }
            return value
        }
        guard let id = try value("AWS_ACCESS_KEY_ID") else { throw S3Address.Wrong(description: "needs AWS_ACCESS_KEY_ID") }
        guard let secret = try value("AWS_SECRET_ACCESS_KEY") else { throw S3Address.Wrong(description: "needs AWS_SECRET_ACCESS_KEY") }
        self.init(accessKeyID: id, secretAccessKey: Secret(secret), sessionToken: try value("AWS_SESSION_TOKEN").map { Secret($0) })
    }
}
