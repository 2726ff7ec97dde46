/// The headers of a part. All values are the client's claims; none is verified.
package struct PartHeaders: Codable, Equatable, Sendable {
    /// The form field's name; never empty. The original text, before the client encoded it; may contain any character except NUL.
    package var name: String
    /// The file's name on the client: a label, never a path to open. As sent (with slashes, backslashes, a drive letter), but without
    /// control characters. May be empty. nil when the part is not a file.
    package var filename: String?
    /// The `Content-Type` as sent, neither parsed nor trusted; nil when absent or empty. RFC 7578 §4.4: absent means text/plain.
    package var contentType: String?

    package init(name: String, filename: String? = nil, contentType: String? = nil) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
    }
}
