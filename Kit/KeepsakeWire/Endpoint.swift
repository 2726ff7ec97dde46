public import HTTPTypes

/// One call of the API, as a value that the server answers and the client sends.
///
/// `Input` is one flat struct. Its keys that stand in braces in `path` travel in the path; the others travel in the
/// query when there is no JSON body, else in the body.
public struct Endpoint<Input: Codable & Sendable, Output: Sendable>: Sendable {
    public let method: HTTPRequest.Method
    /// For example `/api/users/user/{userId}/multimedia/{id}`.
    public let path: String
    public let surface: Surface
    public let access: Access
    public let body: Body
    /// What a call costs.
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
        /// Anybody, with or without a credential.
        case anyone
        /// A credential is needed; a `{userId}` in the path must be the caller.
        case signedIn
        /// A credential as above, or a link we signed.
        case signedInOrLink
    }

    /// What the request carries.
    public enum Body: Sendable {
        case none
        /// JSON of at most this many bytes.
        case json(maxByteCount: Int = 1_048_576)
        /// multipart/form-data, read as it arrives.
        case multipart
    }
}

/// One call of the API that creates something. The client sends an `Idempotency-Key` with it and may then send it again: the server creates
/// once, and answers a repeat with its first answer.
///
/// A type of its own, so that the server cannot serve it with a handler that does not store its answer.
public struct CreationEndpoint<Input: Codable & Sendable, Output: Sendable>: Sendable {
    /// The call itself.
    public let endpoint: Endpoint<Input, Output>

    public init(
        _ method: HTTPRequest.Method, _ path: String, surface: Surface, body: Endpoint<Input, Output>.Body, rate: RateClass? = nil
    ) {
        endpoint = Endpoint(method, path, surface: surface, body: body, rate: rate)
    }
}

/// A WebSocket of the API (RFC 6455), as a value that the server answers and the client opens: with `Authorization: Bearer`, or
/// where no header can be sent with `?access_token=`.
public struct SocketEndpoint<Input: Codable & Sendable>: Sendable {
    /// For example `/ws/ios/{userId}`. Keys of `Input` that do not stand in braces travel in the query.
    public let path: String
    /// Words the refusals before the upgrade.
    public let surface: Surface

    public init(_ path: String, surface: Surface) {
        self.path = path
        self.surface = surface
    }
}

/// The kinds of request that are counted apart.
public enum RateClass: String, Sendable, CaseIterable {
    /// Guesses at a credential.
    case signIn
    /// Changes something.
    case write
    /// Only reads.
    case read
    /// Reads all that an account has.
    case export
}

/// The answer is a file's bytes, not JSON.
public enum FileContent: Sendable {}

/// An answer or a request without any field: `{}`.
public struct Empty: Codable, Sendable, Equatable {
    public init() {}
}
