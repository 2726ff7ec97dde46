/// What a part says about itself. All of it is the client's claim.
package struct PartHeaders: Codable, Equatable, Sendable {
    /// The form field's name, never empty, exactly as it was before the client encoded it; may hold any character but NUL.
    package var name: String
    /// The file's name on the client: a label, never a path to open. Kept as sent (slashes, backslashes, a drive letter) but for
    /// control characters, which are dropped. May be empty. nil when the part is not a file.
    package var filename: String?
    /// The `Content-Type` as sent, neither parsed nor believed; nil when absent or empty. RFC 7578 §4.4: absent means text/plain.
    package var contentType: String?

    package init(name: String, filename: String? = nil, contentType: String? = nil) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
    }
}
