package import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import KeepsakeWire
import NIOCore

/// Implements `Idempotency-Key` for every endpoint that creates. For 30 days (`KEEPSAKE_IDEMPOTENCY_DAYS`), a repeat by the same account on
/// the same route gets the first response. It gets 409 while the first request is in progress, 422 if it has another body, and 410 once
/// everything that the first request created has been deleted.
package struct Idempotency: Sendable {
    let store: IdempotencyStore

    package init(store: IdempotencyStore) { self.store = store }

    /// Runs a creation, or repeats its first response.
    /// - Throws: `Problem(.conflict)` while the first request with the key is in progress, `.unprocessable` when this request differs from
    ///   the first, `.gone` when everything that the first created has been deleted, `.invalid` for a malformed key.
    func run<Input, Output>(
        _ request: Request, _ json: ByteBuffer?, _ endpoint: Endpoint<Input, Output>, _ context: inout WebContext,
        _ create: (WebContext) async throws -> Response
    ) async throws -> Response {
        guard let viewer = context.viewer, let key = try Self.key(in: request.headers) else { return try await create(context) }
        let name = IdempotencyStore.Name(account: viewer.accountID, route: "\(endpoint.method.rawValue) \(endpoint.path)", key: key)
        switch try await store.claim(name) {
        case .inFlight:
            throw Problem(.conflict, "A request with this Idempotency-Key is in progress. Try again shortly.", retryAfter: .seconds(1))
        case .deleted:
            // This does not depend on the request's body, because the fingerprint of the first request has been deleted.
            throw Problem.createdByKeyDeleted
        case .answered(let kept):
            let fingerprint = try await Self.fingerprint(request, json, endpoint.body, context)
            guard fingerprint.text == kept else { throw Problem.keyOfOtherRequest }
            // The response may be long, and the client may send its body slowly. So the response is read only now.
            guard let answer = try await store.answer(name) else { throw Problem.createdByKeyDeleted }
            return Self.replay(answer)
        case .granted(let attempt):
            let claim = IdempotencyClaim(store, name, attempt: attempt, endpoint.surface)
            if let json { claim.identify(.json(path: request.uri.path, body: json)) }
            context.idempotency = claim
            do {
                return try await create(context)
            } catch {
                await claim.release()
                throw error
            }
        }
    }

    /// - Returns: `nil` for a request without a key.
    /// - Throws: `.invalid` for a malformed key.
    static func key(in fields: HTTPFields) throws -> String? {
        guard let key = fields[.idempotencyKey] else { return nil }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(.invalid, "An Idempotency-Key has 1 to 255 visible ASCII characters.", field: "Idempotency-Key")
        }
        return key
    }

    private static func fingerprint<Input, Output>(
        _ request: Request, _ json: ByteBuffer?, _ body: Endpoint<Input, Output>.Body, _ context: WebContext
    ) async throws -> RequestFingerprint {
        if let json { return .json(path: request.uri.path, body: json) }
        if case .jsonWithFiles(let limit) = body { return try await IncomingJSON.fingerprint(of: request, context, upTo: limit) }
        return try await IncomingForm(request: request, context: context).fingerprint()
    }

    /// Repeats the first response.
    private static func replay(_ answer: String) -> Response {
        var response = response(answer)
        response.headers[.idempotencyReplayed] = "true"
        return response
    }

    /// - Parameter json: a stored response.
    static func response(_ json: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
    }
}

/// A feature that derives ids from keys (`idFromIdempotencyKey`) detects repeats itself, and throws the same errors.
extension Problem {
    package static let createdByKeyDeleted = Problem(
        .gone, "What this Idempotency-Key created has been deleted. Use a new key for each thing you create.", field: "Idempotency-Key")
    package static let keyOfOtherRequest = Problem(
        .unprocessable, "This Idempotency-Key was used for another request. Use a new key for each thing you create.",
        field: "Idempotency-Key")
}

extension WebContext {
    /// An id made of the request's `Idempotency-Key`, for a route whose clients may choose the ids of what they create: 64 hex digits.
    /// - Returns: `nil` for a request without a key.
    /// - Throws: `.invalid` for a malformed key.
    package func idFromIdempotencyKey() throws -> String? {
        try Idempotency.key(in: fields).map { Hex.encode(SHA256.hash(data: Array($0.utf8))) }
    }
}

extension HTTPField.Name {
    static let idempotencyKey = Self("Idempotency-Key")!
    /// Marks a response that repeats an earlier one.
    static let idempotencyReplayed = Self("Idempotency-Replayed")!
}
