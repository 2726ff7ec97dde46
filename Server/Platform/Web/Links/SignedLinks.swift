package import Core
import Foundation
import HTTPTypes
import Hummingbird

/// Makes and checks links that need no credential, for clients such as an image view that can send none. A link is absolute, with an expiry
/// and a signature in its query.
package struct SignedLinks: Sendable {
    /// A link that the server has verified: genuine and not expired.
    package struct Grant: Sendable, Equatable {
        package let expiresAt: Timestamp
        package let now: Timestamp
    }

    /// The part of the URL before the path, for example `https://api.example.org`; without a slash at its end.
    let publicURL: @Sendable () -> String
    let signer: Signer
    /// How many days a link works after the day on which it was made, 1...365.
    let lifetimeDays: Int
    let clock: WallClock

    package init(publicURL: @escaping @Sendable () -> String, signer: Signer, lifetimeDays: Int, clock: WallClock) {
        self.publicURL = publicURL
        self.signer = signer
        self.lifetimeDays = lifetimeDays
        self.clock = clock
    }

    package func absolute(_ path: String) -> String { publicURL() + path }

    /// A signed link. A file has the same link all day, so that image caches work: the link expires `lifetimeDays` after the next midnight
    /// UTC.
    /// - Parameter path: percent-encoded, as in the request line.
    package func signed(_ path: String) -> String {
        let expiry = expiry
        var link = publicURL()
        link.reserveCapacity(link.utf8.count + path.utf8.count + 64)
        link += path
        link += "?expires="
        link += String(expiry)
        link += "&signature="
        link += Base64URL.encode(signature(path, expiry))
        return link
    }

    /// A signed link to a file that another file can replace under the same path. The new file has another `version`, and therefore another
    /// link, so that no cache shows the old file in its place.
    ///
    /// The signature does not cover the version: a link with an earlier one, or without one, leads to the present file until it expires.
    /// - Parameters:
    ///   - path: percent-encoded, as in the request line.
    ///   - version: letters, digits and dashes, such as an id.
    package func signed(_ path: String, version: String) -> String { signed(path) + "&version=" + version }

    /// The expiry time of links that are made now, in seconds since 1970.
    var expiry: Int64 {
        let day: Int64 = 86_400
        return (clock.now.seconds / day + 1 + Int64(lifetimeDays)) * day
    }

    /// - Parameter query: the query of `request`.
    /// - Returns: `nil` when the request carries no signature at all.
    /// - Throws: `.forbidden` when the link is forged or has expired.
    func check(_ request: Request, _ query: QueryItems) throws -> Grant? {
        // Decoding a long value takes the event loop a millisecond.
        guard !query.isLonger("signature", than: Self.longestValue), !query.isLonger("expires", than: Self.longestValue) else {
            throw Self.forged
        }
        guard let signature = query["signature"] else { return nil }
        guard let expires = query["expires"], let expiry = Int64(expires), String(expiry) == expires,
            let bytes = Base64URL.decode(signature),
            signer.isGenuine(bytes, of: ["GET", request.uri.path, String(expiry)], purpose: Self.purpose)
        else { throw Self.forged }
        let now = clock.now
        guard now.seconds < expiry else { throw Problem(.forbidden, "This link has expired.") }
        return Grant(expiresAt: Timestamp(seconds: expiry), now: now)
    }

    static let purpose = "link"
    private static let forged = Problem(.forbidden, "The link's signature is invalid. Request the entry again to get a new link.")
    /// The most bytes of a signature as it is sent. It has 43 letters, each of which may be percent-encoded.
    private static let longestValue = 129

    private func signature(_ path: String, _ expiry: Int64) -> [UInt8] {
        // The message names GET even for a HEAD request, because HEAD is allowed wherever GET is.
        signer.sign(["GET", path, String(expiry)], purpose: Self.purpose)
    }
}
