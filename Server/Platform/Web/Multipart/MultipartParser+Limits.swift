extension MultipartParser {
    /// Limits for one body. The preamble, data and epilogue have no limit here, because the parser does not store them. The caller limits
    /// the size of the body.
    package struct Limits: Codable, Equatable, Sendable {
        /// The most parts in a body, at least 1; default 64. The number is our own choice: a form has a handful of fields and photos.
        package var parts: Int
        /// The most bytes of one part's header lines with their line ends, including the empty line; default 16,384. The number is our own
        /// choice: it is a common limit for the headers of a whole request.
        package var headerBytes: Int
        /// The most spaces and tabs between a delimiter and its line end; default 64. RFC 2046 §5.1.1 forbids senders to send them, but
        /// lets gateways add any number.
        package var paddingBytes: Int
        /// The most bytes in a boundary; default 70, the most that RFC 2046 §5.1.1 allows.
        package var boundaryBytes: Int

        package init(parts: Int = 64, headerBytes: Int = 16 * 1_024, paddingBytes: Int = 64, boundaryBytes: Int = 70) {
            self.parts = parts
            self.headerBytes = headerBytes
            self.paddingBytes = paddingBytes
            self.boundaryBytes = boundaryBytes
        }
    }
}
