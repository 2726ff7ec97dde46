extension MultipartParser {
    /// What one body may ask for. Whatever has no limit here (preamble, data, epilogue) is passed over or handed out as it comes
    /// and never kept; how long a body may be at all is the caller's to say.
    package struct Limits: Codable, Equatable, Sendable {
        /// Parts in a body, at least 1; default 64. Ours: a mood is a handful of fields and photos.
        package var parts: Int
        /// Bytes of one part's header lines with their line ends, the empty line included; default 16,384. Ours: what HTTP servers
        /// commonly allow a whole request.
        package var headerBytes: Int
        /// Spaces and tabs between a delimiter and its line end; default 64. RFC 2046 §5.1.1 lets gateways add them, without bound,
        /// and forbids senders to.
        package var paddingBytes: Int
        /// Bytes in a boundary; default 70, the most RFC 2046 §5.1.1 allows.
        package var boundaryBytes: Int

        package init(parts: Int = 64, headerBytes: Int = 16 * 1_024, paddingBytes: Int = 64, boundaryBytes: Int = 70) {
            self.parts = parts
            self.headerBytes = headerBytes
            self.paddingBytes = paddingBytes
            self.boundaryBytes = boundaryBytes
        }
    }
}
