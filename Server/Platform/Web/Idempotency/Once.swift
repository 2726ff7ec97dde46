import Core
package import Database
import Foundation
import KeepsakeWire
import Synchronization

/// One creation's hold on its `Idempotency-Key`. Without the header it holds nothing, and `keep` does nothing.
package struct Once: Sendable {
    private let hold: Hold?

    /// No key was sent.
    static let nothing = Once(hold: nil)

    static func holding(_ store: IdempotencyStore, _ name: IdempotencyStore.Name, attempt: Int64, _ surface: Surface) -> Once {
        Once(hold: Hold(store, name, attempt, surface))
    }

    private init(hold: Hold?) { self.hold = hold }

    private final class Hold: Sendable {
        let store: IdempotencyStore
        let name: IdempotencyStore.Name
        let attempt: Int64
        let surface: Surface
        let fingerprint = Mutex("")
        let kept = Mutex<String?>(nil)

        init(_ store: IdempotencyStore, _ name: IdempotencyStore.Name, _ attempt: Int64, _ surface: Surface) {
            self.store = store
            self.name = name
            self.attempt = attempt
            self.surface = surface
        }
    }

    /// Keeps `answer` for the next request with the same key. Every creation calls it inside the write that makes the rows.
    /// - Throws: `Problem(.conflict)` when a retry has taken the key over meanwhile.
    package func keep(_ answer: some Encodable, _ tx: WriteTransaction) throws {
        guard let hold else { return }
        let bytes = try hold.surface.makeEncoder().encode(answer)
        let fingerprint = hold.fingerprint.withLock { $0 }
        let text = String(decoding: bytes, as: UTF8.self)
        try hold.store.keep(text, fingerprint: fingerprint, hold.name, attempt: hold.attempt, tx)
        hold.kept.withLock { $0 = text }
    }

    /// Whether a request's body is to be fingerprinted.
    var isHeld: Bool { hold != nil }

    /// What was asked for, known once the body has been read.
    func identify(_ fingerprint: RequestFingerprint) { hold?.fingerprint.withLock { $0 = fingerprint.text } }

    /// After the handler: what it kept, to be answered byte for byte.
    var kept: String? { hold?.kept.withLock { $0 } }

    /// After a failure. The key is free again at once; should even this fail, it is when its lease is over.
    func giveUp() async {
        guard let hold else { return }
        try? await hold.store.release(hold.name, attempt: hold.attempt)
    }
}
