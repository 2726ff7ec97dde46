public import HTTPTypes

/// One endpoint of the API, as a value that both the server and the client use.
///
/// `Input` is one flat struct. The values of keys that are in braces in `path` become parts of the path. The client sends the other keys in
/// the JSON body or, if the endpoint has no body, in the query.
///
/// The types need not be `Sendable`, so an app can use its own models, even if they are isolated to the main actor.
public struct Endpoint<Input: Codable, Output>: Sendable {
    public let method: HTTPRequest.Method
    /// For example `/api/users/user/{userId}/multimedia/{id}`.
    public let path: String
    public let surface: Surface
    public let access: Access
    public let body: Body
    /// The rate limit that applies to the call.
    public let rate: RateClass

    public init(
        _ method: HTTPRequest.Method, _ path: String, surface: Surface, access: Access = .signedIn, body: Body = .none,
        rate: RateClass? = nil
    ) {
        self.method = method
        self.path = path
        self.surface = surface
        self.access = access
        self.body = body
        self.rate = rate ?? (method == .get ? .read : .write)
    }

    /// Who may call.
    public enum Access: Sendable {
        /// Anyone, with or without a credential.
        case anyone
        /// A credential is required. A `{userId}` in the path must be the caller's id.
        case signedIn
        /// A credential is required as for `signedIn`. For development, a server can allow anonymous requests: then a request without a
        /// credential acts for the account `anonymous`.
        case signedInOrAnonymous
        /// A credential, or a link that the server signed.
        case signedInOrLink
    }

    /// The request's body.
    public enum Body: Sendable {
        case none
        /// JSON, at most this many bytes.
        case json(maxByteCount: Int = 1_048_576)
        /// A form (`multipart/form-data`), which the server processes as it arrives.
        case multipart
        /// A JSON object in which some members are files in base64. The server decodes the files as they arrive. The body has at most this
        /// many bytes; the default is enough for one file of 10 MB with escapes and line breaks in its text.
        case jsonWithFiles(maxByteCount: Int = 16_777_216)
    }
}

/// An endpoint that creates something. The client sends an `Idempotency-Key`, and can then safely repeat the request: the server creates it
/// only once, and answers a repeat with its first response.
///
/// It is a separate type, so that the server cannot register a handler that does not store its response.
public struct CreationEndpoint<Input: Codable, Output>: Sendable {
    /// The endpoint itself.
    public let endpoint: Endpoint<Input, Output>

    public init(
        _ method: HTTPRequest.Method, _ path: String, surface: Surface, access: Endpoint<Input, Output>.Access = .signedIn,
        body: Endpoint<Input, Output>.Body, rate: RateClass? = nil
    ) {
        endpoint = Endpoint(method, path, surface: surface, access: access, body: body, rate: rate)
    }
}

/// A WebSocket of the API (RFC 6455), as a value that both the server and the client use. The client authenticates with
/// `Authorization: Bearer` or, where it cannot send headers, with `?access_token=`.
public struct SocketEndpoint<Input: Codable & Sendable>: Sendable {
    /// The path, for example `/ws/ios/{userId}`. Keys of `Input` that are not in braces in the path are sent in the query.
    public let path: String
    /// Determines the format of error responses before the upgrade.
    public let surface: Surface

    public init(_ path: String, surface: Surface) {
        self.path = path
        self.surface = surface
    }
}

/// The classes of requests that have separate rate limits.
public enum RateClass: String, Sendable, CaseIterable {
    /// Requests that check a credential.
    case signIn
    /// Requests that change something.
    case write
    /// Requests that only read.
    case read
    /// Requests that read all data of an account.
    case export
    /// Captures that arrive on a socket. Over the limit, the server delays reading them instead of refusing them.
    case capture
}

/// The output type of endpoints whose response is a file instead of JSON.
public enum FileContent: Sendable {}

/// A request or response without fields: `{}`.
public struct Empty: Codable, Sendable, Equatable {
    public init() {}
}
