import Foundation

/// A file that a JSON object contains as a base64 string.
struct EmbeddedFile: Sendable {
    /// The key of the member, for example `coverPhoto`.
    var member: String
    var file: URL

    init(_ member: String, _ file: URL) {
        self.member = member
        self.file = file
    }

    init?(_ member: String, _ file: URL?) {
        guard let file else { return nil }
        self.init(member, file)
    }

    /// Bytes of the file that are encoded at a time: a multiple of three, so that the encodings join without padding.
    private static let pieceByteCount = 196_608

    /// Writes the body to a file, once, so that each attempt sends the same bytes. Its memory use does not grow with the file.
    /// - Parameter json: an object with the other members.
    func compose(in output: URL, with json: Data) throws {
        guard json.first == UInt8(ascii: "{"), json.last == UInt8(ascii: "}") else {
            throw KeepsakeError(.invalidRequest, "The input is not an object.")
        }
        let input = try FileHandle(forReadingFrom: file)
        defer { try? input.close() }
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        defer { try? handle.close() }
        let rest = json.dropFirst().dropLast()
        try handle.write(contentsOf: Data("{".utf8) + rest + Data("\(rest.isEmpty ? "" : ",")\"\(member)\":\"".utf8))
        var isAtEnd = false
        while !isAtEnd {
            try MultipartForm.pool {
                let piece = try input.read(upToCount: Self.pieceByteCount) ?? Data()
                // `read` returns fewer bytes only at the end of the file.
                isAtEnd = piece.count < Self.pieceByteCount
                try handle.write(contentsOf: piece.base64EncodedData())
            }
        }
        try handle.write(contentsOf: Data("\"}".utf8))
    }
}
