import Core
import S3Blobs
import Testing

@Suite("Addresses of object stores")
struct S3AddressTests {
    @Test("An address names the bucket, the endpoint, the region, the prefix and the style")
    func parts() throws {
        let address = try S3Address("s3://photos?endpoint=https://s3.example.org:9000/&region=eu-1&prefix=keepsake/a&style=virtual")
        #expect(address.bucket == "photos")
        #expect(address.endpoint == "https://s3.example.org:9000")
        #expect(address.region == "eu-1")
        #expect(address.prefix == "keepsake/a/")
        #expect(address.style == .virtual)
    }

    @Test("Without an endpoint the bucket is at AWS; with one, the style is path")
    func defaults() throws {
        let aws = try S3Address("s3://photos?region=eu-central-1")
        #expect(aws.endpoint == "https://s3.eu-central-1.amazonaws.com")
        #expect(aws.style == .virtual)
        #expect(try S3Address("s3://photos").region == "us-east-1")
        let own = try S3Address("s3://photos?endpoint=http%3A%2F%2F127.0.0.1%3A7480")
        #expect(own.endpoint == "http://127.0.0.1:7480")
        #expect(own.style == .path)
        #expect(own.prefix.isEmpty)
        #expect(try S3Address("s3://photos?endpoint=https://h:443").endpoint == "https://h")
    }

    @Test(
        "A wrong address is refused, and the message says why",
        arguments: [
            ("s3:photos", "must look like"), ("s3://ab", "names no bucket"), ("s3://Photos", "names no bucket"),
            ("s3://photos?endpoint=ftp://h", "not an http or https URL"), ("s3://photos?endpoint=https://u@h", "more than a scheme"),
            ("s3://photos?endpoint=https://h/path", "more than a scheme"), ("s3://photos?region=", "invalid region"),
            ("s3://photos?prefix=/a", "invalid prefix"), ("s3://photos?prefix=a/../b", "invalid prefix"),
            ("s3://photos?prefix=a//b", "invalid prefix"), ("s3://photos?style=other", "unknown style"),
            ("s3://photos?ca=/etc/hostname", "file without certificates"), ("s3://photos?ca=/none", "file without certificates"),
            ("s3://photos?endpoint=http://h&ca=/none", "only an https endpoint needs"),
            ("s3://photos?secret=x", "takes endpoint"), ("s3://photos?region=a&region=b", "takes endpoint"),
        ])
    func refusals(_ text: String, _ part: String) {
        let error = #expect(throws: S3Address.Wrong.self) { try S3Address(text) }
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "none")")
    }

    @Test(
        "Keys that were written into an address by mistake are not in the message",
        arguments: [
            "https://id:pa55word@h/photos", "s3:id:pa55word@photos", "s3://id:pa55word@photos",
            "s3://photos?endpoint=https://id:pa55word@h", "s3://photos?endpoint=id:pa55word@h", "s3://photos?pa55word",
        ])
    func keysInAddress(_ text: String) {
        let environment = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "other"]
        let error = #expect(throws: S3Address.Wrong.self) { try BlobAddress(text, environment: environment) }
        #expect(error?.description.contains("pa55word") == false)
    }

    @Test("The keys come from the environment, and are never printed")
    func keys() throws {
        let environment = ["AWS_ACCESS_KEY_ID": "id-1", "AWS_SECRET_ACCESS_KEY": "secret-1", "AWS_SESSION_TOKEN": "token-1"]
        let address = try BlobAddress("s3://photos", environment: environment)
        #expect(!"\(address)".contains("secret-1") && !"\(address)".contains("token-1"))
        for missing in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
            let error = #expect(throws: S3Address.Wrong.self) {
                try BlobAddress("s3://photos", environment: environment.filter { $0.key != missing })
            }
            #expect(error?.description == "needs \(missing)")
        }
        var spaced = environment
        spaced["AWS_SECRET_ACCESS_KEY"] = "secret with spaces"
        let error = #expect(throws: S3Address.Wrong.self) { try BlobAddress("s3://photos", environment: spaced) }
        #expect(error?.description.contains("secret with") == false)
        guard case .file(let folder) = try BlobAddress("file:/srv/blobs", environment: [:]) else { throw BlobAddressIsNoFile() }
        #expect(folder == "/srv/blobs")
    }

    private struct BlobAddressIsNoFile: Error {}
}
