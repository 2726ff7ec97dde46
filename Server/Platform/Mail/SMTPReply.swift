/// One reply of a mail server: a code and its lines (RFC 5321 §4.2).
struct SMTPReply: Sendable, Equatable {
    let code: Int
    /// The lines without the code.
    let lines: [String]

    /// The enhanced status (RFC 3463), for example `4.7.1`; `nil` if the reply has none.
    var status: String? {
        guard let word = lines.first?.split(separator: " ").first, word.wholeMatch(of: /[245]\.\d{1,3}\.\d{1,3}/) != nil else { return nil }
        return String(word)
    }
}

/// Parses bytes into replies. It is bounded: a line or reply that is too long ends the session.
struct SMTPReplyReader: Sendable {
    /// RFC 5321 §4.5.3.1.5 allows 512 bytes; some servers send more.
    static let lineLimit = 2_048
    static let lineCountLimit = 100

    private var line: [UInt8] = []
    private var code: Int?
    private var lines: [String] = []

    /// Whether a reply is incomplete.
    var isInside: Bool { !line.isEmpty || !lines.isEmpty }

    /// - Throws: `SMTPFailure.temporary` for bytes that are not SMTP.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(SMTPFailure) -> [SMTPReply] {
        var replies: [SMTPReply] = []
        for byte in bytes {
            guard byte == 0x0A else {
                guard line.count < Self.lineLimit else { throw .temporary("the mail server sent an endless line") }
                line.append(byte)
                continue
            }
            if line.last == 0x0D { line.removeLast() }
            if let reply = try end() { replies.append(reply) }
            line = []
        }
        return replies
    }

    private mutating func end() throws(SMTPFailure) -> SMTPReply? {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(String(decoding: digits, as: UTF8.self)),
            200...599 ~= number, code == nil || code == number, line.count == 3 || line[3] == 0x20 || line[3] == 0x2D
        else { throw .temporary("the mail server does not speak SMTP") }
        guard lines.count < Self.lineCountLimit else { throw .temporary("the mail server sent an endless answer") }
        code = number
        lines.append(String(decoding: line.dropFirst(4), as: UTF8.self))
        guard line.count == 3 || line[3] == 0x20 else { return nil }
        defer { (code, lines) = (nil, []) }
        return SMTPReply(code: number, lines: lines)
    }
}
