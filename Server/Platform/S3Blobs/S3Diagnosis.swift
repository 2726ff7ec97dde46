import Blobs
import Core
import NIOCore

/// What `keepsake doctor`, and the server at its start, say about a wrong setting: one line with what to change.
package struct S3Fault: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

extension S3BlobStore {
    package var address: S3Address { client.address }

    /// Lists the first files of the bucket. It writes nothing.
    /// - Throws: `S3Fault` when the store is away, there is no such bucket, or it refuses the keys.
    package func requireBucket() async throws {
        try await step("s3:ListBucket") { _ = try await client.list(S3Names.blobs, after: nil) }
    }

    /// Sends every kind of request that the server needs, and removes what it has stored.
    /// - Returns: one line about the bucket.
    /// - Throws: `S3Fault`.
    package func diagnose() async throws -> String {
        let address = client.address
        let key = newKey()
        let name = S3Names.blob(key)
        let body = S3Body.bytes(ByteBuffer(string: key.text), sha256: SigV4.hash(ByteBuffer(string: key.text)))
        let begun = ContinuousClock.now
        try await requireBucket()
        let time = (ContinuousClock.now - begun).wholeMilliseconds
        try await step("s3:PutObject") { try await client.putNew(name, body) }
        try await step("s3:GetObject") {
            guard let found = try await client.getFirstBytes(name, count: 1_024), String(buffer: found.bytes) == key.text else {
                throw S3Fault(description: "\(address.endpoint) returns other bytes than it was sent; it may be a proxy or no S3 server")
            }
        }
        try await step("s3:DeleteObject") { try await client.delete(name) }
        try await step("s3:PutObject") {
            let upload = try await client.createUpload(name)
            try await step("s3:ListMultipartUploadParts") { _ = try await client.listParts(name, upload) }
            try await step("s3:ListBucketMultipartUploads") { _ = try await client.listUploads(name) }
            try await step("s3:AbortMultipartUpload") { try await client.abortUpload(name, upload) }
        }
        let skew = client.clockSkew
        if abs(skew.components.seconds) > 60 { throw clockFault(skew.components.seconds) }
        return "\(address): answers in \(time) ms; written, read back, removed"
    }

    private func step(_ permission: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as S3Error {
            throw fault(error, permission)
        }
    }

    private func clockFault(_ seconds: Int64) -> S3Fault {
        S3Fault(
            description:
                "this machine's clock is \(abs(seconds)) s \(seconds > 0 ? "behind" : "ahead of") the object store's; set it, for example by NTP"
        )
    }

    /// - Parameter permission: the action that the request needs.
    private func fault(_ error: S3Error, _ permission: String) -> S3Fault {
        let address = client.address
        let text: String
        switch error.code {
        case "NoSuchBucket":
            text = "there is no bucket \(address.bucket) at \(address.endpoint): create it, or change the bucket in KEEPSAKE_BLOBS"
        case "InvalidAccessKeyId":
            text = "\(address.endpoint) does not know the access key: change AWS_ACCESS_KEY_ID"
        case "SignatureDoesNotMatch":
            text = "the secret key does not belong to the access key: change AWS_SECRET_ACCESS_KEY"
        case "InvalidToken", "ExpiredToken", "TokenRefreshRequired":
            text = "the session token is invalid or has expired: change or unset AWS_SESSION_TOKEN"
        case "RequestTimeTooSkewed":
            return clockFault(error.skewSeconds ?? 0)
        case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException", "TemporaryRedirect":
            text =
                "the bucket \(address.bucket) is not in region \(address.region): set region=\(error.region ?? "REGION") in KEEPSAKE_BLOBS"
        case S3Error.untrusted:
            text =
                "the certificate of \(address.endpoint) has expired, or an authority that is not trusted has signed it: set ca=FILE in KEEPSAKE_BLOBS"
        case S3Error.otherName:
            text = "the certificate of \(address.endpoint) is for another name: change the endpoint in KEEPSAKE_BLOBS, or the certificate"
        case "AccessDenied", "AllAccessDisabled", "Forbidden":
            text = "the access key lacks the permission \(permission) on the bucket \(address.bucket): add it to the key's policy"
        default:
            if error.status == nil {
                text =
                    "no S3 server answers at \(address.endpoint) (\(error.code)): change the endpoint in KEEPSAKE_BLOBS, or start the server"
            } else if error.isTemporary {
                text = "\(address.endpoint) is overloaded or broken (\(error)): look at the object store's log"
            } else {
                text = "\(address.endpoint) refuses a request (\(error)): check that KEEPSAKE_BLOBS names an S3 server"
            }
        }
        return S3Fault(description: text)
    }
}
