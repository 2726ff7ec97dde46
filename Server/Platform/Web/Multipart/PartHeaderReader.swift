/// Reads one part's header lines as they arrive. It parses each complete line and keeps only the content of `PartHeaders`.
struct PartHeaderReader: Codable, Sendable {
    private var byteCount = 0
    private var line: [UInt8] = []
    private var sawReturn = false
    /// The headers so far. `complete` sets their `contentType`.
    private var disposition: PartHeaders?
    private var contentType: String?
    private var hasTransferEncoding = false

    /// Reads up to the empty line and returns the headers, or nil when the chunk ends first.
    mutating func receive(_ chunk: UnsafeRawBufferPointer, _ position: inout Int, limit: Int) throws -> PartHeaders? {
        while position < chunk.count {
            guard byteCount < limit else { throw MultipartError.headersTooLong(limit: limit) }
            let byte = chunk[position]
            position += 1
            byteCount += 1
            switch byte {
            case UInt8(ascii: "\n"):
                guard sawReturn else { throw MultipartError.bareLineFeed }
                sawReturn = false
                if line.isEmpty { return try complete() }
                try readLine()
                line.removeAll(keepingCapacity: true)
            case _ where sawReturn: throw MultipartError.malformedHeader(.other)
            case UInt8(ascii: "\r"): sawReturn = true
            default: line.append(byte)
            }
        }
        return nil
    }

    private func complete() throws -> PartHeaders {
        guard var headers = disposition else { throw MultipartError.missingDisposition }
        headers.contentType = contentType.flatMap { $0.isEmpty ? nil : $0 }
        return headers
    }

    private mutating func readLine() throws {
        guard String(validating: line, as: UTF8.self) != nil, !line.contains(where: Lexical.isForbiddenInValue) else {
            throw MultipartError.invalidText
        }
        // RFC 9112 §5.2: a line that begins with a space used to continue the previous one. Parsers disagree on how, so refuse it.
        guard !Lexical.isSpace(line[0]) else { throw MultipartError.foldedHeader }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[..<colon].allSatisfy(Lexical.isToken) else {
            throw MultipartError.malformedHeader(.other)
        }
        let value = Lexical.trimmed(line[(colon + 1)...])
        switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
        case "content-disposition":
            guard disposition == nil else { throw MultipartError.duplicateHeader(.contentDisposition) }
            disposition = try PartHeaders(disposition: value)
        case "content-type":
            guard contentType == nil else { throw MultipartError.duplicateHeader(.contentType) }
            contentType = String(decoding: value, as: UTF8.self)
        case "content-transfer-encoding":
            guard !hasTransferEncoding else { throw MultipartError.duplicateHeader(.contentTransferEncoding) }
            hasTransferEncoding = true
            // RFC 7578 §4.7 deprecates this header. These three values mean that the bytes are unencoded. Storing base64 undecoded would
            // store a broken file.
            // A longer value is not compared: with combining marks, it would take a time that grows with the square of its length.
            guard value.count <= 6, ["7bit", "8bit", "binary"].contains(String(decoding: value, as: UTF8.self).lowercased()) else {
                throw MultipartError.unsupportedTransferEncoding
            }
        default:
            break  // RFC 7578 §4.8: others are ignored.
        }
    }
}

extension PartHeaders {
    /// - Parameter disposition: the value of a Content-Disposition; valid UTF-8 without control characters.
    ///
    /// RFC 7578 §4.2 requires `form-data` with a name. `filename*` takes precedence over `filename` (RFC 6266 §4.3). RFC 7578 forbids
    /// `filename*`, but .NET sends it.
    fileprivate init(disposition: ArraySlice<UInt8>) throws {
        let malformed = MultipartError.malformedHeader(.contentDisposition)
        var reader = ParameterReader(disposition, quoting: .form, refusal: malformed)
        guard try reader.token() == "form-data" else { throw MultipartError.notFormDataPart }
        var values: [String: String] = [:]
        while let parameter = try reader.next() {
            var value = parameter.value
            switch parameter.name {
            case "name", "filename": break
            case "filename*":
                guard !parameter.isQuoted else { throw malformed }
                value = try ExtendedValue.decode(value, refusal: malformed)
            default: continue
            }
            guard values.updateValue(value, forKey: parameter.name) == nil else { throw malformed }
        }
        guard let name = values["name"], !name.isEmpty else { throw MultipartError.missingName }
        let filename = values["filename*"] ?? values["filename"]
        self.init(name: name, filename: filename.map(Self.label))
    }

    /// The name without control characters, which a name can contain in percent-encoding. A file name on a Mac may contain them, but a
    /// label does not need them, and the headers of a download would have to encode them again.
    private static func label(_ filename: String) -> String {
        guard filename.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return filename }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: filename.unicodeScalars.filter { $0.properties.generalCategory != .control })
        return String(kept)
    }
}
