import Core
import Crypto
import Foundation
import TestKit
import Testing

@Suite("Encodings, ids and signatures")
struct EncodingTests {
    @Test("base64url agrees with Foundation at every length, and refuses other spellings")
    func base64URL() {
        for count in 0...70 {
            let bytes = Entropy.system.bytes(count)
            let text = Base64URL.encode(bytes)
            let expected = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(text == expected)
            #expect(Base64URL.decode(text) == bytes)
        }
        for wrong in ["A", "AA=", "A+", "A/", "AB", "AAB", "A A", "é"] { #expect(Base64URL.decode(wrong) == nil, "\(wrong)") }
    }

    @Test("hexadecimal encodes and decodes, in either case")
    func hex() {
        #expect(Hex.encode([0, 255, 16]) == "00ff10")
        #expect(Hex.decode("00FF10") == [0, 255, 16])
        for wrong in ["0", "0g", " 00"] { #expect(Hex.decode(wrong) == nil) }
    }

    @Test("percent-encoding leaves only unreserved characters, and slashes if the caller keeps them")
    func percentEncoding() {
        #expect(PercentEncoding.encode("aZ09-._~") == "aZ09-._~")
        #expect(PercentEncoding.encode("apple|a b/ä") == "apple%7Ca%20b%2F%C3%A4")
        #expect(PercentEncoding.encode("a+b/c", keepingSlashes: true) == "a%2Bb/c")
    }

    @Test("a time on a clock of a time zone becomes an instant, also near a change of the clocks")
    func localTimes() throws {
        let samples = [
            ("Europe/Berlin", "2025-01-01T12:00:00Z", "2025-01-01T11:00:00Z"),
            ("Europe/Berlin", "2025-07-01T00:30:00Z", "2025-06-30T22:30:00Z"),
            ("Europe/Berlin", "2025-03-30T01:30:00Z", "2025-03-30T00:30:00Z"),
            ("Europe/Berlin", "2025-03-30T03:30:00Z", "2025-03-30T01:30:00Z"),
            ("Europe/Berlin", "2025-10-26T01:30:00Z", "2025-10-25T23:30:00Z"),
            ("Europe/Berlin", "2025-10-26T03:30:00Z", "2025-10-26T02:30:00Z"),
            ("America/New_York", "2025-03-09T01:30:00Z", "2025-03-09T06:30:00Z"),
            ("America/New_York", "2025-03-09T03:30:00Z", "2025-03-09T07:30:00Z"),
            ("America/New_York", "2025-11-02T02:30:00Z", "2025-11-02T07:30:00Z"),
        ]
        for (name, shown, expected) in samples {
            let zone = try #require(TimeZone(identifier: name))
            let clock = Timestamp(try Date(shown, strategy: .iso8601))
            let instant = Timestamp(try Date(expected, strategy: .iso8601))
            #expect(clock.local(in: zone) == instant, "\(name) \(shown)")
        }
    }

    @Test("ids are version 7, differ, and sort by the time they were made")
    func identifiers() throws {
        let clock = TestClock()
        let identifiers = Identifiers(clock: clock.wall, entropy: .system)
        var made: [String] = []
        for _ in 0..<100 {
            made.append(identifiers.next())
            clock.advance(by: .milliseconds(1))
        }
        #expect(made == made.sorted() && Set(made).count == 100)
        let id = try #require(UUID(uuidString: made[0])).uuidString.lowercased()
        #expect(id == made[0])
        #expect(id.dropFirst(14).first == "7" && "89ab".contains(id.dropFirst(19).first!))
        #expect(Int64(id.replacing("-", with: "").prefix(12), radix: 16) == TestClock().now.milliseconds)
    }

    @Test("a signature is valid only for its parts, its purpose and its key")
    func signs() {
        let signer = Signer(key: [UInt8](repeating: 7, count: 32))
        let signature = signer.sign(["ab", "c"], purpose: "link")
        #expect(signer.isGenuine(signature, of: ["ab", "c"], purpose: "link"))
        #expect(!signer.isGenuine(signature, of: ["a", "bc"], purpose: "link"))
        #expect(!signer.isGenuine(signature, of: ["ab", "c"], purpose: "cursor"))
        #expect(!signer.isGenuine(signature, of: ["ab", "c", ""], purpose: "link"))
        #expect(!signer.isGenuine(Array(signature.dropLast()), of: ["ab", "c"], purpose: "link"))
        #expect(!signer.isGenuine([], of: ["ab", "c"], purpose: "link"))
        #expect(!Signer(key: [UInt8](repeating: 8, count: 32)).isGenuine(signature, of: ["ab", "c"], purpose: "link"))
    }

    @Test("a signature is a standard HMAC, for keys of any length")
    func standardSeals() {
        for length in [0, 1, 32, 63, 64, 65, 200] {
            let key = Entropy.system.bytes(length)
            let message = Signer.message(["GET", "/ö", ""], purpose: "link")
            #expect(message.count == 4 * 8 + 4 + 3 + 3)
            let others = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key))
            let signer = Signer(key: key)
            #expect(signer.derive(["GET", "/ö", ""], purpose: "link") == Array(others))
            #expect(signer.sign(["GET", "/ö", ""], purpose: "link") == Array(others.prefix(16)))
            for split in [0, 1, message.count - 1, message.count] {
                var letters = [UInt8](repeating: 0, count: 22)
                letters.withUnsafeMutableBufferPointer { letters in
                    message[split...].withUnsafeBytes { signer.following(message[..<split]).sign($0, base64URL: letters) }
                }
                #expect(String(decoding: letters, as: UTF8.self) == Base64URL.encode(others.prefix(16)))
            }
        }
    }

    @Test("secrets print as dots, in every kind of description")
    func secrets() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(Signer(key: Array("hunter2".utf8)))"] {
            #expect(!text.contains("hunter2") && text.contains("•••"))
        }
    }

    @Test("a line is trimmed, bounded and free of NUL")
    func lines() throws {
        #expect(try TextRules.line(" \u{2003}a b\n", field: "f", max: 3) == "a b")
        #expect(try TextRules.optionalLine("  ", field: "f", max: 3) == nil)
        #expect(TextRules.prefix("e\u{301}é!", 3) == "e\u{301}é" && TextRules.prefix("ab", 3) == "ab")
        #expect(throws: Problem(.invalid, "f is longer than 3 characters.", field: "f")) { try TextRules.line("abcd", field: "f", max: 3) }
        #expect(throws: Problem.self) { try TextRules.line("a\u{0}b", field: "f", max: 9) }
    }

    @Test(
        "visible ASCII at both ends of a line leaves it as it is, also beside other characters",
        arguments: ["a", "a b", "a\u{301}b", "e\u{A0}\u{2003}e", "\u{600}a", "!~"])
    func untouched(_ text: String) throws {
        #expect(try TextRules.line(text, field: "f", max: 9) == text)
        #expect(try TextRules.line(" \(text)\u{2028}", field: "f", max: 9) == text)
    }

    @Test(
        "a list of texts is the JSON of Foundation's encoder, and is read back",
        arguments: [
            [], [""], ["sea", "walk"], ["Grüße", "🌊", "a/b", "e\u{301}", "\u{2028}"], ["a \"b\"", "c\\d"], ["\n", "\u{1}\u{7F}"],
            [",", "],["],
        ] as [[String]])
    func lists(_ texts: [String]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        #expect(TextList.encode(texts) == String(decoding: try encoder.encode(texts), as: UTF8.self))
        #expect(try TextList.decode(TextList.encode(texts)) == texts)
    }

    @Test("times before 1970 round towards the past")
    func timestamps() {
        #expect(Timestamp(microseconds: -1).milliseconds == -1)
        #expect(Timestamp(microseconds: -1_000).milliseconds == -1)
        #expect(Timestamp(microseconds: 1_999).milliseconds == 1)
        #expect(Timestamp(microseconds: -1).daysSince1970 == -1 && Timestamp(seconds: 86_399).daysSince1970 == 0)
        #expect(Timestamp(daysSince1970: -1) == Timestamp(seconds: -86_400))
        #expect(Timestamp(seconds: 5) + .milliseconds(1) - Timestamp(seconds: 5) == .milliseconds(1))
    }

    @Test("no calculation with a time overflows: it ends at the first or at the last instant")
    func endsOfTime() {
        let (first, last) = (Timestamp(microseconds: .min), Timestamp(microseconds: .max))
        #expect(last + .seconds(1) == last && last - .seconds(-1) == last && last + .seconds(Int64.max) == last)
        #expect(first - .seconds(1) == first && first + .seconds(-1) == first && first - .seconds(Int64.max) == first)
        #expect(last - first == .microseconds(Int64.max) - .microseconds(Int64.min) && first - last < .zero)
        #expect((last - first).wholeMicroseconds == .max && (first - last).wholeMicroseconds == .min)
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max && Duration.seconds(Int64.min).wholeMilliseconds == .min)
        #expect(Timestamp(seconds: .max) == last && Timestamp(seconds: .min) == first)
        #expect(Timestamp(milliseconds: .max) == last && Timestamp(milliseconds: .min) == first)
        #expect(Timestamp(daysSince1970: .max) == last && Timestamp(daysSince1970: .min) == first)
        #expect(first.milliseconds == -9_223_372_036_854_776 && first.seconds == -9_223_372_036_855)
        #expect(last.milliseconds == 9_223_372_036_854_775 && last.seconds == 9_223_372_036_854)
        #expect(Timestamp(last.date) == last && Timestamp(first.date) == first)
    }
}
