package import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#endif

/// SHA-256 (FIPS 180-4) of bytes that arrive in pieces.
///
/// On Apple's systems, CryptoKit computes it with the processor's SHA instructions. Elsewhere this file computes it. The reason is that
/// SwiftPM resolves all dependencies of the package for each app that uses KeepsakeKit, and swift-crypto is too large for one hash.
package struct ContentHash {
    #if canImport(CryptoKit)
        private var hash = SHA256()
    #else
        private var hash = PortableHash()
    #endif

    package init() {}

    /// - Returns: the hash of all the bytes, in the format of `digits`.
    package static func sha256(_ bytes: Data) -> String {
        var hash = ContentHash()
        hash.update(bytes)
        return hash.digits
    }

    package mutating func update(_ piece: Data) { hash.update(data: piece) }

    /// The hash of the bytes so far: 64 lower-case hexadecimal digits.
    package var digits: String {
        hash.finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

/// The algorithm itself, for systems without CryptoKit. Its methods have the same names as those of CryptoKit's `SHA256`.
struct PortableHash {
    private static let start: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]
    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]

    private static let blockByteCount = 64

    private var state = PortableHash.start
    /// The bytes after the last whole block.
    private var rest: [UInt8] = []
    private var byteCount: UInt64 = 0

    mutating func update(data: Data) {
        byteCount &+= UInt64(data.count)
        var bytes = rest
        bytes.append(contentsOf: data)
        let wholeByteCount = bytes.count - bytes.count % Self.blockByteCount
        var state = self.state
        var words = [UInt32](repeating: 0, count: 64)
        for block in stride(from: 0, to: wholeByteCount, by: Self.blockByteCount) { Self.mix(bytes, at: block, into: &state, &words) }
        self.state = state
        rest = Array(bytes[wholeByteCount...])
    }

    /// - Returns: the 32 bytes of the hash.
    func finalize() -> [UInt8] {
        // FIPS 180-4 §5.1.1: the padding is a one bit, zeros up to eight bytes before the end of a block, and the number of bits.
        var padding = Data([0x80])
        padding.append(Data(count: (119 - rest.count) % Self.blockByteCount))
        padding.append(contentsOf: Self.bytes(of: byteCount &* 8))
        var copy = self
        copy.update(data: padding)
        return copy.state.flatMap { Self.bytes(of: $0) }
    }

    /// - Parameter words: room for 64 words, which every call overwrites. Allocating an array for each block would take longer than the
    ///   block itself.
    private static func mix(_ bytes: [UInt8], at block: Int, into state: inout [UInt32], _ words: inout [UInt32]) {
        for index in 0..<16 {
            let first = block + 4 * index
            var word = UInt32(bytes[first]) << 24
            word |= UInt32(bytes[first + 1]) << 16
            word |= UInt32(bytes[first + 2]) << 8
            word |= UInt32(bytes[first + 3])
            words[index] = word
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let earlier = turn(early, 7) ^ turn(early, 18) ^ (early >> 3)
            let later = turn(late, 17) ^ turn(late, 19) ^ (late >> 10)
            words[index] = words[index - 16] &+ earlier &+ words[index - 7] &+ later
        }
        let constants = Self.constants
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let choice = (e & f) ^ (~e & g)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let left = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
            let right = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
            let sum = h &+ left &+ choice &+ constants[index] &+ words[index]
            (h, g, f, e) = (g, f, e, d &+ sum)
            (d, c, b, a) = (c, b, a, sum &+ right &+ majority)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static func turn(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }

    private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
