package import HTTPTypes
package import KeepsakeWire

/// A route, as the API's description needs it. A path has one route for each of its methods.
package struct ServedRoute: Sendable {
    package let method: HTTPRequest.Method
    /// For example `/api/users/user/{userId}/multimedia/{id}`.
    package let path: String
    package let surface: Surface
    package let access: Access
    package let body: Body
    /// Whether the route accepts an `Idempotency-Key`.
    package let creates: Bool
    /// Whether the route accepts any `Host`; see `AllowedOrigins.isOurs`.
    let anyName: Bool
    /// Whether requests go through the input decoder and the rate limits. `false` for the routes for operators.
    let isEndpoint: Bool

    package enum Access: Sendable { case anyone, signedIn, signedInOrLink, signedInBySocket }
    package enum Body: Sendable, Equatable {
        case none, json, multipart
        /// JSON in which these members are files in base64.
        case jsonWithFiles(Set<String>)
    }

    init<Input, Output>(_ endpoint: Endpoint<Input, Output>, _ method: HTTPRequest.Method, _ options: RouteOptions) {
        self.method = method
        path = endpoint.path
        surface = endpoint.surface
        creates = options.creates
        anyName = false
        isEndpoint = true
        access =
            switch endpoint.access {
            case .anyone: .anyone
            case .signedIn, .signedInOrAnonymous: options.isSocket ? .signedInBySocket : .signedIn
            case .signedInOrLink: .signedInOrLink
            }
        body =
            switch endpoint.body {
            case .none: .none
            case .json: .json
            case .multipart: .multipart
            case .jsonWithFiles: .jsonWithFiles(options.files)
            }
    }

    /// A route to which no dialect applies.
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

    /// The name of the operation, for example `GET /events`.
    package var name: String { "\(method.rawValue) \(path)" }

    /// The statuses of the problems that any such route may return. A feature lists further ones in its description.
    var problems: Set<Int> {
        var problems = [431, 500, 503]
        if isEndpoint { problems += [400, 408, 429] }
        // 403: the account is suspended, the owner in the path is not the caller, the link is invalid, or the request has our cookie but
        // comes from a page of another origin.
        if access != .anyone { problems += [401, 403] }
        // 403: `Host` is not a name of this server.
        if access == .anyone, method == .get || method == .head, !anyName { problems += [403] }
        if path.replacing("{userId}", with: "").contains("{") { problems += [404] }
        // 426: the request does not ask for a WebSocket.
        if access == .signedInBySocket { problems += [426] }
        if body != .none { problems += [413] }
        if body == .multipart { problems += [422] }
        if method != .get, method != .head { problems += [507] }
        // 409: the first request with the key is in progress. 410: everything that it created has been deleted. 422: this request differs
        // from it.
        if creates { problems += [409, 410, 422] }
        return Set(problems)
    }
}
