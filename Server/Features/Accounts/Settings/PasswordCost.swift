/// The cost of one guess at a password: scrypt (RFC 7914) with N = 2^`logN`, r = 8 and p = `lanes`. It takes 2^`logN` KiB of memory.
package struct PasswordCost: Sendable, Equatable {
    /// r: the block size is 128 × r = 1,024 bytes. Every published recommendation uses this value.
    static let blockSize = 8

    /// 1...20.
    let logN: Int
    /// p, 1...16. The lanes run one after the other, so they cost time but no memory.
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

    /// OWASP's Password Storage Cheat Sheet considers N = 2^17 with p = 1 and N = 2^15 with p = 3 equally strong. The second needs 32 MiB
    /// per guess instead of 128, so that two at a time fit beside a server that uses 60 MB when idle.
    package static let recommended = PasswordCost(unchecked: 15, 3)

    /// For tests: costs almost nothing.
    package static let forTests = PasswordCost(unchecked: 4, 1)
}
