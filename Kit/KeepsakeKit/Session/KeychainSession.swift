import Foundation

/// One item of the keychain. It is a protocol, so that tests on Linux, which has no keychain, can test the rules of `KeychainSession`. The
/// statuses are those of Apple's Security framework.
protocol KeychainItem: Sendable {
    func read() -> (status: Int32, data: Data?)
    /// - Returns: `KeychainStatus.notFound` if there is no item.
    func update(_ data: Data) -> Int32
    func add(_ data: Data) -> Int32
    func delete() -> Int32
}

enum KeychainStatus {
    /// `errSecSuccess`
    static let success: Int32 = 0
    /// `errSecItemNotFound`
    static let notFound: Int32 = -25_300
    /// `errSecInteractionNotAllowed`: the device is locked.
    static let locked: Int32 = -25_308
}

/// A session in an item of the keychain. Every status except success and "not found" means that the keychain cannot be used now, for
/// example because the device is locked. It does not mean that somebody signed out.
struct KeychainSession<Item: KeychainItem>: Sendable {
    let item: Item

    func load() throws -> StoredSession? {
        let (status, data) = item.read()
        switch status {
        case KeychainStatus.success:
            guard let data else { throw Self.unavailable(status) }
            // If the data is not a session of this library, return `nil`: a sign-in replaces it.
            return try? JSONDecoder().decode(StoredSession.self, from: data)
        case KeychainStatus.notFound: return nil
        default: throw Self.unavailable(status)
        }
    }

    /// Does what `TokenStore.save` requires.
    func save(_ session: StoredSession?, replacing expected: StoredSession.ID?) throws -> Bool {
        if let expected {
            guard try load()?.id == expected else { return false }
        }
        guard let session else {
            let status = item.delete()
            guard status == KeychainStatus.success || status == KeychainStatus.notFound else { throw Self.unavailable(status) }
            return true
        }
        let data = try JSONEncoder().encode(session)
        var status = item.update(data)
        if status == KeychainStatus.notFound { status = item.add(data) }
        guard status == KeychainStatus.success else { throw Self.unavailable(status) }
        return true
    }

    private static func unavailable(_ status: Int32) -> KeepsakeError {
        KeepsakeError(.storeUnavailable, "The keychain is not available now (\(status)).")
    }
}
