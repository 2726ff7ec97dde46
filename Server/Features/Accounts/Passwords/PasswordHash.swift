internal import Core
internal import Crypto
internal import CryptoExtras

/// A scrypt hash with its parameters: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`; salt and hash are in base64url.
///
/// The parameters are stored with the hash, so that a higher cost applies to the next password without invalidating older hashes.
struct PasswordHash: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    static let saltByteCount = 16
    static let byteCount = 32

    let cost: PasswordCost
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Takes as long as `cost` says. Never call it on a thread of Swift's cooperative pool.
    init(of password: Secret<[UInt8]>, cost: PasswordCost, salt: [UInt8]) throws {
        self.cost = cost
        self.salt = salt
        hash = try Self.derive(password, cost, salt)
    }

    /// A random hash that no password matches: checking a guess at an unknown account then takes as long as at a known one.
    init(nobodyWith cost: PasswordCost, entropy: Entropy) {
        self.cost = cost
        salt = entropy.bytes(Self.saltByteCount)
        hash = entropy.bytes(Self.byteCount)
    }

    /// - Returns: `nil` when the text does not have this format.
    init?(stored text: Secret<String>) {
        let fields = text.exposed.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0].isEmpty, fields[1] == "scrypt" else { return nil }
        let parameters = fields[2].split(separator: ",", omittingEmptySubsequences: false)
        guard parameters.count == 3, parameters[0].hasPrefix("ln="), parameters[1] == "r=\(PasswordCost.blockSize)",
            parameters[2].hasPrefix("p="),
            let logN = Int(parameters[0].dropFirst(3)), let lanes = Int(parameters[2].dropFirst(2)),
            let cost = PasswordCost(logN: logN, lanes: lanes),
            let salt = Base64URL.decode(fields[3]), salt.count == Self.saltByteCount,
            let hash = Base64URL.decode(fields[4]), hash.count == Self.byteCount
        else { return nil }
        self.cost = cost
        self.salt = salt
        self.hash = hash
    }

    var stored: Secret<String> {
        Secret("$scrypt$ln=\(cost.logN),r=\(PasswordCost.blockSize),p=\(cost.lanes)$\(Base64URL.encode(salt))$\(Base64URL.encode(hash))")
    }

    /// Takes as long as computing the hash did, and compares in constant time.
    func matches(_ password: Secret<[UInt8]>) throws -> Bool {
        let other = try Self.derive(password, cost, salt)
        return zip(hash, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0 && hash.count == other.count
    }

    private static func derive(_ password: Secret<[UInt8]>, _ cost: PasswordCost, _ salt: [UInt8]) throws -> [UInt8] {
        // swift-crypto 4.5 force-unwraps the base address of the password, which is nil for an empty one. A NUL byte, which is not a valid
        // password, stands in for an empty password.
        let bytes = password.exposed.isEmpty ? [0] : password.exposed
        let key = try KDF.Scrypt.deriveKey(
            from: bytes, salt: salt, outputByteCount: byteCount, rounds: 1 << cost.logN, blockSize: PasswordCost.blockSize,
            parallelism: cost.lanes)
        return key.withUnsafeBytes { Array($0) }
    }

    var description: String { "•••" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
