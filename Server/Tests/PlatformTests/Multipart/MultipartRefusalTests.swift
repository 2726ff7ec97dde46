import Testing
import Web

@Suite struct MultipartRefusalTests {
    static let field = "Content-Disposition: form-data; name=a"

    private func refusal(_ text: String) -> MultipartError? { multipartRefusal(Array(text.utf8)) }

    // MARK: Delimiters

    @Test func `A body of nothing but the closing delimiter has no parts`() {
        for body in ["--b--", "--b--\r\n", "\r\n--b--", "preamble\r\n--b--\r\nepilogue"] {
            #expect(parseMultipart(Array(body.utf8), boundary: "b").entries == [.finished])
            #expect(refusal(body) == nil)
        }
    }

    @Test func `Without the closing delimiter it is refused`() {
        for body in [
            "", "-", "--b", "--b-", "--b\r\n", "--b\r\n\(Self.field)\r\n\r\nx", "--b\r\n\(Self.field)\r\n\r\nx\r\n--b\r\n", "--c--\r\n",
            "x--b--",
        ] {
            #expect(refusal(body) == .missingTerminator, "\(body.debugDescription)")
        }
    }

    @Test(arguments: ["X", "-X", "-\r\n", " X", " --", "\t-", "\rX", "\r\r\n", "\0"])
    func `A line that begins like a delimiter is refused`(tail: String) {
        #expect(refusal("--b\(tail)\r\n--b--") == .malformedDelimiter)
        #expect(refusal("--b\r\n\(Self.field)\r\n\r\nx\r\n--b\(tail)\r\n--b--") == .malformedDelimiter)
    }

    @Test(arguments: ["X", "-", "-\r\n", " X", "\rX", "\r"])
    func `After the closing delimiter only the end of its line may stand`(tail: String) {
        #expect(refusal("--b--\(tail)") == .malformedDelimiter)
    }

    @Test func `The part before a look-alike is never told as ended`() {
        let record = parseMultipart(Array("--b\r\n\(Self.field)\r\n\r\nx\r\n--bX\r\n--b--".utf8), boundary: "b")
        #expect(record.entries == [.began(PartHeaders(name: "a")), .data([UInt8(ascii: "x")])])
    }

    @Test func `Line feeds without carriage returns are refused, in delimiters and headers`() {
        let f = Self.field
        for body in [
            "--b\n\(f)\n\nx\n--b--\n", "--b\r\n\(f)\n\r\nx\r\n--b--", "--b\r\n\(f)\r\n\nx\r\n--b--", "--b \n", "--b--\n", "--b-- \n",
            "\n--b\r\n\(f)\r\n\r\nx\r\n--b--", "preamble\n--b\r\n\(f)\r\n\r\nx\r\n--b--", "--b\r\n\(f)\r\n\r\nx\n--b--\r\n",
            "--b\r\n\(f)\r\n\r\nx\n--b\r\n\(f)\r\n\r\ny\r\n--b--\r\n", "--b\r\n\(f)\r\n\r\n\n--b--", "--b\r\n\(f)\r\n\r\nx\r\n\n--b--",
        ] {
            #expect(refusal(body) == .bareLineFeed, "\(body.debugDescription)")
        }
    }

    @Test func `Line feeds in the data are data`() {
        let record = parseMultipart(onePart(Self.field, data: "a\nb\n\n--\n-\n--c"), boundary: "b")
        #expect(record.parts.first?.data == Array("a\nb\n\n--\n-\n--c".utf8))
    }

    // MARK: Headers

    @Test(
        arguments: [
            ("Content-Disposition", .malformedHeader(.other)),
            (": form-data", .malformedHeader(.other)),
            ("Content-Disposition : form-data; name=a", .malformedHeader(.other)),
            ("X y: z", .malformedHeader(.other)),
            ("X\rY: z", .malformedHeader(.other)),
            ("Grüße: z", .malformedHeader(.other)),
            ("--b", .malformedHeader(.other)),
            (" X: folded", .foldedHeader),
            ("\tX: folded", .foldedHeader),
            ("X: a\0b", .invalidText),
            ("X: a\u{1}b", .invalidText),
            ("X: a\u{7F}b", .invalidText),
            ("Content-Disposition: form-data; name=\"a\0\"", .invalidText),
            ("Content-Transfer-Encoding: base64", .unsupportedTransferEncoding),
            ("Content-Transfer-Encoding: quoted-printable", .unsupportedTransferEncoding),
            ("Content-Transfer-Encoding:", .unsupportedTransferEncoding),
        ] as [(String, MultipartError)])
    func `A broken header line is refused`(line: String, expected: MultipartError) {
        #expect(multipartRefusal(onePart(line, Self.field)) == expected)
        #expect(multipartRefusal(onePart(Self.field, line)) == expected)
    }

    @Test func `A header that is not UTF-8 is refused`() {
        for broken in ["\u{FF}", "\u{C3}", "\u{C0}\u{80}", "\u{ED}\u{A0}\u{80}", "Gr\u{FC}\u{DF}e"] {
            let body = latin1("--b\r\nContent-Disposition: form-data; name=\"\(broken)\"\r\n\r\n\r\n--b--")
            #expect(multipartRefusal(body) == .invalidText)
            #expect(multipartRefusal(latin1("--b\r\nX: \(broken)\r\n\(Self.field)\r\n\r\n\r\n--b--")) == .invalidText)
        }
    }

    @Test func `A part without Content-Disposition is refused`() {
        #expect(multipartRefusal(onePart("Content-Type: text/plain")) == .missingDisposition)
        #expect(multipartRefusal(onePart()) == .missingDisposition)
    }

    @Test(arguments: ["attachment; name=a", "inline", "form-data2; name=a", "file; filename=x"])
    func `A disposition other than form-data is refused`(value: String) {
        #expect(multipartRefusal(onePart("Content-Disposition: \(value)")) == .notFormDataPart)
    }

    @Test(arguments: ["form-data", "form-data;", "form-data; filename=x.jpg", "form-data; name=\"\"", "form-data; name*=UTF-8''a"])
    func `A part without a name is refused`(value: String) {
        #expect(multipartRefusal(onePart("Content-Disposition: \(value)")) == .missingName)
    }

    @Test(arguments: [
        "", "; name=a", "\"form-data\"; name=a", "form-data name=a", "form-data; name", "form-data; name=", "form-data; name =a",
        "form-data; name= a", "form-data; name=a b", "form-data; name=a/b", "form-data; name=größe", "form-data; name=\"a",
        "form-data; name=\"a\\", "form-data; name=\"a\\\"", "form-data; name=\"a\"b", "form-data; name=\"a\" b", "form-data; =a",
        "form-data; name=a; name=a", "form-data; name=a; NAME=b", "form-data; name=a; filename=x; filename=y",
        "form-data; name=a; filename*=UTF-8''x; filename*=UTF-8''y", "form-data; name=a, form-data; name=b",
    ])
    func `A broken disposition is refused`(value: String) {
        #expect(multipartRefusal(onePart("Content-Disposition: \(value)")) == .malformedHeader(.contentDisposition))
    }

    @Test func `A header that counts must not come twice`() {
        let type = "Content-Type: text/plain"
        let encoding = "Content-Transfer-Encoding: 8bit"
        #expect(multipartRefusal(onePart(Self.field, Self.field.uppercased())) == .duplicateHeader(.contentDisposition))
        #expect(multipartRefusal(onePart(type, Self.field, type.lowercased())) == .duplicateHeader(.contentType))
        #expect(multipartRefusal(onePart("Content-Type:", Self.field, type)) == .duplicateHeader(.contentType))
        #expect(multipartRefusal(onePart(encoding, encoding, Self.field)) == .duplicateHeader(.contentTransferEncoding))
        #expect(multipartRefusal(onePart("X: 1", Self.field, "X: 2")) == nil)
    }

    // MARK: After a refusal

    @Test func `A parser that refused refuses everything after`() {
        var parser = MultipartParser(boundary: "b")
        func feed(_ text: String, into parser: inout MultipartParser) throws {
            try Array(text.utf8).withUnsafeBytes { try parser.receive($0) { _ in } }
        }
        #expect(throws: MultipartError.malformedDelimiter) { try feed("--bX", into: &parser) }
        #expect(throws: MultipartError.spent) { try feed("--b--", into: &parser) }
        #expect(throws: MultipartError.spent) { try parser.finish() }
    }

    @Test func `A consumer's error comes through and spends the parser`() {
        struct DiskFull: Error {}
        var parser = MultipartParser(boundary: "b")
        #expect(throws: DiskFull.self) {
            try onePart(Self.field).withUnsafeBytes { try parser.receive($0) { if case .data = $0 { throw DiskFull() } } }
        }
        #expect(throws: MultipartError.spent) { try parser.finish() }
    }

    @Test func `Every refusal has a sentence that names no bytes of the body`() {
        let all: [MultipartError] = [
            .notFormData, .malformedContentType, .missingBoundary, .duplicateBoundary, .invalidBoundary, .malformedDelimiter, .bareLineFeed,
            .paddingTooLong(limit: 64), .missingTerminator, .tooManyParts(limit: 64), .headersTooLong(limit: 16_384),
            .malformedHeader(.other),
            .malformedHeader(.contentDisposition), .foldedHeader, .duplicateHeader(.contentType), .invalidText, .missingDisposition,
            .notFormDataPart, .missingName, .unsupportedTransferEncoding, .spent,
        ]
        #expect(Set(all.map(\.message)).count == all.count)
        for error in all { #expect(error.message.hasSuffix(".") && error.message.count > 20) }
    }
}
