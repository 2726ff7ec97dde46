import Core
import Foundation
import TestKit
import TestThreads
import Testing

@testable import Phone

@Suite("Phone numbers")
struct PhoneNumberTests {
    @Test(
        "the ways in which people write a number lead to one text in E.164",
        arguments: [
            ("+14155550123", nil, "+14155550123"), ("(415) 555-0123", "US", "+14155550123"), ("415.555.0123", "US", "+14155550123"),
            ("1 415 555 0123", "CA", "+14155550123"), ("+1 (415) 555-0123", "DE", "+14155550123"), ("+1/415/555/0123", nil, "+14155550123"),
            ("  +1 415 555 0123\n", nil, "+14155550123"), ("+1\u{A0}415\u{A0}555\u{A0}0123", nil, "+14155550123"),
            ("+1–415–555–0123", nil, "+14155550123"), ("\u{202A}+1 415 555 0123\u{202C}", nil, "+14155550123"),
            ("tel:+1-415-555-0123", nil, "+14155550123"), ("+1 415 555 0123 ext. 7", nil, "+14155550123"),
            ("415 555 0123 x7", "US", "+14155550123"), ("044 668 18 00", "CH", "+41446681800"), ("+41 44 668 18 00", nil, "+41446681800"),
            ("030 123456", "DE", "+4930123456"), ("+49 (0)30 123456", nil, "+4930123456"), ("06 12 34 56 78", "FR", "+33612345678"),
            // In Italy the zero belongs to the number.
            ("06 698 2345", "IT", "+39066982345"), ("+39 06 698 2345", nil, "+39066982345"),
            ("0044 20 7946 0958", "DE", "+442079460958"), ("011 44 20 7946 0958", "US", "+442079460958"),
            ("0044 20 7946 0958", "US", "+442079460958"), ("(00) 44 20 7946 0958", "GB", "+442079460958"),
            ("0044 20 7946 0958", nil, "+442079460958"), ("0033 6 12 34 56 78", "AU", "+33612345678"),
            ("mobile: 415 555 0123", "US", "+14155550123"), ("1-800-FLOWERS", "US", "+18003569377"),
            ("+1 800 flowers", nil, "+18003569377"), ("+1415555012３", nil, "+14155550123"),
            ("＋１４１５５５５０１２３", nil, "+14155550123"), ("（４１５）５５５−０１２３", "US", "+14155550123"),
            ("٠٦١٢٣٤٥٦٧٨", "FR", "+33612345678"), ("+٤٩ ٣٠ ١٢٣٤٥٦", nil, "+4930123456"), ("+800 1234 5678", nil, "+80012345678"),
            // Numbers for tests and films: no provider assigns them.
            ("+1 555 555 0100", nil, "+15555550100"), ("+44 7700 900123", nil, "+447700900123"),
        ] as [(String, String?, String)])
    func readable(_ text: String, _ region: String?, _ number: String) throws {
        #expect(try PhoneNumber.e164(text, region: region) == number)
        // The result reads as itself, in every country.
        for other in [nil, "US", "DE", "ZZ"] as [String?] { #expect(try PhoneNumber.e164(number, region: other) == number) }
    }

    @Test(
        "what is no possible number is nil",
        arguments: [
            ("", "US"), (" ", "US"), ("+", nil), ("00", "DE"), ("hello", "US"), ("🙂", "US"), ("911", "US"),
            ("12", "US"), ("0", "FR"),
            // These lack the area code or the country.
            ("555-0123", "US"), ("+1 555 0123", nil), ("(415) 555-0123", nil), ("044 668 18 00", nil),
            // A country that does not exist, in the number or as the region.
            ("+999 1234 56789", nil), ("+0 415 555 0123", nil), ("415 555 0123", "XX"), ("415 555 0123", "us"), ("415 555 0123", "USA"),
            ("415 555 0123", ""), ("415 555 0123", "U\0"), ("415 555 0123", "ÜS"), ("415 555 0123", "001"),
            // These are too long: for the country, for E.164, for a text of this kind.
            ("+1 415 555 01234", nil), ("+49123456789012345", nil), ("+1415555012345678901234567890", nil),
            (String(repeating: " ", count: 250) + "+14155550123", nil), ("+1" + String(repeating: "4", count: 1_000_000), nil),
            ("+1415\0" + "5550123", nil), ("\0+14155550123", nil), ("+14155550123\0", nil), ("+1 415 555 0123; +1 415 555 0199", nil),
            ("+1 415 555 0123\n+1 415 555 0199", nil),
        ] as [(String, String?)])
    func unreadable(_ text: String, _ region: String?) throws {
        #expect(try PhoneNumber.e164(text, region: region) == nil)
    }

    @Test(
        "a number in E.164 tells its country",
        arguments: [
            ("+14155550123", "US"), ("+16045550123", "CA"), ("+18763456789", "JM"), ("+442079460958", "GB"), ("+41446681800", "CH"),
            ("+390669821", "VA"), ("+77012345678", "KZ"), ("+4915123456789", "DE"),
            // This number fits no numbering plan, so the result is the main country of its code.
            ("+15555550100", "US"),
            // These belong to no country, or are not numbers.
            ("+80012345678", nil), ("+999123456789", nil), ("", nil), ("garbage", nil), ("4155550123", nil), ("+1", nil),
            ("+1415555\0", nil),
        ] as [(String, String?)])
    func region(_ number: String, _ region: String?) throws {
        #expect(try PhoneNumber.region(of: number) == region)
    }

    @Test("any text is a number whose text reads as itself, or nil")
    func anything() throws {
        var random = SplitMix64(seed: 17)
        let letters = Array("0123456789+()-. /xAz０٣;#*,~\u{A0}é🙂\u{0}")
        let regions = ["US", "GB", "DE", "FR", "IT", "CH", "AR", "MX", "BR", "IN", "CN", "JP", "RU", "AU", "NG", "CI", nil]
        var count = 0
        for round in 0..<6_000 {
            var text = String((0..<Int.random(in: 1...30, using: &random)).map { _ in letters.randomElement(using: &random) ?? "0" })
            if round % 2 == 0 { text = ["", "+", "00", "0"].randomElement(using: &random)! + text.filter(\.isNumber) }
            guard let number = try PhoneNumber.e164(text, region: regions.randomElement(using: &random)!) else { continue }
            count += 1
            #expect(number.wholeMatch(of: /\+[1-9][0-9]{3,14}/) != nil, "\(text.debugDescription)")
            #expect(try PhoneNumber.e164(number, region: nil) == number, "\(text.debugDescription)")
        }
        #expect(count > 200)
    }

    @Test("many tasks may read numbers at once")
    func concurrent() async throws {
        let samples: [(String, String, String)] = [
            ("(415) 555-0123", "US", "+14155550123"), ("030 123456", "DE", "+4930123456"), ("06 12 34 56 78", "FR", "+33612345678"),
            ("044 668 18 00", "CH", "+41446681800"), ("020 7946 0958", "GB", "+442079460958"), ("06 4670 2345", "IT", "+390646702345"),
            ("03-1234-5678", "JP", "+81312345678"), ("(02) 9123 4567", "AU", "+61291234567"),
        ]
        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<16 {
                group.addTask {
                    try (0..<400).count { round in
                        let (text, region, number) = samples[(round + task) % samples.count]
                        return try PhoneNumber.e164(text, region: region) != number || PhoneNumber.region(of: number) != region
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}

extension Sequence {
    fileprivate func count(where isCounted: (Element) throws -> Bool) rethrows -> Int {
        try reduce(0) { try $0 + (isCounted($1) ? 1 : 0) }
    }
}

@Suite("The library for phone numbers", .blocksThreads)
struct PhoneLibraryTests {
    @Test("it lies beside the program, and works")
    func probe() throws {
        #expect(FileManager.default.fileExists(atPath: PhoneNumber.libraryPath))
        #expect(try PhoneNumber.probe().hasPrefix("libphonenumber reads numbers"))
    }

    @Test("a library that is missing, and one without the functions, are errors that name the file")
    func missing() throws {
        let folder = try TemporaryFolder()
        let absent = #expect(throws: PhoneLibrary.Fault.self) { try PhoneLibrary(path: folder.path + "/libkeepsake-phone.so") }
        #expect(absent?.description.contains(folder.path + "/libkeepsake-phone.so") == true)
        #expect(absent?.description.contains("libphonenumber8") == true)
        try Data("no library".utf8).write(to: URL(filePath: folder.path + "/text.so"))
        #expect(throws: PhoneLibrary.Fault.self) { try PhoneLibrary(path: folder.path + "/text.so") }
        #if os(Linux)
            let other = #expect(throws: PhoneLibrary.Fault.self) { try PhoneLibrary(path: "libm.so.6") }
            #expect(other?.description.contains("libm.so.6 has no keepsake_phone_e164") == true)
        #endif
    }

    #if os(Linux)
        @Test("programs do not link libphonenumber; only the library does, and it needs nothing of Swift")
        func links() throws {
            let library = try Tool.run("ldd", [PhoneNumber.libraryPath])
            #expect(library.contains("libphonenumber") && !library.contains("libswift"), "\(library)")
            let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            #expect(try !Tool.run("ldd", [program]).contains("libphonenumber"))
        }
    #endif
}
