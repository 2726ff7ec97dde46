import Core
import NIOCore

/// Checks that a body whose type is not stated begins as a JSON object. Takes the body in chunks, and reads each blank at its beginning
/// once, however small the chunks are.
struct JSONBeginning {
    /// Whether nothing is left to check: the type is stated, or the first byte that is not a blank has arrived and was `{`.
    private var isKnown: Bool

    init(of fields: PlainFields) { isKnown = fields != .unstated }

    /// - Parameter chunk: the bytes that follow those of the last call.
    /// - Throws: `.invalid` for a body whose type is not stated and that is not a JSON object.
    mutating func take(_ chunk: ByteBuffer) throws {
        guard !isKnown, let first = PlainFields.first(of: chunk) else { return }
        guard first == UInt8(ascii: "{") else { throw Self.refused }
        isKnown = true
    }

    /// Call it at the end of the body.
    /// - Throws: `.invalid` for a body whose type is not stated and that is empty or contains only blanks.
    func finish() throws {
        guard isKnown else { throw Self.refused }
    }

    private static let refused = Problem(
        .invalid, "Content-Type is missing; it must be \(PlainFields.acceptedTypes).", field: "Content-Type")
}
