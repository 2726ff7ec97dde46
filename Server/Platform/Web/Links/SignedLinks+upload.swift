package import Core
import Foundation

/// Upload links. A client with such a link may PUT one file without a credential, and do nothing else. The feature that makes the link
/// decides which file it accepts, and must accept only one for each link.
extension SignedLinks {
    /// - Parameters:
    ///   - path: percent-encoded, as in the request line.
    ///   - owner: the account that will own the file; part of the link and of its signature.
    package func upload(_ path: String, owner: String, lifetime: Duration) -> String {
        let expiry = (clock.now + lifetime).seconds
        let signature = Base64URL.encode(signer.sign([path, owner, String(expiry)], purpose: Self.uploading))
        let name = owner.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "\(absolute(path))?owner=\(name)&expires=\(expiry)&signature=\(signature)"
    }

    /// - Throws: `.forbidden` when the link is forged or has expired.
    package func checkUpload(_ path: String, owner: String?, expires: String?, signature: String?) throws -> UploadLink {
        guard let owner, let expires, let expiry = Int64(expires), String(expiry) == expires,
            let bytes = signature.flatMap({ Base64URL.decode($0) }),
            signer.isGenuine(bytes, of: [path, owner, expires], purpose: Self.uploading)
        else { throw Problem(.forbidden, "The link's signature is invalid.") }
        guard clock.now.seconds < expiry else { throw Problem(.forbidden, "This link has expired.") }
        return UploadLink(owner: owner, expiresAt: Timestamp(seconds: expiry), name: "\(path) \(owner) \(expires)")
    }

    private static let uploading = "upload"
}

/// An upload link that the server has verified: genuine and not expired.
package struct UploadLink: Sendable, Equatable {
    /// The account that will own the file.
    package let owner: String
    package let expiresAt: Timestamp
    /// Identifies the link. It is the text that was signed. The signature itself would not do, because it has several valid spellings.
    let name: String
}
