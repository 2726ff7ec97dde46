import Testing
import Web

/// Tests each limit with an input at the limit and with one just beyond it.
@Suite struct MultipartLimitsTests {
    static let field = "Content-Disposition: form-data; name=a\r\n"

    @Test func `The defaults are the documented ones`() {
        #expect(MultipartParser.Limits() == MultipartParser.Limits(parts: 64, headerBytes: 16_384, paddingBytes: 64, boundaryBytes: 70))
    }

    @Test func `Sixty-four parts are taken and the sixty-fifth is refused`() {
        func body(_ count: Int) -> [UInt8] { Array((String(repeating: "--b\r\n\(Self.field)\r\nx\r\n", count: count) + "--b--").utf8) }
        #expect(multipartRefusal(body(64)) == nil)
        #expect(parseMultipart(body(64), boundary: "b").parts.count == 64)
        #expect(multipartRefusal(body(65)) == .tooManyParts(limit: 64))
        #expect(parseMultipart(body(65), boundary: "b").parts.count == 64)
    }

    @Test func `Headers of 16,384 bytes are taken, of one more refused`() {
        func body(_ headerBytes: Int) -> [UInt8] {
            let filler = "X: " + String(repeating: "y", count: headerBytes - Self.field.utf8.count - 7)
            return Array("--b\r\n\(Self.field)\(filler)\r\n\r\nx\r\n--b--".utf8)
        }
        #expect(multipartRefusal(body(16_384)) == nil)
        #expect(multipartRefusal(body(16_385)) == .headersTooLong(limit: 16_384))
        #expect(multipartRefusal(body(100_000)) == .headersTooLong(limit: 16_384))
    }

    @Test func `Many short header lines count as one long one`() {
        func body(_ lines: Int) -> [UInt8] { Array("--b\r\n\(Self.field)\(String(repeating: "X:\r\n", count: lines))\r\n\r\n--b--".utf8) }
        let most = (16_384 - Self.field.utf8.count - 2) / 4
        #expect(multipartRefusal(body(most)) == nil)
        #expect(multipartRefusal(body(most + 1)) == .headersTooLong(limit: 16_384))
    }

    @Test func `The limit on headers is each part's own`() {
        let limits = MultipartParser.Limits(headerBytes: Self.field.utf8.count + 2)
        let part = "--b\r\n\(Self.field)\r\nx\r\n"
        #expect(multipartRefusal(Array("\(part)\(part)\(part)--b--".utf8), limits: limits) == nil)
        let tighter = MultipartParser.Limits(headerBytes: Self.field.utf8.count + 1)
        #expect(multipartRefusal(Array("\(part)--b--".utf8), limits: tighter) == .headersTooLong(limit: Self.field.utf8.count + 1))
    }

    @Test func `Sixty-four spaces after a delimiter are taken, one more refused`() {
        func body(_ padding: String, _ closing: String) -> [UInt8] {
            Array("--b\(padding)\r\n\(Self.field)\r\nx\r\n--b--\(closing)\r\n".utf8)
        }
        let most = String(repeating: " \t", count: 32)
        #expect(multipartRefusal(body(most, most)) == nil)
        #expect(multipartRefusal(body(most + " ", "")) == .paddingTooLong(limit: 64))
        #expect(multipartRefusal(body("", most + "\t")) == .paddingTooLong(limit: 64))
    }

    @Test func `A boundary of 70 characters is found, split anywhere`() throws {
        let boundary = String(repeating: "z", count: 70)
        #expect(try MultipartBoundary.parse(contentType: "multipart/form-data; boundary=\(boundary)") == boundary)
        let data = "\r\n--\(boundary.dropLast())"
        let body = Array("--\(boundary)\r\n\(Self.field)\r\n\(data)\r\n--\(boundary)--".utf8)
        for cut in 0...body.count {
            #expect(parseMultipart(body, boundary: boundary, cuts: [cut]).parts.first?.data == Array(data.utf8), "cut at \(cut)")
        }
    }

    @Test func `Preamble and epilogue of any length pass and leave nothing behind`() {
        let filler = String(repeating: "not a delimiter: --b\r\n-\n-\r", count: 40_000)
        let body = Array("\(filler)\r\n--b\r\n\(Self.field)\r\nx\r\n--b--\r\n\(filler)".utf8)
        let cuts = Array(stride(from: 1_000, to: body.count, by: 1_000))
        let record = parseMultipart(body, boundary: "b", cuts: cuts) { #expect($0.withheldByteCount < 5) }
        #expect(record.entries == [.began(PartHeaders(name: "a")), .data([UInt8(ascii: "x")]), .ended, .finished])
    }
}
