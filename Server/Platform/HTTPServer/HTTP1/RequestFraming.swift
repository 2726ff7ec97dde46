import Core

/// The framing of an HTTP/1 request: where its body ends, and whether the connection stays open. It is read strictly from the bytes of the
/// head, before any other parser sees them, so that only one rule decides where a request ends (RFC 9112 §11.2). It refuses heads that two
/// parsers could read differently.
struct RequestFraming: Equatable {
    enum Body: Equatable {
        case none
        /// Content-Length, in bytes.
        case length(Int)
        case chunked
    }

    private(set) var body = Body.none
    /// Whether the client waits for `100 Continue`.
    private(set) var expectsContinue = false
    /// Whether no further request comes on this connection (RFC 9112 §9.3).
    private(set) var closes = false
    /// Whether this is a GET with `Upgrade: websocket` and `Connection: upgrade`, without a body (RFC 6455 §4.1).
    private(set) var mayUpgrade = false
    /// The `upgrade` options of Connection fields, as byte offsets in the head.
    private(set) var upgradeOptions: [Range<Int>] = []

    /// - Parameter head: the bytes from the method up to and including the empty line (CRLF CRLF).
    /// - Throws: `Problem`: `.invalid`, `.headersTooLarge` or `.uriTooLong`.
    init(head: UnsafeRawBufferPointer, limits: ChannelLimits) throws(Problem) {
        var lines = HeadLines(bytes: head)
        let line = try RequestLine(head, try lines.next() ?? 0..<0)
        guard !CombiningMarks.areTooMany(in: head),
            !CombiningMarks.areTooMany(inPercentEncoded: UnsafeRawBufferPointer(rebasing: head[line.target]))
        else { throw CombiningMarks.problem(in: "The head of the request") }
        var fields = Fields(isOld: line.isOld)
        var count = 0
        while let range = try lines.next(), !range.isEmpty {
            count += 1
            guard count <= limits.headerFieldCount else {
                throw Problem(.headersTooLarge, "The head of the request has more than \(limits.headerFieldCount) fields.")
            }
            guard range.count <= limits.headerFieldByteCount else {
                throw Problem(.headersTooLarge, "A field of the head is larger than \(limits.headerFieldByteCount) bytes.")
            }
            try fields.take(head, range)
        }
        try line.checkTarget(head, host: fields.host)
        if fields.isChunked {
            guard fields.length == nil else { throw Problem(.invalid, "Send either Content-Length or Transfer-Encoding, not both.") }
            guard !line.isOld else { throw Problem(.invalid, "HTTP/1.0 does not allow Transfer-Encoding.") }
            body = .chunked
        } else if let length = fields.length, length > 0 {
            body = .length(length)
        }
        expectsContinue = fields.expectsContinue && !line.isOld && body != .none
        closes = fields.closes || (line.isOld && !fields.keepsAlive)
        upgradeOptions = fields.upgradeOptions
        mayUpgrade = line.isGet && !line.isOld && body == .none && fields.namesWebSocket && !upgradeOptions.isEmpty && !closes
    }

    /// The fields that determine the framing, as far as they have been read.
    private struct Fields {
        let isOld: Bool
        var host: Range<Int>?
        var length: Int?
        var isChunked = false
        var expectsContinue = false
        var closes = false
        var keepsAlive = false
        var namesWebSocket = false
        var upgradeOptions: [Range<Int>] = []

        init(isOld: Bool) { self.isOld = isOld }

        mutating func take(_ head: UnsafeRawBufferPointer, _ line: Range<Int>) throws(Problem) {
            guard let colon = head[line].firstIndex(of: UInt8(ascii: ":")) else {
                throw Problem(.invalid, "A line of the head is not a field: it has no colon.")
            }
            // This also refuses line folding (obs-fold) and blanks before the colon (RFC 9112 §5.1, §5.2).
            guard colon > line.lowerBound, head[line.lowerBound..<colon].allSatisfy(HeadByte.isToken) else {
                throw Problem(.invalid, "The name of a field contains a character that is not allowed.")
            }
            let value = head.trimmed(colon + 1..<line.upperBound)
            switch colon - line.lowerBound {
            case 4 where head.spells("host", line.lowerBound):
                guard host == nil else { throw Problem(.invalid, "There is more than one Host.", field: "Host") }
                guard head[value].isAuthority else { throw Problem(.invalid, "The Host field is not a valid host.", field: "Host") }
                host = value
            case 14 where head.spells("content-length", line.lowerBound):
                // Refuse even two equal values: a proxy in front of the server may have read the other one.
                guard length == nil else { throw Problem(.invalid, "There is more than one Content-Length.", field: "Content-Length") }
                length = try Self.length(head[value])
            case 17 where head.spells("transfer-encoding", line.lowerBound):
                guard !isChunked, value.count == 7, head.spells("chunked", value.lowerBound) else {
                    throw Problem(.invalid, "The only supported Transfer-Encoding is chunked, once.", field: "Transfer-Encoding")
                }
                isChunked = true
            case 10 where head.spells("connection", line.lowerBound): connection(head, value)
            case 7 where head.spells("upgrade", line.lowerBound):
                for option in head.options(value) where option.count == 9 && head.spells("websocket", option.lowerBound) {
                    namesWebSocket = true
                }
            case 6 where head.spells("expect", line.lowerBound):
                if value.count == 12, head.spells("100-continue", value.lowerBound) { expectsContinue = true }
            default: break
            }
        }

        private static func length(_ digits: Slice<UnsafeRawBufferPointer>) throws(Problem) -> Int {
            // 15 digits reach a petabyte; longer numbers could overflow in later arithmetic.
            guard !digits.isEmpty, digits.count <= 15, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
                throw Problem(.invalid, "Content-Length is not a number of bytes.", field: "Content-Length")
            }
            return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }

        private mutating func connection(_ head: UnsafeRawBufferPointer, _ value: Range<Int>) {
            for option in head.options(value) {
                switch option.count {
                case 5 where head.spells("close", option.lowerBound): closes = true
                case 7 where head.spells("upgrade", option.lowerBound): upgradeOptions.append(option)
                case 10 where head.spells("keep-alive", option.lowerBound): keepsAlive = true
                default: break
                }
            }
        }
    }
}

/// The lines of a head. Each ends with CRLF; CR and LF occur nowhere else.
private struct HeadLines {
    let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// - Throws: `Problem(.invalid)` for a control character, NUL, or a bare CR or LF.
    mutating func next() throws(Problem) -> Range<Int>? {
        guard position < bytes.count else { return nil }
        var end = position
        while end < bytes.count, HeadByte.isText(bytes[end]) { end += 1 }
        guard end + 1 < bytes.count, bytes[end] == 13, bytes[end + 1] == 10 else {
            throw Problem(.invalid, "The head of the request contains a control character, or a line that does not end with CRLF.")
        }
        defer { position = end + 2 }
        return position..<end
    }
}

/// The first line of a request, for example `GET /path HTTP/1.1`.
private struct RequestLine {
    let target: Range<Int>
    /// Whether the version is HTTP/1.0.
    let isOld: Bool
    let isGet: Bool
    let isOptions: Bool

    init(_ head: UnsafeRawBufferPointer, _ line: Range<Int>) throws(Problem) {
        let blank = UInt8(ascii: " ")
        guard let first = head[line].firstIndex(of: blank), let second = head[(first + 1)..<line.upperBound].firstIndex(of: blank),
            line.upperBound - second == 9, head[second + 1] == UInt8(ascii: "H"), head.spells("http/1.", second + 1),
            head[second + 8] == UInt8(ascii: "0") || head[second + 8] == UInt8(ascii: "1")
        else { throw Problem(.invalid, "The request is not valid HTTP/1.1.") }
        let method = line.lowerBound..<first
        target = (first + 1)..<second
        guard !method.isEmpty, head[method].allSatisfy(HeadByte.isToken) else { throw Problem(.invalid, "The method is not valid.") }
        guard !target.isEmpty, head[target].allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }) else {
            throw Problem(.invalid, "The request target contains a character that must be percent-encoded.")
        }
        isOld = head[second + 8] == UInt8(ascii: "0")
        isGet = head[method].elementsEqual("GET".utf8)
        isOptions = head[method].elementsEqual("OPTIONS".utf8)
        guard !head[method].elementsEqual("CONNECT".utf8) else { throw Problem(.invalid, "This server is not a proxy.") }
    }

    /// Checks that the target is a path, `*` for OPTIONS, or an absolute URL whose host equals the Host field (RFC 9112 §3.2).
    func checkTarget(_ head: UnsafeRawBufferPointer, host: Range<Int>?) throws(Problem) {
        guard host != nil || isOld else { throw Problem(.invalid, "Host is missing.", field: "Host") }
        if head[target.lowerBound] == UInt8(ascii: "/") { return }
        if target.count == 1, head[target.lowerBound] == UInt8(ascii: "*"), isOptions { return }
        for scheme in ["http://", "https://"] where target.count > scheme.utf8.count && head.spells(scheme, target.lowerBound) {
            let start = target.lowerBound + scheme.utf8.count
            let end = head[start..<target.upperBound].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? target.upperBound
            guard let host, head.sameText(start..<end, host) else {
                throw Problem(.invalid, "The request target and the Host field name different hosts.", field: "Host")
            }
            return
        }
        throw Problem(.invalid, "The request target is neither a path nor a URL.")
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes at `start` equal `text`, ignoring case. `text` must be in lower case.
    fileprivate func spells(_ text: StaticString, _ start: Int) -> Bool {
        guard start + text.utf8CodeUnitCount <= count else { return false }
        return text.withUTF8Buffer { letters in
            for (offset, letter) in letters.enumerated() where HeadByte.lowercased(self[start + offset]) != letter { return false }
            return true
        }
    }

    fileprivate func spells(_ text: String, _ start: Int) -> Bool {
        guard start + text.utf8.count <= count else { return false }
        for (offset, letter) in text.utf8.enumerated() where HeadByte.lowercased(self[start + offset]) != letter { return false }
        return true
    }

    fileprivate func sameText(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { HeadByte.lowercased(self[$0]) == HeadByte.lowercased(self[$1]) }
    }

    /// The range without spaces and tabs at its ends.
    fileprivate func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, HeadByte.isBlank(self[start]) { start += 1 }
        while start < end, HeadByte.isBlank(self[end - 1]) { end -= 1 }
        return start..<end
    }

    /// The elements of a list (RFC 9110 §5.6.1), without empty elements.
    fileprivate func options(_ value: Range<Int>) -> [Range<Int>] {
        var options: [Range<Int>] = []
        var start = value.lowerBound
        while start <= value.upperBound {
            let end = self[start..<value.upperBound].firstIndex(of: UInt8(ascii: ",")) ?? value.upperBound
            let option = trimmed(start..<end)
            if !option.isEmpty { options.append(option) }
            start = end + 1
        }
        return options
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Whether the characters form `host`, `host:port` or `[address]:port` (RFC 3986 §3.2.2).
    fileprivate var isAuthority: Bool {
        guard !isEmpty else { return false }
        var rest = self
        if first == UInt8(ascii: "[") {
            guard let end = firstIndex(of: UInt8(ascii: "]")) else { return false }
            guard
                self[index(after: startIndex)..<end].allSatisfy({
                    HeadByte.isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
                })
            else { return false }
            rest = self[index(after: end)...]
        } else {
            let end = firstIndex(of: UInt8(ascii: ":")) ?? endIndex
            guard end > startIndex, self[startIndex..<end].allSatisfy(HeadByte.isHostCharacter) else { return false }
            rest = self[end...]
        }
        guard let colon = rest.first else { return true }
        return colon == UInt8(ascii: ":") && rest.dropFirst().allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}
