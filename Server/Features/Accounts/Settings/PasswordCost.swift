/// What one guess at a password costs: scrypt (RFC 7914) with N = 2^`logN` and r = 8, `lanes` (p) times, in 2^`logN` KiB of memory.
package struct PasswordCost: Sendable, Equatable {
    /// r: a block of 1,024 bytes, which is what every published recommendation assumes.
    static let blockSize = 8

    /// 1...20.
    let logN: Int
    /// p, 1...16: run one after the other, so it costs time and no memory.
    let lanes: Int

    /// - Returns: `nil` outside of the ranges.
    package init?(logN: Int, lanes: Int) {
        guard 1...20 ~= logN, 1...16 ~= lanes else { return nil }
        self.logN = logN
        self.lanes = lanes
    }

    private init(unchecked logN: Int, _ lanes: Int) {
        self.logN = logN
        self.lanes = lanes
    }

    /// OWASP's Password Storage Cheat Sheet holds N = 2^17 with p = 1 and N = 2^15 with p = 3 to be worth the same. This is the second:
    /// 32 MiB a guess instead of 128, so that two at a time fit beside a server that idles in 60 MB.
    package static let recommended = PasswordCost(unchecked: 15, 3)

    /// For tests: next to nothing.
    package static let forTests = PasswordCost(unchecked: 4, 1)
}
