package import Core
import Crypto
import Foundation
import NIOCore

/// AWS Signature Version 4, for requests with a signed body hash and for presigned URLs.
package struct SigV4: Sendable {
    package let credentials: S3Credentials
    package let region: String

    package init(credentials: S3Credentials, region: String) {
        self.credentials = credentials
        self.region = region
    }

    /// The SHA-256 of an empty body, in hexadecimal.
    package static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    /// The headers to add to a request: `x-amz-date`, `x-amz-content-sha256`, `authorization`, and `x-amz-security-token` for temporary
    /// keys.
    /// - Parameters:
    ///   - path: percent-encoded.
    ///   - query: names and values, not encoded.
    ///   - headers: the headers to sign, including `host`; names in lower case, each once.
    ///   - sha256: of the body, in hexadecimal.
    package func headers(
        method: String, path: String, query: [(String, String)], headers: [(String, String)], sha256: String, at time: Timestamp
    ) -> [(String, String)] {
        let date = time.basicISO8601
        var added = [("x-amz-content-sha256", sha256), ("x-amz-date", date)]
        if let token = credentials.sessionToken { added.append(("x-amz-security-token", token.exposed)) }
        let signed = (headers + added).sorted { $0.0 < $1.0 }
        let names = signed.map(\.0).joined(separator: ";")
        let canonical = Self.canonicalRequest(method, path, Self.canonicalQuery(query), signed, names, sha256)
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope(date)),SignedHeaders=\(names),Signature=\(signature(canonical, date))"
        return added + [("authorization", authorization)]
    }

    /// The path and query of a URL that anybody can send as a GET request until it expires.
    /// - Parameter seconds: 1...604,800.
    package func presigned(path: String, query: [(String, String)], host: String, seconds: Int, at time: Timestamp) -> String {
        let date = time.basicISO8601
        var query = query
        query += [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(credentials.accessKeyID)/\(scope(date))"),
            ("X-Amz-Date", date), ("X-Amz-Expires", String(seconds)), ("X-Amz-SignedHeaders", "host"),
        ]
        if let token = credentials.sessionToken { query.append(("X-Amz-Security-Token", token.exposed)) }
        let text = Self.canonicalQuery(query)
        let canonical = Self.canonicalRequest("GET", path, text, [("host", host)], "host", "UNSIGNED-PAYLOAD")
        return "\(path)?\(text)&X-Amz-Signature=\(signature(canonical, date))"
    }

    static func hash(_ bytes: ByteBuffer) -> String { Hex.encode(bytes.withUnsafeReadableBytes { SHA256.hash(data: $0) }) }

    // MARK: Steps

    private static func canonicalRequest(
        _ method: String, _ path: String, _ query: String, _ headers: [(String, String)], _ names: String, _ sha256: String
    ) -> String {
        let lines = headers.map { "\($0.0):\($0.1.trimmingSpaces)\n" }.joined()
        return "\(method)\n\(path)\n\(query)\n\(lines)\n\(names)\n\(sha256)"
    }

    private func scope(_ date: String) -> String { "\(date.prefix(8))/\(region)/s3/aws4_request" }

    private func signature(_ canonical: String, _ date: String) -> String {
        let text = "AWS4-HMAC-SHA256\n\(date)\n\(scope(date))\n\(Hex.encode(SHA256.hash(data: Array(canonical.utf8))))"
        var key = SymmetricKey(data: Array("AWS4\(credentials.secretAccessKey.exposed)".utf8))
        for step in [String(date.prefix(8)), region, "s3", "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(step.utf8), using: key))
        }
        return Hex.encode(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }

    /// Sorted by encoded name, and encoded as the signature needs it. The request's URL uses the same text.
    static func canonicalQuery(_ query: [(String, String)]) -> String {
        let encoded = query.map { (PercentEncoding.encode($0.0), PercentEncoding.encode($0.1)) }
        return encoded.sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }
}

extension String {
    fileprivate var trimmingSpaces: String { trimmingCharacters(in: .whitespaces) }
}
