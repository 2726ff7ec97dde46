import Core
import Foundation
import HTTPTypes
import Hummingbird
import KeepsakeWire

/// Authenticates a request, and checks that the `{userId}` in its path is the caller's, before the server reads anything else of it.
package struct Authentication: Sendable {
    let authenticator: any Authenticator
    let links: SignedLinks
    let origins: AllowedOrigins
    /// Whether a request without a credential is taken to come from the `{userId}` in its path.
    let allowsAnonymous: Bool

    /// The account for which the server keeps uploads without a credential and without a user in their path.
    package static let anonymous = "anonymous"

    /// What a request says about its caller. Only the form of a token and the signature of a link have been verified.
    enum Credential: Sendable {
        case bearer(String)
        case cookie(String)
        case link(SignedLinks.Grant)
        case anonymous(owner: Substring)
        /// The route needs no credential.
        case none
    }

    /// The most bytes of a token in the query as it is sent. Decoding a longer one takes the event loop a millisecond.
    private static let longestToken = 4_096

    /// Reads the request's credential. Does not read the database.
    /// - Parameters:
    ///   - query: the query of `request`.
    ///   - queryToken: whether the token may be in the query, as `access_token`.
    /// - Throws: `.unauthenticated` without a credential, or with one that cannot be valid; `.forbidden` for an invalid link.
    func credential<Input, Output>(
        of request: Request, _ query: QueryItems, _ context: WebContext, _ access: Endpoint<Input, Output>.Access, queryToken: Bool
    ) throws -> Credential {
        switch access {
        case .anyone:
            try context.requireOurName(request, origins)
            return .none
        case .signedInOrLink:
            if let link = try links.check(request, query) { return .link(link) }
        case .signedIn, .signedInOrAnonymous: break
        }
        if let header = request.headers[.authorization] {
            guard let bearer = header.bearerToken else {
                throw Problem(.unauthenticated, "Only bearer tokens are accepted: Authorization: Bearer <access token>.")
            }
            try authenticator.checkForm(ofBearer: bearer)
            return .bearer(bearer)
        }
        if queryToken, query.isLonger("access_token", than: Self.longestToken) {
            throw Problem(.unauthenticated, "The access token is too long.")
        }
        if queryToken, let text = query["access_token"] {
            // Browsers cannot send a header with a WebSocket, so the token may be in the query (RFC 6750 §2.3).
            try authenticator.checkForm(ofBearer: text)
            return .bearer(text)
        }
        if let cookie = SessionCookie.value(in: request.headers, isSecure: context.isSecure) { return .cookie(cookie) }
        if allowsAnonymous, let owner = context.parameters.get("userId") { return .anonymous(owner: owner[...]) }
        if allowsAnonymous, case .signedInOrAnonymous = access { return .anonymous(owner: Self.anonymous[...]) }
        throw Problem.signInFirst
    }

    /// Sets the context's viewer or its link.
    /// - Throws: `.unauthenticated` when the credential is invalid, `.forbidden` when the `{userId}` is another user's.
    func authenticate(_ request: Request, _ context: inout WebContext, _ credential: Credential, _ rate: RateClass) async throws {
        let owner = context.parameters.get("userId")
        let viewer: Viewer
        switch credential {
        case .none: return
        case .link(let link):
            context.link = link
            return
        case .bearer(let token):
            // Refuse an invalid token even if the cookie is valid: the client sent the token on purpose.
            viewer = try await authenticator.viewer(bearer: token)
        case .cookie(let cookie):
            viewer = try await authenticator.viewer(cookie: cookie)
            context.isByCookie = true
            // The cookie belongs to one host name. A page under the host name of the request is therefore our own console.
            let isOwn = request.headers[.origin].map { origin in
                origins.allows(origin, sentTo: request.head.authority, isSecure: context.isSecure)
            }
            try refuseForeignPage(request, isOwn ?? true)
        case .anonymous(let owner):
            // If the server runs on the user's own machine, any web page that the user opens can send requests to it, and can reach it
            // under a host name of its own (DNS rebinding).
            try refuseForeignPage(request, request.headers[.origin].map { origins.allows($0) } ?? true)
            try context.requireOurName(request, origins)
            // In this mode a client can make up as many ids as it likes. So the server counts the request by its address, too, before it
            // makes an account.
            try await context.countAddress(rate)
            viewer = try await authenticator.viewer(anonymous: owner.percentDecoded ?? "")
        }
        context.viewer = viewer
        context.record.update { $0.accountID = viewer.accountID }
        if let owner, owner.percentDecoded != viewer.accountID {
            if let name = owner.percentDecoded, try await authenticator.isAccount(viewer.accountID, alsoKnownAs: name) { return }
            throw Problem(.forbidden, "This address belongs to another user.", field: "userId")
        }
    }

    /// Refuses a request for a change if a page of another origin sends it with a credential that the browser adds by itself. Apps and
    /// programs send no `Origin`.
    private func refuseForeignPage(_ request: Request, _ isOwn: Bool) throws {
        guard !isOwn, ![.get, .head].contains(request.method) else { return }
        throw Problem(.forbidden, "Pages of this origin may not change anything here.", field: "Origin")
    }
}
