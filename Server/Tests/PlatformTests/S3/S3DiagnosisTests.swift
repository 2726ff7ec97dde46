import Blobs
import Core
import TestKit
import TestThreads
import Testing

@testable import S3Blobs

@Suite("What doctor says about an object store", .blocksThreads)
struct S3DiagnosisTests {
    private func fault(_ store: S3BlobStore) async throws -> String {
        do {
            return "no fault: \(try await store.diagnose())"
        } catch let fault as S3Fault {
            return fault.description
        }
    }

    @Test("Right settings pass, and leave nothing in the bucket")
    func right() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        #expect(try await store.diagnose().hasSuffix("written, read back, removed"))
        let left = try await S3Fixture.everything(store)
        #expect(left.objects.isEmpty && left.uploads.isEmpty)
    }

    @Test("An endpoint where nothing answers")
    func endpoint() async throws {
        // Port 9 is the discard service's, which nobody runs.
        let text = try await fault(S3Fixture().open(port: 9))
        #expect(text.hasPrefix("no S3 server answers at http://127.0.0.1:9 ("))
        #expect(text.hasSuffix("change the endpoint in KEEPSAKE_BLOBS, or start the server"))
    }

    @Test("A bucket that does not exist")
    func bucket() async throws {
        var address = try CephService.everybodys()
        address.bucket = "keepsake-nowhere"
        let text = try await fault(S3Fixture(address).open())
        #expect(text == "there is no bucket keepsake-nowhere at \(address.endpoint): create it, or change the bucket in KEEPSAKE_BLOBS")
    }

    @Test("A wrong access key")
    func key() async throws {
        let credentials = S3Credentials(accessKeyID: "NOBODY", secretAccessKey: CephService.credentials.secretAccessKey)
        #expect(
            try await fault(S3Fixture().open(credentials: credentials)).hasSuffix("does not know the access key: change AWS_ACCESS_KEY_ID")
        )
    }

    @Test("A wrong secret key")
    func secret() async throws {
        let credentials = S3Credentials(accessKeyID: CephService.credentials.accessKeyID, secretAccessKey: Secret("guessed"))
        let text = try await fault(S3Fixture().open(credentials: credentials))
        #expect(text == "the secret key does not belong to the access key: change AWS_SECRET_ACCESS_KEY")
    }

    @Test("A wrong clock, although requests are corrected by it")
    func clock() async throws {
        let slow = WallClock { WallClock.system.now - .hours(1) }
        let text = try await fault(S3Fixture().open(clock: slow))
        #expect(text.hasPrefix("this machine's clock is 3"))
        #expect(text.hasSuffix(" s behind the object store's; set it, for example by NTP"))
    }

    @Test("Keys without permission to list the bucket")
    func permission() async throws {
        let text = try await fault(S3Fixture().open(credentials: CephService.stranger))
        #expect(text == "the access key lacks the permission s3:ListBucket on the bucket keepsake-tests: add it to the key's policy")
    }

    /// Without a policy, radosgw knows no permissions for single actions, and it checks no region. So a proxy in front of radosgw sends the
    /// error bodies that AWS documents.
    @Test(
        "Keys without one permission",
        arguments: [
            (S3Operation.putObject, "s3:PutObject"), (.getObject, "s3:GetObject"), (.deleteObject, "s3:DeleteObject"),
            (.createUpload, "s3:PutObject"), (.listParts, "s3:ListMultipartUploadParts"),
            (.listUploads, "s3:ListBucketMultipartUploads"), (.abortUpload, "s3:AbortMultipartUpload"),
        ])
    func permissions(_ operation: S3Operation, _ permission: String) async throws {
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { request in
            S3FaultTests.operation(request) == operation
                ? .refuse(status: "403 Forbidden", body: "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>") : .none
        }
        let text = try await fault(S3Fixture().open(port: proxy.port))
        #expect(text == "the access key lacks the permission \(permission) on the bucket keepsake-tests: add it to the key's policy")
    }

    @Test("A wrong region, which the store corrects")
    func region() async throws {
        let body = """
            <?xml version="1.0" encoding="UTF-8"?>
            <Error><Code>AuthorizationHeaderMalformed</Code><Message>The authorization header is malformed; the region 'us-east-1' is wrong; \
            expecting 'eu-central-1'</Message><Region>eu-central-1</Region></Error>
            """
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { _ in .refuse(status: "400 Bad Request", body: body) }
        let text = try await fault(S3Fixture().open(port: proxy.port))
        #expect(text == "the bucket keepsake-tests is not in region us-east-1: set region=eu-central-1 in KEEPSAKE_BLOBS")
    }

    @Test("A server that is no object store")
    func noStore() async throws {
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { _ in .refuse(status: "404 Not Found", body: "<html></html>") }
        #expect(try await fault(S3Fixture().open(port: proxy.port)).hasSuffix("check that KEEPSAKE_BLOBS names an S3 server"))
    }
}
