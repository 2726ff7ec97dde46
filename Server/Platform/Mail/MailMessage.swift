package import Core
internal import Foundation

/// A plain-text mail and its encoding (RFC 5322, RFC 2045 to 2047).
package struct MailMessage: Sendable {
    package let from: MailSender
    package let to: MailAddress
    package let subject: String
    /// Lines end with `\n`.
    package let text: String
    package let date: Timestamp
    /// Identifies the mail. It is the same for each attempt to send the mail, so that a server that gets the mail twice, because its reply
    /// was lost, can detect that.
    package let id: String

    /// - Parameter id: ASCII letters, digits and dashes.
    /// - Throws: `SMTPFailure.permanent` when the subject is not one line of at most 200 bytes, or the id has other characters.
    package init(from: MailSender, to: MailAddress, subject: String, text: String, date: Timestamp, id: String) throws {
        let isPlain = subject.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        guard isPlain, subject.utf8.count <= 200 else { throw SMTPFailure.permanent("a subject must be one line of at most 200 bytes") }
        guard !id.isEmpty, id.utf8.allSatisfy(Self.isIdentifier) else {
            throw SMTPFailure.permanent("a mail's id must consist of letters, digits and dashes")
        }
        self.from = from
        self.to = to
        self.subject = subject
        self.text = text
        self.date = date
        self.id = id
    }

    /// The mail as sent, before dot-stuffing: every line ends with CRLF and has at most 998 bytes.
    var bytes: [UInt8] {
        let sender = from.name.map { "\(Self.phrase($0)) <\(from.address.text)>" } ?? from.address.text
        let head = [
            "From: \(sender)", "To: \(to.text)", "Subject: \(Self.unstructured(subject))", "Date: \(Self.format(date))",
            "Message-ID: <\(id)@\(from.address.domain)>", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable", "Auto-Submitted: auto-generated",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + Self.quotedPrintable(text)
    }

    // MARK: Headers

    private static func isIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: byte == UInt8(ascii: "-")
        }
    }

    private static func unstructured(_ text: String) -> String {
        text.utf8.allSatisfy { 0x20..<0x7F ~= $0 } && !text.contains("=?") ? text : encodedWords(text)
    }

    private static func phrase(_ name: String) -> String {
        guard name.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }), !name.contains("=?") else { return encodedWords(name) }
        return "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// RFC 2047 §2: each word has at most 75 characters, and no character is split between words.
    private static func encodedWords(_ text: String) -> String {
        var words: [String] = []
        var piece: [UInt8] = []
        for character in text.unicodeScalars {
            let bytes = Array(String(character).utf8)
            if piece.count + bytes.count > 45 {
                words.append(Data(piece).base64EncodedString())
                piece = []
            }
            piece += bytes
        }
        if !piece.isEmpty { words.append(Data(piece).base64EncodedString()) }
        return words.map { "=?utf-8?B?\($0)?=" }.joined(separator: "\r\n ")
    }

    /// A date in the format of RFC 5322 §3.3: `Mon, 1 Jun 2026 12:00:00 +0000`.
    static func format(_ time: Timestamp) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = Date(timeIntervalSince1970: Double(time.seconds))
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = "\(days[(parts.weekday ?? 1) - 1]), \(parts.day ?? 1) \(months[(parts.month ?? 1) - 1]) \(parts.year ?? 1970)"
        return "\(day) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) +0000"
    }

    // MARK: Body

    /// RFC 2045 §6.7: ASCII lines of at most 76 characters.
    static func quotedPrintable(_ text: String) -> [UInt8] {
        let hex = Array("0123456789ABCDEF".utf8)
        var out: [UInt8] = []
        for line in text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false) {
            let bytes = Array(line.utf8)
            var length = 0
            for (index, byte) in bytes.enumerated() {
                let isLast = index + 1 == bytes.count
                let isPlain = 0x21...0x7E ~= byte && byte != UInt8(ascii: "=") || (byte == 0x20 || byte == 0x09) && !isLast
                let piece = isPlain ? [byte] : [UInt8(ascii: "="), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
                if length + piece.count > 75 {
                    out += Array("=\r\n".utf8)
                    length = 0
                }
                out += piece
                length += piece.count
            }
            out += [0x0D, 0x0A]
        }
        return out
    }
}
