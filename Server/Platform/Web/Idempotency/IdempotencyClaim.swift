import Core
package import Database
import Foundation
import KeepsakeWire
import Synchronization

/// A creation's answer, stored in the write that created what it tells of.
///
/// A route that takes an `Idempotency-Key` accepts only handlers that return one, and `IdempotencyClaim.keep` alone makes one: a handler that
/// does not store its answer for a retry does not compile.
package struct Kept<Output: Sendable>: Sendable {
    package let output: Output
    /// What was created: when all of it has been deleted, the stored answer is gone as well.
    package let created: [CreatedResource]
    /// The stored JSON; `nil` when the request has no key, so that nothing was stored.
    let text: String?

    fileprivate init(_ output: Output, created: [CreatedResource], text: String?) {
        self.output = output
        self.created = created
        self.text = text
    }
}

/// Something that a creation made, and that can be deleted later.
package struct CreatedResource: Sendable, Hashable {
    /// The feature's name for things of this kind, for example `mood`: 1...64 characters, unique among all features.
    package let kind: String
    /// Unique among the account's things of this kind.
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

    /// Stores the answer for the next request with the same key. Call it last in the write that creates the rows.
    /// - Parameter resources: what the write created, at least one. The write that deletes one of them must call
    ///   `IdempotencyStore.forget`.
    /// - Throws: `Problem(.conflict)` when a retry has taken the key over meanwhile; `.tooLarge` when the account's quota does not hold the
    ///   answer.
    package func keep<Output: Encodable & Sendable>(
        _ output: Output, creating resources: [CreatedResource], _ tx: WriteTransaction
    ) throws -> Kept<Output> {
        assert(!resources.isEmpty, "a creation that created nothing")
        guard let state else { return Kept(output, created: resources, text: nil) }
        let text = String(decoding: try state.surface.makeEncoder().encode(output), as: UTF8.self)
        let answer = IdempotencyStore.Answer(text: text, fingerprint: state.fingerprint.withLock { $0 }, resources: resources)
        try state.store.keep(answer, state.name, attempt: state.attempt, tx)
        return Kept(output, created: resources, text: text)
    }

    /// Whether the request's body needs a fingerprint.
    var isHeld: Bool { state != nil }

    /// Sets what was asked for, known once the body has been read.
    func identify(_ fingerprint: RequestFingerprint) { state?.fingerprint.withLock { $0 = fingerprint.text } }

    /// Frees the key after a failure. Should this fail as well, the key is free when its lease ends.
    func release() async {
        guard let state else { return }
        try? await state.store.release(state.name, attempt: state.attempt)
    }
}
