/// Why the server refuses a multipart body or its `Content-Type`. Contains no bytes of the body, so it may be logged.
package enum MultipartError: Error, Equatable, Sendable {
    // The request's Content-Type
    case notFormData
    case malformedContentType
    case missingBoundary
    case duplicateBoundary
    case invalidBoundary

    // Delimiters
    case malformedDelimiter
    case bareLineFeed
    case paddingTooLong(limit: Int)
    case missingTerminator

    // Parts and their headers
    case tooManyParts(limit: Int)
    case headersTooLong(limit: Int)
    case malformedHeader(PartHeader)
    case foldedHeader
    case duplicateHeader(PartHeader)
    case invalidText
    case missingDisposition
    case notFormDataPart
    case missingName
    case unsupportedTransferEncoding

    /// The parser failed earlier, or the consumer threw an error. It cannot continue.
    case spent

    /// Names the header that is wrong. It never contains the header's value.
    package enum PartHeader: String, Sendable {
        case contentDisposition = "Content-Disposition"
        case contentType = "Content-Type"
        case contentTransferEncoding = "Content-Transfer-Encoding"
        case other = "part header"
    }

    /// One sentence for the developer of the client.
    package var message: String {
        switch self {
        case .notFormData: "The Content-Type must be multipart/form-data."
        case .malformedContentType: "The Content-Type's parameters are malformed."
        case .missingBoundary: "The Content-Type has no boundary parameter."
        case .duplicateBoundary: "The Content-Type has more than one boundary parameter."
        case .invalidBoundary:
            "The boundary must be 1 to 70 letters, digits, spaces or '()+_,-./:=? without a space at its end; quote it unless it is a token."
        case .malformedDelimiter: "Only --, or a line end, may follow the boundary; choose a boundary that does not occur in the data."
        case .bareLineFeed: "Delimiters and part headers must end in CR LF, not in LF alone."
        case .paddingTooLong(let limit): "More than \(limit) spaces or tabs follow the boundary."
        case .missingTerminator: "The body ends without the closing delimiter, two dashes after the boundary."
        case .tooManyParts(let limit): "The body has more than \(limit) parts."
        case .headersTooLong(let limit): "A part's headers are longer than \(limit) bytes."
        case .malformedHeader(.other): "A part header is malformed."
        case .malformedHeader(let header): "A part's \(header.rawValue) is malformed."
        case .foldedHeader: "Part headers must not be folded over several lines."
        case .duplicateHeader(let header): "A part has more than one \(header.rawValue)."
        case .invalidText: "Part headers must be UTF-8 without control characters."
        case .missingDisposition: "A part has no Content-Disposition."
        case .notFormDataPart: "A part's Content-Disposition must be form-data."
        case .missingName: "A part's Content-Disposition has no name."
        case .unsupportedTransferEncoding: "A part's Content-Transfer-Encoding must be 7bit, 8bit or binary."
        case .spent: "The body was refused before this point."
        }
    }
}
