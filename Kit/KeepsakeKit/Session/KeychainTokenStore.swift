#if canImport(Security)
    public import Foundation
    import Security

    /// Keeps the session in the keychain of the device. Never ran in this project's tests, which run on Linux.
    ///
    /// Two processes with the same access group share the session. The keychain has no lock for them: if both refresh at once, the server
    /// gives both the same tokens.
    public final class KeychainTokenStore: TokenStore {
        private let service: String
        private let account: String
        private let accessGroup: String?
        private let lock = NSLock()

        public init(service: String = "com.timecapsule.app", account: String = "auth_token", accessGroup: String? = nil) {
            self.service = service
            self.account = account
            self.accessGroup = accessGroup
        }

        public func load() async throws -> StoredSession? { try lock.withLock { try read() } }

        public func save(_ session: StoredSession?, replacing expected: StoredSession.ID?) async throws -> Bool {
            try lock.withLock {
                if let expected {
                    guard try read()?.id == expected else { return false }
                }
                guard let session else {
                    let status = SecItemDelete(query as CFDictionary)
                    guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.unavailable(status) }
                    return true
                }
                let values: [CFString: Any] = [
                    kSecValueData: try JSONEncoder().encode(session),
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                ]
                var status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
                if status == errSecItemNotFound {
                    status = SecItemAdd(query.merging(values) { $1 } as CFDictionary, nil)
                }
                guard status == errSecSuccess else { throw Self.unavailable(status) }
                return true
            }
        }

        private func read() throws -> StoredSession? {
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
            switch status {
            case errSecSuccess:
                guard let data = result as? Data else { throw Self.unavailable(status) }
                // What is not a session of this library cannot be used, and a sign-in replaces it.
                return try? JSONDecoder().decode(StoredSession.self, from: data)
            case errSecItemNotFound: return nil
            // errSecInteractionNotAllowed: the device is locked. Nobody was signed out.
            default: throw Self.unavailable(status)
            }
        }

        private var query: [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
                kSecUseDataProtectionKeychain: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
            return query
        }

        private static func unavailable(_ status: OSStatus) -> KeepsakeError {
            KeepsakeError(.storeUnavailable, "The keychain is not available now (\(status)).")
        }
    }
#endif
