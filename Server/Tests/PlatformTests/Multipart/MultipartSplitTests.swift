import Foundation
import TestKit
import Testing
import Web

/// One body with all difficult cases, cut at every position.
@Suite struct MultipartSplitTests {
    static let boundary = "gc0p4Jq0M:2Yt08jU534c0p =_?"

    /// Byte sequences that begin like a delimiter but are none.
    static let nearDelimiters =
        "\r" + "\r\n" + "\r\n-" + "\r\n--" + "\r\n--gc0p4" + "\r\n--\(boundary.dropLast())" + "\r\r\n--gc0p" + "\n\n--gc0p"
        + "\n--\(boundary.dropLast())"
        + "\r\n--\r\n-\r\n\r" + "--\(boundary)" + "\0" + "--\(boundary)--"

    static let body: [UInt8] = {
        let d = "--\(boundary)"
        var body = Array("A preamble\r\nof two lines, --\(boundary) not at the start\r\n-\r".utf8)
        body += Array(("\r\n" + d + " \t \r\n").utf8)
        body += Array("Content-Disposition: form-data; name=\"quoted \\\"name\\\"\"\r\n\r\n\(nearDelimiters)\r\n\(d)\r\n".utf8)
        body += Array("content-type:image/jpeg\r\nCONTENT-DISPOSITION:FORM-DATA;NAME=token;FileName=token.jpg\r\n\r\n".utf8)
        body += [0xFF, 0xD8, 0x00, 0x0D] + Array("\r\n\(d)\r\n".utf8)
        body += Array(
            "X-Other: ignored\r\ncontent-disposition:  form-data ;  filename=\"no.jpg\" ; filename*=UTF-8'de'Gr%C3%BC%c3%9fe.jpg".utf8)
        body += Array("; unknown=\"a;b\" ;; name=empty \t\r\n\r\n\r\n\(d)\t\r\n".utf8)
        body += Array(
            "Content-Disposition: form-data; name=\"größe 📷 100%22\"\r\nContent-Transfer-Encoding: Binary\r\n\r\n\r\n\r\n\r\n".utf8)
        body += Array("\(d)\r\nContent-Disposition: form-data; name=onlyHeaders; filename=\"C:\\x.jpg\"\r\n\r\n".utf8)
        body += Array("\(d)\r\nContent-Disposition: form-data; name=likeness\r\n\r\n--\(boundary.dropLast())\r\n".utf8)
        body += Array("\(d)-- \t\r\nAn epilogue\r\n\(d)\r\nwhich is ignored\n\(d)X".utf8)
        return body
    }()

    static let expected: [(PartHeaders, [UInt8])] = [
        (PartHeaders(name: "quoted \"name\""), Array(nearDelimiters.utf8)),
        (PartHeaders(name: "token", filename: "token.jpg", contentType: "image/jpeg"), [0xFF, 0xD8, 0x00, 0x0D]),
        (PartHeaders(name: "empty", filename: "Grüße.jpg"), []),
        (PartHeaders(name: "größe 📷 100\""), Array("\r\n\r\n".utf8)),
        (PartHeaders(name: "onlyHeaders", filename: "C:\\x.jpg"), []),
        (PartHeaders(name: "likeness"), Array("--\(boundary.dropLast())".utf8)),
    ]

    static var expectedRecord: MultipartRecord {
        var record = MultipartRecord()
        for (headers, data) in expected {
            record.entries.append(.began(headers))
            if !data.isEmpty { record.entries.append(.data(data)) }
            record.entries.append(.ended)
        }
        record.entries.append(.finished)
        return record
    }

    @Test func `The awkward body in one chunk gives what it says`() {
        #expect(parseMultipart(Self.body, boundary: Self.boundary) == Self.expectedRecord)
    }

    @Test func `Cut in two at every index it gives the same`() {
        for cut in 0...Self.body.count {
            let record = parseMultipart(Self.body, boundary: Self.boundary, cuts: [cut])
            #expect(record == Self.expectedRecord, "cut at \(cut)")
        }
    }

    @Test func `Byte by byte it gives the same`() {
        #expect(parseMultipart(Self.body, boundary: Self.boundary, cuts: Array(0..<Self.body.count)) == Self.expectedRecord)
    }

    @Test func `At ten thousand random double cuts it gives the same`() {
        var random = SplitMix64(seed: 1)
        let expected = Self.expectedRecord
        for _ in 0..<10_000 {
            let cuts = [Int.random(in: 0...Self.body.count, using: &random), Int.random(in: 0...Self.body.count, using: &random)].sorted()
            let record = parseMultipart(Self.body, boundary: Self.boundary, cuts: cuts)
            #expect(record == expected, "cut at \(cuts)")
        }
    }

    @Test func `In pieces of every size up to a delimiter it gives the same`() {
        for size in 1...(Self.boundary.utf8.count + 5) {
            let cuts = Array(stride(from: size, to: Self.body.count, by: size))
            #expect(parseMultipart(Self.body, boundary: Self.boundary, cuts: cuts) == Self.expectedRecord, "pieces of \(size)")
        }
    }

    @Test func `Stored and read back at every index it goes on where it stood`() {
        for cut in 0...Self.body.count {
            var coded = 0
            let record = parseMultipart(Self.body, boundary: Self.boundary, cuts: [cut]) { parser in
                do {
                    let stored = try JSONEncoder().encode(parser)
                    coded = max(coded, stored.count)
                    parser = try JSONDecoder().decode(MultipartParser.self, from: stored)
                } catch {
                    Issue.record(error)
                }
            }
            #expect(record == Self.expectedRecord, "stored at \(cut)")
            #expect(coded < 2_048, "stored at \(cut)")
        }
    }

    @Test func `A body cut short anywhere before its last dash is refused`() throws {
        let closing = Array("\r\n--\(Self.boundary)--".utf8)
        let end = try #require(Self.body.indices.last { Self.body[$0...].starts(with: closing) }) + closing.count
        for length in 0..<end {
            #expect(parseMultipart(Array(Self.body[..<length]), boundary: Self.boundary).refusal == .missingTerminator, "\(length) bytes")
        }
        #expect(parseMultipart(Array(Self.body[..<end]), boundary: Self.boundary).refusal == nil)
    }
}
