public import HTTPTypes

/// One call of the API, as a value that both the server and the client use.
///
/// `Input` is one flat struct. Keys that `path` contains in braces are sent in the path. The other keys are sent in the JSON body or,
/// without one, in the query.
///
/// The types need not be `Sendable`, so they may be an app's own models on the main actor.
public struct Endpoint<Input: Codable, Output>: Sendable {
    public let method: HTTPRequest.Method
    /// For example `/api/users/user/{userId}/multimedia/{id}`.
    public let path: String
    public let surface: Surface
    public let access: Access
    public let body: Body
    /// The rate limit that the call counts against.
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
        /// A credential is required; a `{userId}` in the path must be the caller's.
        case signedIn
        /// A credential as above. In development, if the server allows anonymous requests, a request without a credential acts for the
        /// account `anonymous`.
        case signedInOrAnonymous
        /// A credential, or a link that the server signed.
        case signedInOrLink
    }

    /// The request's body.
    public enum Body: Sendable {
        case none
        /// JSON, at most this many bytes.
        case json(maxByteCount: Int = 1_048_576)
        /// multipart/form-data; the server processes it as it arrives.
        case multipart
        /// A JSON object in which some members are files in base64; the server decodes them as they arrive. At most this many bytes: by
        /// default enough for one file of 10 MB, with escapes and line breaks in its text.
        case jsonWithFiles(maxByteCount: Int = 16_777_216)
    }
}

/// A call of the API that creates something. The client sends an `Idempotency-Key` and may then safely repeat the request: the server
/// creates the thing once, and answers a repeat with its first response.
///
/// A separate type, so that the server cannot register a handler that does not store its response.
public struct CreationEndpoint<Input: Codable, Output>: Sendable {
    /// The call itself.
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
    /// For example `/ws/ios/{userId}`. Keys of `Input` that are not in braces are sent in the query.
    public let path: String
    /// Determines the form of error responses before the upgrade.
    public let surface: Surface

    public init(_ path: String, surface: Surface) {
        self.path = path
        self.surface = surface
    }
}

/// The classes of requests that have separate rate limits.
public enum RateClass: String, Sendable, CaseIterable {
    /// Tries a credential.
    case signIn
    /// Changes something.
    case write
    /// Only reads.
    case read
    /// Reads all data of an account.
    case export
    /// A capture that arrives on a socket. The server reads it later instead of refusing it.
    case capture
}

/// Marks a response that is a file's bytes, not JSON.
public enum FileContent: Sendable {}

/// A request or response without fields: `{}`.
public struct Empty: Codable, Sendable, Equatable {
    public init() {}
}
