import Core
import Foundation
import TestKit
import Testing

@testable import Web

@Suite("Signed links of a page")
struct LinkSeriesTests {
    @Test(
        "a link of a series equals the link signed alone",
        arguments: ["/files/", "/api/users/user/ad%20a/multimedia/files/"])
    func same(_ folder: String) {
        let clock = TestClock()
        let links = SignedLinks(
            publicURL: { "https://k.example" }, signer: Signer(key: Entropy.system.bytes(32)), lifetimeDays: 7, clock: clock.wall)
        let series = links.series(in: folder)
        let names = (0..<50).map { _ in UUID().uuidString.lowercased() } + ["", "a", String(repeating: "b", count: 35), "ünï/\(UUID())"]
        for name in names { #expect(series.link(name) == links.signed(folder + name)) }
        for name in names {
            var bytes: [UInt8] = []
            Array(name.utf8).withUnsafeBufferPointer { name in series.withLink(name) { bytes += $0 } }
            #expect(String(decoding: bytes, as: UTF8.self) == links.signed(folder + name))
        }
        #expect(Set(names.map(series.link)).count == names.count)
    }

    @Test(
        "the token of an Authorization field is found, with any case of the scheme and any number of blanks",
        arguments: [
            ("Bearer x", "x"), ("bEaReR x.y", "x.y"), ("Bearer   x", "x"), ("Bearer x y ", "x y "), ("Bearer", nil), ("Bearer ", nil),
            ("Bearer\tx", nil), ("Basic x", nil), ("Bearerx", nil), ("", nil), (" ", nil), ("Bearer é", "é"),
        ] as [(String, String?)])
    func bearer(_ field: String, _ token: String?) { #expect(field.bearerToken == token) }

    @Test(
        "a path is decoded as Foundation does it", arguments: ["", "a-b", "a%20b", "%C3%A9", "é", "%", "%2", "%zz", "%FF", "100%25"])
    func decoded(_ text: String) { #expect(text.percentDecoded == text.removingPercentEncoding) }
}
