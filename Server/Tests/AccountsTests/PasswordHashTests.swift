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
        // The expected hash comes from another implementation, Python's hashlib.scrypt(b"pleaseletmein", salt=…, n=1024, r=8, p=3,
        // dklen=32).
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

    private static let greedy = Network(ipv6: 0x2001_0DB8 << 32)

    /// A hasher that takes about 20 ms for each password, so that the queue is still full when the last request arrives.
    private func slowHasher(isFair: Bool = true) throws -> PasswordHasher {
        PasswordHasher(cost: try #require(PasswordCost(logN: 13, lanes: 1)), entropy: .system, isFair: isFair)
    }

    private func hash(_ hasher: PasswordHasher, from network: Network) async throws -> Problem.Kind? {
        try await Requester(account: nil, network: network).run {
            do {
                _ = try await hasher.hash(secret("pass word"))
                return nil
            } catch let problem as Problem {
                #expect(problem.retryAfter == .seconds(2))
                return problem.kind
            }
        }
    }

    /// Hashes a password once for each of `networks`, concurrently, and counts the outcomes. The key `nil` counts the successes.
    private func crowd(_ hasher: PasswordHasher, _ networks: [Network]) async throws -> [Problem.Kind?: Int] {
        try await withThrowingTaskGroup(of: Problem.Kind?.self) { group in
            for network in networks { group.addTask { try await hash(hasher, from: network) } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    @Test("more than 17 requests of one network, and more than 66 in total, are refused with a retry; the others are served")
    func bounded() async throws {
        let hasher = try slowHasher()
        let one = try await crowd(hasher, Array(repeating: Self.greedy, count: 60))
        #expect(one[.tooManyRequests, default: 0] > 0 && one[.unavailable] == nil)
        #expect(one[nil, default: 0] >= PasswordHasher.threadsPerNetwork + PasswordHasher.waitingPerNetwork)
        let many = try await crowd(hasher, (0..<120).map { Network(ipv4: $0) })
        #expect(many[.unavailable, default: 0] > 0 && many[.tooManyRequests] == nil)
        #expect(many[nil, default: 0] >= PasswordHasher.threads + PasswordHasher.waitingLimit)
        #expect(try await hash(hasher, from: Network(ipv4: 1)) == nil)
    }

    @Test("while five networks fill the queue, another network signs in at its next turn")
    func manyNetworks() async throws {
        let hasher = try slowHasher()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Each network has 18 clients, which retry immediately.
            for number in 0..<5 * 18 {
                group.addTask {
                    while !Task.isCancelled {
                        if (try? await hash(hasher, from: Network(ipv4: UInt32(number % 5)))) != Problem.Kind?.none {
                            try? await Task.sleep(for: .milliseconds(1))
                        }
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(300))
            var refused = 0
            var longest = Duration.zero
            for _ in 0..<10 {
                let time = try await ContinuousClock().measure {
                    if try await hash(hasher, from: Network(ipv4: 100)) != nil { refused += 1 }
                }
                longest = max(longest, time)
            }
            group.cancelAll()
            #expect(refused == 0, "\(refused) of 10 refused")
            print("sign-in beside five networks that have the queue full: \(longest) at most")
        }
    }

    @Test("while one network fills the queue, another network signs in at its next turn", arguments: [true, false])
    func turns(isFair: Bool) async throws {
        let hasher = try slowHasher(isFair: isFair)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The greedy network has 80 clients, which retry immediately.
            for _ in 0..<80 {
                group.addTask {
                    while !Task.isCancelled {
                        if (try? await hash(hasher, from: Self.greedy)) != Problem.Kind?.none {
                            try? await Task.sleep(for: .milliseconds(1))
                        }
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(200))
            var refused = 0
            for _ in 0..<10 where try await hash(hasher, from: Network(ipv4: 1)) != nil { refused += 1 }
            group.cancelAll()
            // Control: without fair turns, some requests of the other network are refused.
            #expect(isFair ? refused == 0 : refused > 0, "\(refused) of 10 refused")
        }
    }
}
