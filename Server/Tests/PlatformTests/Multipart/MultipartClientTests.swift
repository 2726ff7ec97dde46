import Testing
import Web

/// Parses bodies of real clients, as a whole and byte by byte.
@Suite struct MultipartClientTests {
    static let photo: [UInt8] = latin1("A\r\n--\0\u{FF}\n")

    private func parts(_ capture: (contentType: String, body: String)) throws -> [MultipartRecord.Entry] {
        let boundary = try MultipartBoundary.parse(contentType: capture.contentType)
        let body = latin1(capture.body)
        #expect(multipartRefusal(body, boundary: boundary) == nil)
        return parseMultipart(body, boundary: boundary).entries
    }

    private func part(_ headers: PartHeaders, _ data: [UInt8]) -> [MultipartRecord.Entry] {
        [.began(headers)] + (data.isEmpty ? [] : [.data(data)]) + [.ended]
    }

    @Test func `What curl sends is read`() throws {
        let expected =
            part(PartHeaders(name: "note"), Array("Hello, Würld".utf8))
            + part(PartHeaders(name: "photo", filename: "b\"q.bin", contentType: "image/jpeg"), Self.photo)
            + part(PartHeaders(name: "back", filename: "C:\\x.jpg", contentType: "image/jpeg"), [])
            + part(PartHeaders(name: "u", filename: "Grüße.txt", contentType: "text/plain"), Array("x".utf8))
        #expect(try parts(MultipartCaptures.curl) == expected + [.finished])
    }

    @Test func `What curl escapes with backslashes is read`() throws {
        let expected =
            part(PartHeaders(name: "photo", filename: "b\"q.bin", contentType: "image/jpeg"), Self.photo)
            + part(PartHeaders(name: "back", filename: "C:\\x.jpg", contentType: "image/jpeg"), [])
        #expect(try parts(MultipartCaptures.curlEscaping) == expected + [.finished])
    }

    @Test func `What Python's requests sends is read`() throws {
        let expected =
            part(PartHeaders(name: "note"), Array("Hello, Würld".utf8))
            + part(PartHeaders(name: "photo", filename: "b\"q.bin", contentType: "image/jpeg"), Self.photo)
            + part(PartHeaders(name: "u", filename: "Grüße.txt"), Array("x".utf8))
            + part(PartHeaders(name: "back", filename: "C:\\x.jpg"), [])
        #expect(try parts(MultipartCaptures.pythonRequests) == expected + [.finished])
    }

    @Test func `What Node's fetch sends is read`() throws {
        let octets = "application/octet-stream"
        let expected =
            part(PartHeaders(name: "note"), Array("line1\r\nline2".utf8)) + part(PartHeaders(name: "we\"ird\r\nname"), Array("v".utf8))
            + part(PartHeaders(name: "photo", filename: "b\"q.bin", contentType: "image/jpeg"), Self.photo)
            + part(PartHeaders(name: "u", filename: "Grüße.txt", contentType: octets), Array("x".utf8))
            + part(PartHeaders(name: "back", filename: "C:\\x.jpg", contentType: octets), [])
        #expect(try parts(MultipartCaptures.nodeFetch) == expected + [.finished])
    }

    @Test func `What the documented Swift clients build by hand is read`() throws {
        let boundary = "1B4E28BA-2FA1-11D2-883F-0016D3CCA427"
        var body = Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"image0.jpg\"\r\n".utf8)
        body += Array("Content-Type: image/jpeg\r\n\r\n".utf8) + Self.photo + Array("\r\n".utf8)
        body += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"category\"\r\n\r\nbeach\r\n".utf8)
        body += Array("--\(boundary)--\r\n".utf8)
        let expected =
            part(PartHeaders(name: "file", filename: "image0.jpg", contentType: "image/jpeg"), Self.photo)
            + part(PartHeaders(name: "category"), Array("beach".utf8))
        #expect(multipartRefusal(body, boundary: boundary) == nil)
        #expect(parseMultipart(body, boundary: boundary).entries == expected + [.finished])
    }
}
