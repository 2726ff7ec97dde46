import Core
import Foundation
import HTTPTypes
import Hummingbird
import KeepsakeWire

/// Finds out who asks, and whether the address is theirs, before anything else of the request is looked at.
struct Authentication: Sendable {
    let authenticator: any Authenticator
    let links: SignedLinks
    let origins: AllowedOrigins
    /// A request without any credential comes from the `{userId}` in its path.
    let allowsAnonymous: Bool

    /// Sets the context's viewer, or its link.
    /// - Parameter queryToken: the token may come as `?access_token=`.
    /// - Throws: `.unauthenticated` without a credential or with a bad one, `.forbidden` for another user's address.
    func authenticate<Input, Output>(
        _ request: Request, _ context: inout WebContext, _ access: Endpoint<Input, Output>.Access, _ rate: RateClass, queryToken: Bool
    ) async throws {
        switch access {
        case .anyone:
            try context.requireOurName(request, origins)
            return
        case .signedInOrLink:
            if let link = try links.check(request) {
                context.link = link
                return
            }
        case .signedIn: break
        }
        let owner = context.parameters.get("userId")
        let viewer: Viewer
        if let header = request.headers[.authorization] {
            guard let bearer = header.bearerToken else {
                throw Problem(.unauthenticated, "Only bearer tokens are understood: Authorization: Bearer <access token>.")
            }
            // A bad one is refused even beside a good cookie: whoever sends it means it.
            viewer = try await authenticator.viewer(bearer: bearer)
        } else if queryToken, let text = request.uri.queryParameters["access_token"] {
            // RFC 6750 §2.3: browsers cannot send a header with a WebSocket.
            viewer = try await authenticator.viewer(bearer: String(text))
        } else if let cookie = SessionCookie.value(in: request.headers, isSecure: context.isSecure) {
            viewer = try await authenticator.viewer(cookie: cookie)
            context.isByCookie = true
            // Another name of this server has another cookie, so a page under the very name asked for is the console's.
            let isOwn = request.headers[.origin].map { origin in
                origins.allows(origin, sentTo: request.head.authority, isSecure: context.isSecure)
            }
            try refuseForeignPage(request, isOwn ?? true)
        } else if allowsAnonymous, let owner {
            // Pages from anywhere reach a server on their reader's machine, and by any name they like.
            try refuseForeignPage(request, request.headers[.origin].map { origins.allows($0) } ?? true)
            try context.requireOurName(request, origins)
            // Ids cost nothing here, so the address counts as well, and before an account is made.
            try await context.countAddress(rate)
            viewer = try await authenticator.viewer(anonymous: owner.percentDecoded ?? "")
        } else {
            _ = try context.requireViewer()
            return
        }
        context.viewer = viewer
        context.record.update { $0.accountID = viewer.accountID }
        if let owner, owner.percentDecoded != viewer.accountID {
            if let name = owner.percentDecoded, try await authenticator.isAccount(viewer.accountID, alsoKnownAs: name) { return }
            throw Problem(.forbidden, "This address belongs to another user.", field: "userId")
        }
    }

    /// What a browser sends by itself, on whatever page it is. Apps and programs name no origin.
    private func refuseForeignPage(_ request: Request, _ isOwn: Bool) throws {
        guard !isOwn, ![.get, .head].contains(request.method) else { return }
        throw Problem(.forbidden, "Pages of this origin may not change anything here.", field: "Origin")
    }
}
