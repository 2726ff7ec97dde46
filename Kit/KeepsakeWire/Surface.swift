public import Foundation

/// One of the five HTTP APIs that Keepsake implements. Each was defined by existing apps, and has a document ("the API document") that
/// describes it. The surface determines the format of dates, the format of errors, and the response for an unmatched path.
///
/// Comments number the surfaces in this order: surface 0 is `multimedia`, surface 4 is `capsules`.
public enum Surface: String, Sendable, CaseIterable {
    case multimedia, coves, chat, captures, capsules
    /// The uploads of `captures`, `/upload` and `/query-upload`, which have their own error format.
    case uploads

    /// Makes an encoder that formats dates as the existing app of this surface expects them. It sorts keys, because otherwise their order
    /// differs from process to process.
    public func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let style = dateStyle
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(WireDate.format(date, style))
        }
        return encoder
    }

    /// Makes a decoder that parses any ISO 8601 date, with or without fractions of a second.
    public func makeDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = WireDate.parse(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an ISO 8601 date")
            }
            return date
        }
        return decoder
    }

    var dateStyle: WireDate.Style {
        switch self {
        case .capsules: .microseconds
        case .chat: .wholeSeconds
        case .multimedia, .coves, .captures, .uploads: .milliseconds
        }
    }
}
