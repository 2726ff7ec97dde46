import Core
package import Database
import Foundation
import KeepsakeWire
import Synchronization
import WireJSON

/// The response to a creation, stored in the write that created the resources it describes.
///
/// A route that accepts an `Idempotency-Key` accepts only handlers that return a `Kept`, and only `IdempotencyClaim.keep` and
/// `keepNothing` make one. So a handler that forgets to store its response for a retry does not compile.
package struct Kept<Output: Sendable>: Sendable {
    package let output: Output
    /// The resources that the request created. When all of them have been deleted, the stored response is deleted as well. Empty when
    /// nothing was created.
    package let created: [CreatedResource]
    /// The stored JSON; `nil` when nothing was stored: the request has no key, or created nothing.
    let text: String?

    fileprivate init(_ output: Output, created: [CreatedResource], text: String?) {
        self.output = output
        self.created = created
        self.text = text
    }
}

/// A resource that a creation made and that can be deleted later.
package struct CreatedResource: Sendable, Hashable {
    /// The feature's name for the kind of resource, for example `mood`: 1...64 characters, unique among all features.
    package let kind: String
    /// Unique among the account's resources of this kind.
    package let id: String

    package init(kind: String, id: String) {
        self.kind = kind
        self.id = id
    }
}

/// A creation's claim on its `Idempotency-Key`. Without the header there is no claim, and `keep` stores nothing.
package struct IdempotencyClaim: Sendable {
    private let state: State?

    /// The request has no key.
    static let none = IdempotencyClaim(state: nil)

    init(_ store: IdempotencyStore, _ name: IdempotencyStore.Name, attempt: Int64, _ surface: Surface) {
        self.init(state: State(store, name, attempt, surface))
    }

    private init(state: State?) { self.state = state }

    private final class State: Sendable {
        let store: IdempotencyStore
        let name: IdempotencyStore.Name
        let attempt: Int64
        let surface: Surface
        let fingerprint = Mutex("")

        init(_ store: IdempotencyStore, _ name: IdempotencyStore.Name, _ attempt: Int64, _ surface: Surface) {
            self.store = store
            self.name = name
            self.attempt = attempt
            self.surface = surface
        }
    }

    /// Stores the response for a retry with the same key. Call it last in the write that creates the rows.
    /// - Parameter resources: what the write created, at least one. The write that deletes one of them must call `IdempotencyStore.forget`.
    /// - Throws: `Problem(.conflict)` when a retry has taken over the key meanwhile; `.tooLarge` when the response exceeds the account's
    ///   quota.
    package func keep<Output: Encodable & Sendable>(
        _ output: Output, creating resources: [CreatedResource], _ tx: WriteTransaction
    ) throws -> Kept<Output> {
        assert(!resources.isEmpty, "a creation that created nothing")
        guard let state else { return Kept(output, created: resources, text: nil) }
        let text = try Self.json(output, state.surface)
        let answer = IdempotencyStore.Answer(text: text, fingerprint: state.fingerprint.withLock { $0 }, resources: resources)
        try state.store.keep(answer, state.name, attempt: state.attempt, tx)
        return Kept(output, created: resources, text: text)
    }

    /// Frees the key and stores no response, so a retry runs again. Call it last in a write that created nothing.
    ///
    /// A stored response must belong to a resource, and the deletion of the resource deletes it. Here that would be a resource that existed
    /// before, and a client could add any number of responses to it.
    package func keepNothing<Output: Sendable>(_ output: Output, _ tx: WriteTransaction) throws -> Kept<Output> {
        if let state { try tx.send(IdempotencyStore.release(state.name, attempt: state.attempt)) }
        return Kept(output, created: [], text: nil)
    }

    /// The response as JSON, the same as for a request without a key.
    private static func json(_ output: some Encodable, _ surface: Surface) throws -> String {
        if let output = output as? any JSONWritable { return try output.withJSON { String(decoding: $0, as: UTF8.self) } }
        return String(decoding: try surface.makeEncoder().encode(output), as: UTF8.self)
    }

    /// Whether the request has an `Idempotency-Key`. Then its body needs a fingerprint, to tell a retry from a different request.
    var isHeld: Bool { state != nil }

    /// Sets the fingerprint of the request, which is known once the body has been read.
    func identify(_ fingerprint: RequestFingerprint) { state?.fingerprint.withLock { $0 = fingerprint.text } }

    /// Releases the key after a failure. If this fails as well, the key becomes free when its lease ends.
    func release() async {
        guard let state else { return }
        try? await state.store.release(state.name, attempt: state.attempt)
    }
}
