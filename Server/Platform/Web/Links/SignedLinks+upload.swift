import Core
import Foundation

/// Links by which whoever has them may PUT one file and nothing else, without a credential. What the file may be, and that it is one, the
/// room that made the link knows.
extension SignedLinks {
    /// - Parameters:
    ///   - path: as it stands in the request line.
    ///   - owner: whose file it will be; stands in the link, and is signed with it.
    package func upload(_ path: String, owner: String, lifetime: Duration) -> String {
        let expiry = (clock.now + lifetime).seconds
        let signature = Base64URL.encode(seal.sign([path, owner, String(expiry)], purpose: Self.uploading))
        let name = owner.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "\(absolute(path))?owner=\(name)&expires=\(expiry)&signature=\(signature)"
    }

    /// - Throws: `.forbidden` when the link is forged or has expired.
    package func checkUpload(_ path: String, owner: String?, expires: String?, signature: String?) throws -> UploadLink {
        guard let owner, let expires, let expiry = Int64(expires), String(expiry) == expires,
            let bytes = signature.flatMap({ Base64URL.decode($0) }),
            seal.isGenuine(bytes, of: [path, owner, expires], purpose: Self.uploading)
        else { throw Problem(.forbidden, "This link was not made here.") }
        guard clock.now.seconds < expiry else { throw Problem(.forbidden, "This link has expired.") }
        return UploadLink(owner: owner, name: "\(path) \(owner) \(expires)")
    }

    private static let uploading = "upload"
}

/// An upload link that was found genuine and current.
package struct UploadLink: Sendable, Equatable {
    /// Whose file it will be.
    package let owner: String
    /// Tells links apart. It is what is signed, since a signature can be spelled in several ways.
    let name: String
}
