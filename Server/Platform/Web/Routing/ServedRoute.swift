package import HTTPTypes
package import KeepsakeWire

/// What a route lets its description know: one for each method of a path.
package struct ServedRoute: Sendable {
    package let method: HTTPRequest.Method
    /// For example `/api/users/user/{userId}/multimedia/{id}`.
    package let path: String
    package let surface: Surface
    package let access: Access
    package let body: Body
    /// Whether it takes an `Idempotency-Key`.
    package let creates: Bool
    /// Whether its readers may call the server by any name, see `AllowedOrigins.isOurs`.
    let anyName: Bool
    /// Whether the request passes the decoder and the rate limits; what serves whoever runs the server does not.
    let isEndpoint: Bool

    package enum Access: Sendable { case anyone, signedIn, signedInOrLink, signedInBySocket }
    package enum Body: Sendable { case none, json, multipart }

    /// - Parameters:
    ///   - isSocket: it opens a WebSocket, and takes its token in the query, too.
    ///   - creates: it takes an `Idempotency-Key`.
    init<Input, Output>(_ endpoint: Endpoint<Input, Output>, _ method: HTTPRequest.Method, isSocket: Bool, creates: Bool) {
        self.method = method
        path = endpoint.path
        surface = endpoint.surface
        self.creates = creates
        anyName = false
        isEndpoint = true
        access =
            switch endpoint.access {
            case .anyone: .anyone
            case .signedIn: isSocket ? .signedInBySocket : .signedIn
            case .signedInOrLink: .signedInOrLink
            }
        body =
            switch endpoint.body {
            case .none: .none
            case .json: .json
            case .multipart: .multipart
            }
    }

    /// A route that no dialect words.
    init(raw method: HTTPRequest.Method, _ path: String, anyName: Bool = false) {
        self.method = method
        self.path = path
        surface = .capsules
        access = .anyone
        body = .none
        creates = false
        self.anyName = anyName
        isEndpoint = false
    }

    /// As the document names it, for example `GET /events`.
    package var name: String { "\(method.rawValue) \(path)" }

    /// The kinds of problem that any such route may answer with; a room writes down its own beside these.
    var problems: Set<Int> {
        var problems = [431, 500, 503]
        if isEndpoint { problems += [400, 408, 429] }
        if access != .anyone { problems += [401] }
        // Sent to a name that is not this server's.
        if access == .anyone, method == .get || method == .head, !anyName { problems += [403] }
        // The owner in the path is not the caller, or the link is none of ours.
        if access != .anyone, path.contains("{userId}") { problems += [403] }
        if path.replacing("{userId}", with: "").contains("{") { problems += [404] }
        // Not asked for as a WebSocket, or by a page of another origin.
        if access == .signedInBySocket { problems += [403, 426] }
        if body != .none { problems += [413] }
        if body == .multipart { problems += [422] }
        if method != .get, method != .head {
            problems += [507]
            // A cookie that a page of another origin brings along.
            if access != .anyone { problems += [403] }
        }
        // The first request with the same key is in flight; what the key created was deleted; the key was used for something else.
        if creates { problems += [409, 410, 422] }
        return Set(problems)
    }
}
