package import Core

/// What one kind of request may carry. A value of the feature that receives it; the platform knows no feature.
package struct UploadRules: Sendable {
    /// A sort of file: where it stands in the form, how many, how large, and what it may be.
    package struct FileKind: Sendable {
        /// The names of the form's fields that carry it.
        package var fields: Set<String>
        package var maxCount: Int
        package var maxByteCount: Int64
        /// How many of the first bytes `recognise` wants to see before the rest is let in.
        package var windowByteCount: Int
        /// How many of the last bytes `conclude` wants to see.
        package var tailByteCount: Int
        /// Says from the first bytes alone whether this may become such a file; called while the rest still arrives.
        /// - Returns: what to refuse it with, or `nil`.
        package var recognise: @Sendable (_ head: [UInt8], _ isWhole: Bool) -> Problem?
        /// Says what the whole file is, by its outside.
        /// - Throws: `Problem` when it is nothing that is allowed.
        package var conclude: @Sendable (FileSample) throws -> String
        /// The content types that it may turn out to be once its inside was looked at, where there is an examiner.
        package var types: Set<String>
        /// What anything else is refused with.
        package var refusal: Problem

        package init(
            fields: Set<String>, maxCount: Int, maxByteCount: Int64, windowByteCount: Int, tailByteCount: Int, types: Set<String>,
            refusal: Problem, recognise: @escaping @Sendable ([UInt8], Bool) -> Problem?,
            conclude: @escaping @Sendable (FileSample) throws -> String
        ) {
            self.types = types
            self.refusal = refusal
            self.fields = fields
            self.maxCount = maxCount
            self.maxByteCount = maxByteCount
            self.windowByteCount = windowByteCount
            self.tailByteCount = tailByteCount
            self.recognise = recognise
            self.conclude = conclude
        }
    }

    package var kinds: [FileKind]
    /// Names of the text fields that are kept; others are read past.
    package var textFields: Set<String>
    /// A refused file is dropped and listed while the others are kept; otherwise the first refusal ends the request.
    package var keepsTheOthers: Bool
    /// What a file with a virus in it is refused with. The surfaces differ: 422, and 400 on surfaces 1 and 2.
    package var infected = Problem.Kind.unprocessable
    /// Of one text field.
    package var maxTextByteCount = 65_536

    package init(kinds: [FileKind], textFields: Set<String>, keepsTheOthers: Bool) {
        self.kinds = kinds
        self.textFields = textFields
        self.keepsTheOthers = keepsTheOthers
    }

    /// No honest request is larger: all files at their largest, all texts, and the parts' headers (64 parts of 16 KB).
    var maxBodyByteCount: Int64 {
        kinds.reduce(0) { $0 + Int64($1.maxCount) * $1.maxByteCount } + Int64(textFields.count * maxTextByteCount) + 64 * 16_384
    }
}

/// The outside of a file: enough to say what it is without reading it again.
package struct FileSample: Sendable {
    /// The first bytes, up to the kind's window.
    package let head: [UInt8]
    /// The last bytes, up to the kind's tail; may overlap `head`.
    package let tail: [UInt8]
    package let byteCount: Int64

    package init(head: [UInt8], tail: [UInt8], byteCount: Int64) {
        self.head = head
        self.tail = tail
        self.byteCount = byteCount
    }
}
