import Testing
import Web

@Suite struct MultipartBoundaryTests {
    private func refusal(_ contentType: String) -> MultipartError? {
        do {
            _ = try MultipartBoundary.parse(contentType: contentType)
            return nil
        } catch {
            return error as? MultipartError
        }
    }

    @Test(arguments: [
        ("multipart/form-data; boundary=abc", "abc"),
        ("Multipart/Form-Data;BOUNDARY=AbC", "AbC"),
        ("  multipart/form-data ;\t boundary=abc  ", "abc"),
        ("multipart/form-data; charset=utf-8; boundary=abc; x=\"boundary=no\"", "abc"),
        ("multipart/form-data; x=\"; boundary=no; \\\"\"; boundary=abc", "abc"),
        ("multipart/form-data; boundary=\"abc\"", "abc"),
        ("multipart/form-data; boundary=\"a b:c=d?(e),/'\"", "a b:c=d?(e),/'"),
        ("multipart/form-data; boundary=\"a\\b\\:c\"", "ab:c"),
        ("multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW", "----WebKitFormBoundary7MA4YWxkTrZu0gW"),
        ("multipart/form-data; boundary=Boundary-1B4E28BA-2FA1-11D2-883F-0016D3CCA427;", "Boundary-1B4E28BA-2FA1-11D2-883F-0016D3CCA427"),
        ("multipart/form-data;; ;boundary=-", "-"),
        ("multipart/form-data; xboundary=no; boundary='+_.-", "'+_.-"),
    ])
    func `The boundary is read however it is spelled`(contentType: String, expected: String) throws {
        #expect(try MultipartBoundary.parse(contentType: contentType) == expected)
    }

    @Test func `One to seventy characters are taken, none and seventy-one refused`() throws {
        let longest = String(repeating: "x", count: 70)
        #expect(try MultipartBoundary.parse(contentType: "multipart/form-data; boundary=\(longest)") == longest)
        #expect(refusal("multipart/form-data; boundary=\(longest)x") == .invalidBoundary)
        #expect(refusal("multipart/form-data; boundary=\"\"") == .invalidBoundary)
        let short = MultipartParser.Limits(boundaryBytes: 3)
        #expect(try MultipartBoundary.parse(contentType: "multipart/form-data; boundary=abc", limits: short) == "abc")
        #expect(throws: MultipartError.invalidBoundary) {
            try MultipartBoundary.parse(contentType: "multipart/form-data; boundary=abcd", limits: short)
        }
    }

    @Test(arguments: ["\"a \"", "\" \"", "a!", "a#b", "\"a\\\"b\"", "\"a\tb\"", "\"ü\"", "\"a;b\"", "{a}"])
    func `Characters outside the alphabet and a space at the end are refused`(value: String) {
        #expect(refusal("multipart/form-data; boundary=\(value)") == .invalidBoundary)
    }

    @Test(
        arguments: [
            ("", .malformedContentType), ("multipart", .notFormData), ("multipart/mixed; boundary=a", .notFormData),
            ("application/json", .notFormData), ("multipart/form-data2; boundary=a", .notFormData),
            ("multipart /form-data; boundary=a", .notFormData), ("multipart/form-data", .missingBoundary),
            ("multipart/form-data; charset=utf-8", .missingBoundary), ("multipart/form-data; boundary*=UTF-8''a", .missingBoundary),
            ("multipart/form-data; boundary=a; boundary=a", .duplicateBoundary),
            ("multipart/form-data; boundary=a; Boundary=\"b\"", .duplicateBoundary),
            ("multipart/form-data boundary=a", .malformedContentType), ("multipart/form-data, boundary=a", .malformedContentType),
            ("multipart/form-data; boundary", .malformedContentType), ("multipart/form-data; boundary=", .malformedContentType),
            ("multipart/form-data; boundary =a", .malformedContentType), ("multipart/form-data; boundary= a", .malformedContentType),
            ("multipart/form-data; boundary=a b", .malformedContentType), ("multipart/form-data; boundary=a:b", .malformedContentType),
            ("multipart/form-data; boundary=\"a", .malformedContentType), ("multipart/form-data; boundary=\"a\\", .malformedContentType),
            ("multipart/form-data; boundary=\"a\"b", .malformedContentType), ("multipart/form-data; boundary=ü", .malformedContentType),
            ("multipart/form-data; boundary=a; x", .malformedContentType),
            ("multipart/form-data; boundary=a, text/plain", .malformedContentType),
            ("multipart/form-data; boundary=\"a\0\"", .malformedContentType),
            ("multipart/form-data; boundary=a\r\n", .malformedContentType),
            ("multipart/form-data; boundary=\"a\nb\"", .malformedContentType),
        ] as [(String, MultipartError)])
    func `Anything else is refused`(contentType: String, expected: MultipartError) {
        #expect(refusal(contentType) == expected)
    }
}
