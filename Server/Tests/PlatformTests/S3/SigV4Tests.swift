import Core
import Testing

@testable import S3Blobs

/// The examples in AWS's documentation: "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)" and "… Using
/// Query Parameters", Amazon S3 API Reference.
@Suite("Signature Version 4")
struct SigV4Tests {
    private let signer = SigV4(
        credentials: S3Credentials(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")),
        region: "us-east-1")
    /// 2013-05-24T00:00:00Z
    private let time = Timestamp(seconds: 1_369_353_600)
    private let host = "examplebucket.s3.amazonaws.com"

    struct Vector: Sendable, CustomStringConvertible {
        let description: String
        let method: String
        var path = "/"
        var query: [(String, String)] = []
        var headers: [(String, String)] = []
        var sha256 = SigV4.emptyHash
        let signature: String
    }

    static let vectors = [
        Vector(
            description: "GET Object", method: "GET", path: "/test.txt", headers: [("range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Vector(
            description: "PUT Object", method: "PUT", path: "/" + PercentEncoding.encode("test$file.text", keepingSlashes: true),
            headers: [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            sha256: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Vector(
            description: "GET Bucket Lifecycle", method: "GET", query: [("lifecycle", "")],
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Vector(
            description: "List Objects", method: "GET", query: [("max-keys", "2"), ("prefix", "J")],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test("A signed request has the signature of AWS's example", arguments: vectors)
    func examples(_ vector: Vector) throws {
        let headers = signer.headers(
            method: vector.method, path: vector.path, query: vector.query, headers: [("host", host)] + vector.headers,
            sha256: vector.sha256, at: time)
        let authorization = try #require(headers.first { $0.0 == "authorization" }?.1)
        #expect(authorization.hasSuffix("Signature=\(vector.signature)"), "\(authorization)")
        #expect(authorization.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"))
    }

    @Test("A presigned URL has the signature of AWS's example")
    func presigned() {
        let url = signer.presigned(path: "/test.txt", query: [], host: host, seconds: 86_400, at: time)
        #expect(url.hasPrefix("/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2F"))
        #expect(url.hasSuffix("&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
    }

    @Test("The order of headers and parameters does not change a signature, and a session token is signed")
    func order() {
        func sign(_ signer: SigV4, _ query: [(String, String)]) -> [(String, String)] {
            signer.headers(method: "GET", path: "/", query: query, headers: [("host", host)], sha256: SigV4.emptyHash, at: time)
        }
        let first = sign(signer, [("a", "1"), ("b", "2")])
        let second = sign(signer, [("b", "2"), ("a", "1")])
        #expect(first.map(\.1) == second.map(\.1))
        let credentials = S3Credentials(accessKeyID: "A", secretAccessKey: Secret("B"), sessionToken: Secret("the token"))
        let temporary = sign(SigV4(credentials: credentials, region: "us-east-1"), [])
        #expect(temporary.contains { $0 == ("x-amz-security-token", "the token") })
        #expect(temporary.first { $0.0 == "authorization" }?.1.contains("x-amz-date;x-amz-security-token,") == true)
    }

    @Test("Dates are read and written in UTC")
    func dates() {
        for (seconds, text) in [
            (0, "19700101T000000Z"), (951_782_400, "20000229T000000Z"), (1_369_353_600, "20130524T000000Z"),
            (1_798_761_599, "20261231T235959Z"), (4_107_542_400, "21000301T000000Z"),
        ] {
            #expect(Timestamp(seconds: Int64(seconds)).basicISO8601 == text)
        }
        #expect(HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.parse("yesterday") == nil)
        #expect(ListingTime.parse("2009-10-12T17:50:30.000Z") == Timestamp(seconds: 1_255_369_830))
        #expect(ListingTime.parse("2009-10-12") == nil)
        // A store's numbers must not overflow.
        for year in ["300000", "9223372036854775807"] {
            #expect(HTTPDate.parse("Sun, 06 Nov \(year) 08:49:37 GMT") == nil)
            #expect(ListingTime.parse("\(year)-10-12T17:50:30.000Z") == nil)
        }
        for time in ["24:00:00", "9223372036854775807:00:00", "-1:00:00"] {
            #expect(HTTPDate.parse("Sun, 06 Nov 1994 \(time) GMT") == nil)
        }
    }
}
