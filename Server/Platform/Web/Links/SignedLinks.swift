package import Core
import Foundation
import HTTPTypes
import Hummingbird

/// Links that load in a plain image view, which sends no credential: absolute, with an expiry and a signature in the query.
package struct SignedLinks: Sendable {
    /// A link that was found genuine and current.
    package struct Grant: Sendable, Equatable {
        package let expiresAt: Timestamp
        package let now: Timestamp
    }

    /// What a client puts in front of a path, for example `https://api.example.org`; without a slash at its end.
    let publicURL: @Sendable () -> String
    let seal: Seal
    /// 1…365.
    let lifetimeDays: Int
    let clock: WallClock

    package init(publicURL: @escaping @Sendable () -> String, seal: Seal, lifetimeDays: Int, clock: WallClock) {
        self.publicURL = publicURL
        self.seal = seal
        self.lifetimeDays = lifetimeDays
        self.clock = clock
    }

    package func absolute(_ path: String) -> String { publicURL() + path }

    /// The same file gives the same string all day, so that image caches work: the expiry is the next UTC midnight plus the lifetime.
    /// - Parameter path: as it stands in the request line, percent-encoded.
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

    /// Seconds since 1970.
    var expiry: Int64 {
        let day: Int64 = 86_400
        return (clock.now.seconds / day + 1 + Int64(lifetimeDays)) * day
    }

    /// - Returns: `nil` when the request carries no signature at all.
    /// - Throws: `.forbidden` when the link is forged or has expired.
    func check(_ request: Request) throws -> Grant? {
        let query = request.uri.queryParameters
        guard let signature = query["signature"] else { return nil }
        guard let expires = query["expires"], let expiry = Int64(expires), String(expiry) == expires,
            let bytes = Base64URL.decode(signature),
            seal.isGenuine(bytes, of: ["GET", request.uri.path, String(expiry)], purpose: Self.purpose)
        else { throw Problem(.forbidden, "This link was not made here.") }
        let now = clock.now
        guard now.seconds < expiry else { throw Problem(.forbidden, "This link has expired.") }
        return Grant(expiresAt: Timestamp(seconds: expiry), now: now)
    }

    static let purpose = "link"

    private func signature(_ path: String, _ expiry: Int64) -> [UInt8] {
        // HEAD is allowed wherever GET is.
        seal.sign(["GET", path, String(expiry)], purpose: Self.purpose)
    }
}
