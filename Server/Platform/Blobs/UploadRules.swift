package import Core

/// The texts and files that one kind of request may carry. The feature that receives the request defines it.
package struct UploadRules: Sendable {
    /// A kind of file: its form fields, the most files, their size, and their allowed types.
    package struct FileKind: Sendable {
        /// The form fields that may carry it.
        package var fields: Set<String>
        package var maxCount: Int
        package var maxByteCount: Int64
        /// The number of first bytes that `recognise` needs before the rest is accepted.
        package var windowByteCount: Int
        /// The number of last bytes that `conclude` needs.
        package var tailByteCount: Int
        /// Checks the first bytes of a file, while the rest still arrives. `isWhole`: the file has no further bytes.
        /// - Returns: the refusal, or `nil` when the file may be of this kind.
        package var recognise: @Sendable (_ head: [UInt8], _ isWhole: Bool) -> Problem?
        /// Determines the content type of the complete file from its first and last bytes.
        /// - Throws: `Problem` when the type is not allowed.
        package var conclude: @Sendable (FileSample) throws -> String
        /// The content types that the examiner may find, if there is an examiner.
        package var types: Set<String>
        /// The refusal for any other content type.
        package var refusal: Problem
        /// Checks a file's name before any of its bytes are accepted. By default every name is accepted.
        /// - Returns: the refusal, or `nil` when the name is accepted.
        package var checkName: @Sendable (_ fileName: String?) -> Problem? = { _ in nil }

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
    /// The text fields that are kept; others are ignored.
    package var textFields: Set<String>
    /// The fields among `textFields` that contain values separated by commas. A form may repeat such a field. If it repeats another field,
    /// only the first one counts.
    package var listFields: Set<String> = []
    /// `true`: a refused file is dropped and listed while the others are kept. `false`: the first refusal ends the request.
    package var keepsTheOthers: Bool
    /// The problem kind for an infected file: 422 by default, 400 on surfaces 1 and 2.
    package var infected = Problem.Kind.unprocessable
    /// The most bytes of one text field.
    package var maxTextByteCount = 65_536
    /// The most bytes of the whole body, a whole number of megabytes; `nil` allows all files and texts at their largest.
    package var requestByteCount: Int64?

    package init(kinds: [FileKind], textFields: Set<String>, keepsTheOthers: Bool) {
        self.kinds = kinds
        self.textFields = textFields
        self.keepsTheOthers = keepsTheOthers
    }

    /// The largest legitimate request: all files and texts at their largest, and the parts' headers (64 parts of 16 KB), but at most
    /// `requestByteCount`.
    var maxBodyByteCount: Int64 {
        let most = kinds.reduce(0) { $0 + Int64($1.maxCount) * $1.maxByteCount } + Int64(textFields.count * maxTextByteCount) + 64 * 16_384
        return min(most, requestByteCount ?? most)
    }
}

/// The first and last bytes of a file, from which its type can be determined without reading it again.
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
