import Core
import Crypto
import Hummingbird
import NIOCore

/// Identifies what a request asks for: SHA-256 over the path and the body. For a form it covers the parts instead of the bytes, because a
/// client generates a new boundary for each try.
struct RequestFingerprint: Sendable {
    let text: String

    /// - Parameter path: the path with its parameters, because the same body on another path asks for something else.
    static func json(path: String, body: ByteBuffer) -> RequestFingerprint {
        var whole = JSON(path: path)
        whole.add(body)
        return whole.finish()
    }

    /// Hashes a JSON body as it arrives.
    struct JSON {
        private var hash = SHA256()

        init(path: String) { hash.update(data: Array(path.utf8) + [0]) }

        mutating func add(_ bytes: ByteBuffer) { bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) } }

        func finish() -> RequestFingerprint { RequestFingerprint(text: Hex.encode(hash.finalize())) }
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
            // Add the part's own hash, so that bytes of one part cannot be mistaken for bytes of the next.
            case .end: hash.update(data: Array(part.finalize()))
            }
        }

        func finish() -> RequestFingerprint { RequestFingerprint(text: Hex.encode(hash.finalize())) }
    }
}
