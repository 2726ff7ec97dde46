import Core
import Foundation
import S3Blobs
import TestKit

/// A radosgw that all nodes of a cluster use.
enum SharedBlobs {
    /// The settings of the nodes, with an unused prefix of the bucket.
    /// - Parameter port: the port of a radosgw; by default the one that `make services` starts, which tests share.
    static func settings(port: Int = CephService.sharedPort) -> [String: String] {
        [
            "KEEPSAKE_BLOBS": "s3://keepsake-tests?endpoint=http://127.0.0.1:\(port)&prefix=nodes-\(UUID().uuidString.lowercased())",
            "AWS_ACCESS_KEY_ID": CephService.credentials.accessKeyID,
            "AWS_SECRET_ACCESS_KEY": CephService.credentials.secretAccessKey.exposed,
        ]
    }
}
