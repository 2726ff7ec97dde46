import Core
import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts

@Suite struct AccountRedactionTests {
    /// Every way in which Swift turns a value into text for a log line.
    private func prints(_ value: some Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) \(String(describing: value)) \(String(reflecting: value)) \(dumped)"
    }

    /// True when `bytes` appear as consecutive numbers in the text.
    private func shows(_ bytes: [UInt8], in text: String) -> Bool {
        let numbers = text.split { !$0.isNumber }.compactMap { UInt8($0) }
        guard numbers.count >= bytes.count else { return false }
        return (0...numbers.count - bytes.count).contains { numbers[$0..<$0 + bytes.count].elementsEqual(bytes) }
    }

    @Test func `the search for bytes finds them`() {
        #expect(shows([7, 8, 9], in: prints([1, 7, 8, 9])))
        #expect(!shows([7, 8, 9], in: prints(Secret([7, 8, 9]))))
    }

    @Test(arguments: Engine.allCases) func `tokens and passwords show as dots wherever they are held`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let password = "canary horse"
            let signedIn = try await home.signUp(password: password)
            let issued = try await home.feature.issueToken(email: "ops@x", isAdmin: false)
            let refresh = RefreshToken(entropy: .system)
            let hash = try PasswordHash(of: Secret(Array(password.utf8)), cost: .forTests, salt: Entropy.system.bytes(16))
            let values: [Any] = [
                signedIn, signedIn.token, issued, refresh, hash, hash.stored, [refresh], ["a": hash],
                RegisterInput(email: "a@x", password: password), LoginInput(email: "a@x", password: password),
                ChangePasswordInput(oldPassword: password, newPassword: "canary"), ChangeEmailInput(email: "a@x", password: password),
                ConfirmEmailInput(code: "canary"), RefreshInput(refreshToken: signedIn.token.refreshToken),
                Optional(LoginInput(email: "a@x", password: password)) as Any,
                AccountStore.NewAccount(
                    id: "1", email: "a@x", name: nil, passwordHash: hash.stored, isAdmin: false, createdAt: home.clock.now),
                try await home.store.credential(email: "ada@example.org") as Any,
            ]
            let secrets = [
                "canary", signedIn.token.accessToken, signedIn.token.refreshToken, issued.accessToken, issued.refreshToken, refresh.text,
                "$scrypt",
            ]
            for value in values {
                let text = prints(value)
                for secret in secrets { #expect(!text.contains(secret), "\(type(of: value))") }
                #expect(text.contains("•••"), "\(type(of: value))")
            }
        }
    }

    @Test(arguments: Engine.allCases) func `keys show as dots, even in a dump of the whole room`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            _ = try await home.signUp()
            let link = try await home.secret(named: "links")
            let ring = try await home.store.keys()
            let key = try #require(ring.keys.first)
            #expect(key.privateKey.exposed.count == 32)
            let keys = SigningKeys(store: home.store, clock: home.clock.wall, entropy: .system)
            let loaded = try await keys.current()
            for text in [prints(ring), prints(key), prints(loaded), prints(keys), prints(link), prints(home.feature)] {
                #expect(!shows(key.privateKey.exposed, in: text))
                #expect(!shows(link.exposed, in: text))
                #expect(!text.contains(Base64URL.encode(key.privateKey.exposed)) && !text.contains(Hex.encode(key.privateKey.exposed)))
                #expect(!text.contains("PRIVATE KEY"))
            }
        }
    }
}
