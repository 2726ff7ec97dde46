import Core
import DatabaseEngines
import Outbound
import S3Blobs

extension Settings.Source {
    func database(_ flag: String?) throws -> DatabaseAddress? {
        guard let text = text(flag, "database") else { return nil }
        guard let address = DatabaseAddress(text) else {
            // The message does not quote the value, because it may contain a password.
            throw Settings.Wrong(description: "\(name("database")) must look like sqlite:PATH or postgres://USER@HOST/NAME")
        }
        return address
    }

    func blobsRedirect(_ flag: String?, _ settings: Settings) throws -> Bool {
        guard try choice(flag, "blobs_redirect") == OnOff.on else { return false }
        guard case .s3(let address, _) = settings.blobs else {
            throw Settings.Wrong(description: "\(name("blobs_redirect"))=on needs an object store in KEEPSAKE_BLOBS")
        }
        if settings.environment == .production, address.scheme != "https" {
            throw Settings.Wrong(
                description: "\(name("blobs_redirect"))=on is refused in production with an http endpoint: nothing would be encrypted")
        }
        return true
    }

    /// - Parameter environment: contains the keys of an object store.
    func blobs(_ flag: String?, _ environment: [String: String]) throws -> BlobAddress? {
        guard let text = text(flag, "blobs") else { return nil }
        do {
            let address = try BlobAddress(text, environment: environment)
            if case .s3(let bucket, _) = address, !policy.allows(bucket.endpoint) {
                throw Settings.Wrong(description: "\(name("blobs")) needs an https endpoint, or http on this machine: \(bucket.endpoint)")
            }
            return address
        } catch let error as S3Address.Wrong {
            throw Settings.Wrong(description: "\(name("blobs")) \(error)")
        }
    }
}
