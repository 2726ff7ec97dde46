import Core
import Testing

@testable import Accounts

@Suite struct PasswordHashTests {
    private let cost = PasswordCost.forTests
    private func secret(_ text: String) -> Secret<[UInt8]> { Secret(Array(text.utf8)) }

    @Test func `a stored hash is read back with its cost`() throws {
        let cost = try #require(PasswordCost(logN: 5, lanes: 3))
        let hash = try PasswordHash(of: secret("pass word"), cost: cost, salt: Entropy.system.bytes(16))
        let read = try #require(PasswordHash(stored: hash.stored))
        #expect(read == hash)
        #expect(read.cost == cost)
        #expect(try read.matches(secret("pass word")))
        #expect(try !read.matches(secret("pass word ")))
        #expect(try !read.matches(secret("")))
    }

    @Test func `scrypt is the one of RFC 7914`() throws {
        // Computed by another implementation: Python's hashlib.scrypt(b"pleaseletmein", salt=…, n=1024, r=8, p=3, dklen=32).
        let salt = Array("SodiumChlorideXX".utf8)
        let hash = try PasswordHash(of: secret("pleaseletmein"), cost: try #require(PasswordCost(logN: 10, lanes: 3)), salt: salt)
        #expect(hash.stored.exposed == "$scrypt$ln=10,r=8,p=3$U29kaXVtQ2hsb3JpZGVYWA$33GVGpECIlYySWW149zCNg8jHA1Y-NOgYBrg4vyfWqE")
    }

    @Test func `one password with two salts has two hashes`() throws {
        let hashes = try (0..<2).map { _ in try PasswordHash(of: secret("pass word"), cost: cost, salt: Entropy.system.bytes(16)) }
        #expect(hashes[0].stored != hashes[1].stored)
    }

    @Test(arguments: [
        "", "$", "secret", "$scrypt$ln=4,r=8,p=1$$", "$argon2$ln=4,r=8,p=1$AAAA$AAAA", "$scrypt$ln=4,r=8$AAAAAAAAAAAAAAAAAAAAAA$AAAA",
        "$scrypt$ln=99,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=4,r=9,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA$",
    ])
    func `what is no hash of ours is not read as one`(_ text: String) {
        #expect(PasswordHash(stored: Secret(text)) == nil)
    }

    @Test func `the default costs 32 MiB, three times`() throws {
        #expect(PasswordCost.recommended.logN == 15)
        #expect(PasswordCost.recommended.lanes == 3)
        #expect(PasswordCost(logN: 0, lanes: 1) == nil && PasswordCost(logN: 21, lanes: 1) == nil && PasswordCost(logN: 4, lanes: 0) == nil)
    }

    @Test func `nobody's hash matches nothing, and an account without a password lets nobody in`() async throws {
        let hasher = PasswordHasher(cost: cost, entropy: .system)
        for password in ["", "pass word"] { #expect(try await !hasher.matches(secret(password), nil)) }
        let hash = try await hasher.hash(secret("pass word"))
        #expect(try await hasher.matches(secret("pass word"), hash))
    }

    @Test func `more than 18 at once are told to come back, and the others are served`() async throws {
        // Some 20 ms each, so that the queue is still full when the last one comes.
        let hasher = PasswordHasher(cost: try #require(PasswordCost(logN: 13, lanes: 1)), entropy: .system)
        let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    do {
                        _ = try await hasher.hash(secret("pass word"))
                        return false
                    } catch let problem as Problem {
                        #expect(problem.kind == .unavailable)
                        #expect(problem.retryAfter == .seconds(2))
                        return true
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refused > 0)
        #expect(60 - refused >= PasswordHasher.threads + PasswordHasher.waitingLimit)
        _ = try await hasher.hash(secret("pass word"))
    }
}
