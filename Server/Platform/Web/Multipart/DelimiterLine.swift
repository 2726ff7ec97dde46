/// The rest of a line after `--boundary` or `--boundary--`.
///
/// RFC 2046 §5.1.1: `delimiter transport-padding CRLF`, or `delimiter "--" transport-padding [CRLF epilogue]`. Anything else, such as
/// `--boundaryX`, is data that begins like a delimiter, which the RFC forbids. Servers disagree on whether such a line ends the part. A
/// wrong guess would store a truncated file or two files as one, so the parser refuses the body. A client that generates random boundaries
/// never sends such a line.
struct DelimiterLine: Codable, Sendable {
    private var dashes = 0
    private var padding = 0
    private(set) var sawReturn = false

    enum Outcome {
        case undecided
        /// Two dashes have come, so no part follows.
        case closes
        /// The line has ended.
        case ends
    }

    /// - Parameter isClosing: whether the line has already had the two dashes that close the body.
    mutating func receive(_ byte: UInt8, isClosing: Bool, paddingLimit: Int) throws -> Outcome {
        switch byte {
        case UInt8(ascii: "\n"):
            guard sawReturn else { throw dashes == 0 ? MultipartError.bareLineFeed : .malformedDelimiter }
            return .ends
        case _ where sawReturn:
            throw MultipartError.malformedDelimiter
        case UInt8(ascii: "-") where !isClosing && padding == 0:
            dashes += 1
            return dashes == 2 ? .closes : .undecided
        case _ where dashes > 0:
            throw MultipartError.malformedDelimiter
        case UInt8(ascii: " "), UInt8(ascii: "\t"):
            padding += 1
            guard padding <= paddingLimit else { throw MultipartError.paddingTooLong(limit: paddingLimit) }
            return .undecided
        case UInt8(ascii: "\r"):
            sawReturn = true
            return .undecided
        default:
            throw MultipartError.malformedDelimiter
        }
    }
}
