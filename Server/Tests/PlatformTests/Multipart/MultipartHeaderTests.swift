import Testing
import Web

@Suite struct MultipartHeaderTests {
    /// The parsed headers of one part with these header lines; nil if they are refused.
    private func headers(_ lines: String...) -> PartHeaders? {
        let body = Array(("--b\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\nx\r\n--b--").utf8)
        return parseMultipart(body, boundary: "b").parts.first?.headers
    }
    private func name(_ spelled: String) -> String? { headers("Content-Disposition: form-data; name=\(spelled)")?.name }
    private func filename(_ parameters: String) -> String? { headers("Content-Disposition: form-data; name=a; \(parameters)")?.filename }

    @Test func `A name is a token or a quoted string`() {
        #expect(name("photo") == "photo")
        #expect(name("photos[]") == nil)
        #expect(name("\"photos[]\"") == "photos[]")
        #expect(name("\"a; filename=b\"") == "a; filename=b")
        #expect(name("\" a \"") == " a ")
        #expect(name("\"größe 📷\"") == "größe 📷")
        #expect(name("{a}") == "{a}")
        #expect(headers("Content-Disposition: form-data; name=a")?.filename == nil)
    }

    @Test func `A backslash escapes a quote or a backslash and is itself before anything else`() {
        #expect(filename(#"filename="a\"b.jpg""#) == #"a"b.jpg"#)
        #expect(filename(#"filename="a\\b.jpg""#) == #"a\b.jpg"#)
        #expect(filename(#"filename="C:\x.jpg""#) == #"C:\x.jpg"#)
        #expect(filename(#"filename="C:\\x.jpg""#) == #"C:\x.jpg"#)
        #expect(filename(#"filename="C:\new\table\0.jpg""#) == #"C:\new\table\0.jpg"#)
        #expect(filename(#"filename="\\""#) == #"\"#)
        #expect(name(#""a\"b""#) == #"a"b"#)
    }

    @Test func `The three percent escapes of browsers are undone and no others`() {
        #expect(name(#""a%22b""#) == #"a"b"#)
        #expect(name(#""a%0D%0Ab""#) == "a\r\nb")
        #expect(name(#""100%""#) == "100%")
        #expect(name(#""%2""#) == "%2")
        #expect(name(#""%2522""#) == "%2522")
        #expect(name(#""%0d%0a%00%41%C3%BC""#) == "%0d%0a%00%41%C3%BC")
        #expect(name("a%22b") == "a%22b")
    }

    @Test func `A file name is a label: paths stay, control characters go`() {
        #expect(filename(#"filename="../../etc/passwd""#) == "../../etc/passwd")
        #expect(filename(#"filename="a%0D%0Ab.jpg""#) == "ab.jpg")
        #expect(filename("filename=\"a\tb.jpg\"") == "ab.jpg")
        #expect(filename("filename*=UTF-8''a%0D%0A%09%1B%7F%C2%85b.jpg") == "ab.jpg")
        #expect(filename("filename*=UTF-8''e%CC%81.jpg") == "e\u{301}.jpg")
        #expect(filename("filename=\"\"") == "")
    }

    @Test func `The extended file name wins wherever it stands`() {
        #expect(filename("filename=\"no.jpg\"; filename*=UTF-8''%e2%82%ac.jpg") == "€.jpg")
        #expect(filename("filename*=utf-8'en-GB'%E2%82%AC.jpg; filename=\"no.jpg\"") == "€.jpg")
        #expect(filename("FILENAME*=Iso-8859-1''Gr%FC%DFe.jpg") == "Grüße.jpg")
        #expect(filename("filename*=UTF-8''") == "")
    }

    @Test(
        arguments: [
            ("UTF-8''%00", .invalidText), ("UTF-8''a%FF", .invalidText), ("UTF-8''%C3", .invalidText), ("ISO-8859-1''%00", .invalidText),
            ("UTF-16''a", .malformedHeader(.contentDisposition)), ("''a", .malformedHeader(.contentDisposition)),
            ("a.jpg", .malformedHeader(.contentDisposition)), ("UTF-8'a", .malformedHeader(.contentDisposition)),
            ("UTF-8''a'b", .malformedHeader(.contentDisposition)), ("UTF-8'e_n'a", .malformedHeader(.contentDisposition)),
            ("UTF-8''a%", .malformedHeader(.contentDisposition)), ("UTF-8''a%2", .malformedHeader(.contentDisposition)),
            ("UTF-8''a%2G", .malformedHeader(.contentDisposition)), ("UTF-8''a*b", .malformedHeader(.contentDisposition)),
            ("\"UTF-8''a\"", .malformedHeader(.contentDisposition)), ("UTF-8''ü", .malformedHeader(.contentDisposition)),
        ] as [(String, MultipartError)])
    func `A broken extended file name is refused`(value: String, expected: MultipartError) {
        #expect(multipartRefusal(onePart("Content-Disposition: form-data; name=a; filename*=\(value)")) == expected)
    }

    @Test func `Header and parameter names come in any case, any order, with any spacing`() {
        let expected = PartHeaders(name: "a", filename: "b.jpg", contentType: "image/jpeg; q=\"1\"")
        #expect(headers("content-disposition:form-data;name=a;filename=b.jpg", "CONTENT-TYPE:image/jpeg; q=\"1\"") == expected)
        #expect(
            headers("cOnTeNt-TyPe: \t image/jpeg; q=\"1\" \t", "X: y", "Content-Disposition:\tFORM-Data ; \t FileName=b.jpg ;NAME=\"a\" ;")
                == expected)
    }

    @Test func `An empty Content-Type counts as none`() {
        #expect(headers("Content-Type: ", "Content-Disposition: form-data; name=a") == PartHeaders(name: "a"))
    }

    @Test(arguments: ["7bit", "8BIT", "Binary"])
    func `An encoding that leaves the bytes alone is taken`(encoding: String) {
        #expect(headers("Content-Transfer-Encoding: \(encoding)", "Content-Disposition: form-data; name=a") == PartHeaders(name: "a"))
    }
}
