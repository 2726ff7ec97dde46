import HTTPTypes

extension HTTPFields {
    /// Response fields that have few different values. HTTP/2's encoder may add them to the connection's table (RFC 7541 §2.3.2).
    private static let repeatedFields: Set<HTTPField.Name> = [
        .acceptRanges, .accessControlAllowCredentials, .accessControlAllowHeaders, .accessControlExposeHeaders, .accessControlMaxAge,
        .contentSecurityPolicy, .strictTransportSecurity, .vary, .xContentTypeOptions,
        HTTPField.Name("Cross-Origin-Opener-Policy")!, HTTPField.Name("Cross-Origin-Resource-Policy")!,
        HTTPField.Name("Permissions-Policy")!, HTTPField.Name("Referrer-Policy")!, HTTPField.Name("X-Accel-Buffering")!,
    ]

    /// Keeps all other fields out of HTTP/2's table of fields.
    ///
    /// The client sets the size of that table, up to 4 GB, and NIO offers no upper limit. NIO compares each field with every entry. So a
    /// table that grows with each response, for example by its `X-Request-Id`, would cost memory and time on the event loop.
    mutating func indexOnlyRepeatedFields() {
        for index in startIndex..<endIndex where !Self.repeatedFields.contains(self[index].name) {
            self[index].indexingStrategy = .avoid
        }
    }
}
