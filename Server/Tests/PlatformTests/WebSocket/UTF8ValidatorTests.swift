import TestKit
import Testing

@testable import Web

@Suite("UTF-8 in chunks")
struct UTF8ValidatorTests {
    /// The standard library's verdict on the whole text.
    private func isText(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    private func verdict(_ bytes: [UInt8], cutAt cut: Int) -> Bool {
        var validator = UTF8Validator()
        let isValid =
            bytes[..<cut].withUnsafeBytes { validator.receive($0) } && bytes[cut...].withUnsafeBytes { validator.receive($0) }
        return isValid && validator.isComplete
    }

    @Test("agrees with the standard library on all one- and two-byte inputs and the bounds of the third byte, wherever they are cut")
    func short() {
        var texts = 0
        for first in UInt8.min ... .max {
            #expect(verdict([first], cutAt: 0) == isText([first]))
            for second in UInt8.min ... .max {
                let pair = [first, second]
                let isPair = isText(pair)
                if verdict(pair, cutAt: 1) != isPair { Issue.record("\(pair)") }
                // The third byte matters only if the first byte begins a character of three or four bytes. The other inputs are covered
                // above.
                guard first >= 0xE0 else { continue }
                for third in [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] as [UInt8] {
                    let bytes = pair + [third]
                    let expected = isText(bytes)
                    texts += expected ? 1 : 0
                    if verdict(bytes, cutAt: Int(second &+ third) % 4) != expected { Issue.record("\(bytes)") }
                }
            }
        }
        #expect(texts == 5_760, "six of each 64 in U+0800…U+FFFF without the surrogates")
    }

    @Test("agrees with the standard library on all four-byte characters and their invalid neighbours")
    func long() {
        for first in UInt8(0xEF)...0xF6 {
            for second in UInt8(0x7E)...0xC1 {
                for third in [0x7F, 0x80, 0xBF, 0xC0] as [UInt8] {
                    for fourth in [0x7F, 0x80, 0xBF, 0xC0] as [UInt8] {
                        let bytes = [first, second, third, fourth]
                        if verdict(bytes, cutAt: Int(fourth) % 5) != isText(bytes) { Issue.record("\(bytes)") }
                    }
                }
            }
        }
    }

    @Test(
        "refuses at the first byte that no valid text can continue with",
        arguments: [
            ([0xC0], 1), ([0xED, 0xA0], 2), ([0xF4, 0x90], 2), ([0xE0, 0x9F], 2), ([0xF0, 0x8F], 2), ([0x80], 1), ([0xF5], 1),
            ([0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0xFF], 10), ([0xCE, 0xBA, 0xFF], 3),
        ] as [([UInt8], Int)])
    func early(_ bytes: [UInt8], _ at: Int) {
        for count in 0...bytes.count {
            var validator = UTF8Validator()
            #expect(bytes[..<count].withUnsafeBytes { validator.receive($0) } == (count < at))
        }
    }

    @Test("agrees with the standard library on random texts, valid and damaged")
    func random() {
        var random = SplitMix64(seed: 7)
        var valid = 0
        for _ in 0..<20_000 {
            let characters = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                ["a", "é", "€", "😀", "abcdefghij", "\u{0}"].randomElement(using: &random)!
            }
            var bytes = Array(characters.joined().utf8)
            if !bytes.isEmpty, Bool.random(using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            let expected = isText(bytes)
            valid += expected ? 1 : 0
            if verdict(bytes, cutAt: .random(in: 0...bytes.count, using: &random)) != expected { Issue.record("\(bytes)") }
        }
        #expect((8_000...19_000).contains(valid))
    }
}
