/// The boundary in a request's `Content-Type`.
package enum MultipartBoundary {
    /// Parses `multipart/form-data; boundary=…`. Type, subtype and parameter names may have any case. Parameters may have any order; those
    /// other than `boundary` are ignored. The value is a token or a quoted string (RFC 2045 §5.1).
    ///
    /// - Returns: 1...70 characters of RFC 2046's `bchars`; the last is not a space.
    /// - Throws: `.notFormData`, `.malformedContentType`, `.missingBoundary`, `.invalidBoundary`; `.duplicateBoundary` even when both are
    ///   equal, because a proxy in front of the server may parse the header differently.
    package static func parse(contentType: String, limits: MultipartParser.Limits = .init()) throws -> String {
        let bytes = Array(contentType.utf8)
        var reader = ParameterReader(bytes[...], quoting: .standard, refusal: .malformedContentType)
        guard !bytes.contains(where: Lexical.isForbiddenInValue) else { throw MultipartError.malformedContentType }
        guard try reader.token() == "multipart", reader.skip(UInt8(ascii: "/")), try reader.token() == "form-data" else {
            throw MultipartError.notFormData
        }
        var boundary: String?
        while let parameter = try reader.next() {
            guard parameter.name == "boundary" else { continue }
            guard boundary == nil else { throw MultipartError.duplicateBoundary }
            boundary = parameter.value
        }
        guard let boundary else { throw MultipartError.missingBoundary }
        guard isValid(boundary, limit: limits.boundaryBytes) else { throw MultipartError.invalidBoundary }
        return boundary
    }

    /// RFC 2046 §5.1.1: `boundary := 0*69<bchars> bcharsnospace`.
    static func isValid(_ boundary: String, limit: Int) -> Bool {
        let bytes = boundary.utf8
        return 1...max(1, limit) ~= bytes.count && bytes.allSatisfy(isBoundaryCharacter) && bytes.last != UInt8(ascii: " ")
    }

    private static func isBoundaryCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: punctuation.contains(byte)
        }
    }

    private static let punctuation = Array("'()+_,-./:=? ".utf8)
}
