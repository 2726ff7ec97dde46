#if canImport(Security)
    public import Foundation
    import Security

    /// Keeps the session in the keychain of the device. This code has never run: this project's tests run on Linux, where they test only
    /// its rules, with a replacement for the keychain.
    ///
    /// Two processes with the same access group share the session. The keychain offers them no lock. If both refresh the tokens at the same
    /// time, the server gives both the same tokens.
    public final class KeychainTokenStore: TokenStore {
        private let session: KeychainSession<SecurityItem>
        private let lock = NSLock()

        public init(service: String = "com.timecapsule.app", account: String = "auth_token", accessGroup: String? = nil) {
            session = KeychainSession(item: SecurityItem(service: service, account: account, accessGroup: accessGroup))
        }

        public func load() async throws -> StoredSession? { try lock.withLock { try session.load() } }

        public func save(_ session: StoredSession?, replacing expected: StoredSession.ID?) async throws -> Bool {
            try lock.withLock { try self.session.save(session, replacing: expected) }
        }
    }

    /// An item of the keychain.
    private struct SecurityItem: KeychainItem {
        let service: String
        let account: String
        let accessGroup: String?

        func read() -> (status: Int32, data: Data?) {
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
            return (status, result as? Data)
        }

        func update(_ data: Data) -> Int32 { SecItemUpdate(query as CFDictionary, values(data) as CFDictionary) }

        func add(_ data: Data) -> Int32 { SecItemAdd(query.merging(values(data)) { $1 } as CFDictionary, nil) }

        func delete() -> Int32 { SecItemDelete(query as CFDictionary) }

        private func values(_ data: Data) -> [CFString: Any] {
            [kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly]
        }

        private var query: [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
                kSecUseDataProtectionKeychain: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
            return query
        }
    }
#endif
