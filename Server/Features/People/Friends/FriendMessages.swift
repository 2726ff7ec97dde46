import KeepsakeWire

/// The messages for people in this part's responses.
enum FriendMessages {
    /// - Parameter requests: at least one.
    static func sent(_ requests: [StoredFriendRequest]) -> String {
        guard requests.count == 1, let request = requests.first else { return "Friend requests sent." }
        return request.status == .accepted ? "You are friends now." : "Friend request sent."
    }

    static func resolved(accepting: Bool) -> String { accepting ? "Friend request accepted." : "Friend request rejected." }

    static let cancelled = "Friend request cancelled."
    static let removed = "Friend removed."
}
