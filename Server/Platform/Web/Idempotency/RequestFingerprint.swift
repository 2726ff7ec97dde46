import Core
import Crypto
import Hummingbird
import NIOCore

/// Tells whether two requests ask for the same: SHA-256 over the path and the body. Of a form, over its parts and not over its bytes,
/// because a client draws a new boundary for each try.
struct RequestFingerprint: Sendable {
    let text: String

    /// - Parameter path: with its parameters: the same body for another place asks for something else.
    static func json(path: String, body: ByteBuffer) -> RequestFingerprint {
        var hash = SHA256()
        hash.update(data: Array(path.utf8) + [0])
        body.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        return RequestFingerprint(text: Hex.encode(hash.finalize()))
    }

    /// Hashes a form's parts as they arrive.
    struct Form {
        private var hash = SHA256()
        private var part = SHA256()

        init(path: String) { hash.update(data: Array(path.utf8) + [0]) }

        mutating func add(_ step: FormSteps.Step) {
            switch step {
            case .begin(let headers):
                part = SHA256()
                for text in [headers.name, headers.filename ?? ""] { hash.update(data: Array(text.utf8) + [0]) }
            case .append(let bytes): bytes.withUnsafeReadableBytes { part.update(bufferPointer: $0) }
            // The part's own hash, so that no byte of one part can pass for one of the next.
            case .end: hash.update(data: Array(part.finalize()))
            }
        }

        func finish() -> RequestFingerprint { RequestFingerprint(text: Hex.encode(hash.finalize())) }
    }
}
