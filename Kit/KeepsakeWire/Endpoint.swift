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
    /// Something is made, so a client sends an `Idempotency-Key` with it and may then send it again.
    public let creates: Bool
    /// What a call costs.
    public let rate: RateClass

    public init(
        _ method: HTTPRequest.Method, _ path: String, surface: Surface, access: Access = .signedIn, body: Body = .none,
        creates: Bool = false, rate: RateClass? = nil
    ) {
        self.method = method
        self.path = path
        self.surface = surface
        self.access = access
        self.body = body
        self.creates = creates
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
