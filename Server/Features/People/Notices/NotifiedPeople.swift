import Crypto

/// Counts how often an account notified each person on one day. It keeps a hash of 64 bits for each notification: of the person, and of
/// the notification's number among those to this person. So the account's row names nobody, and stays when a person is deleted.
///
/// If two hashes are equal by chance, one person can get one notification fewer. Among 2,000 hashes that happens once in 10¹³ days.
struct NotifiedPeople: Sendable, Equatable {
    /// The most events that one sender's actions send to one person in a day. A person can have 5 open invitations and a friend request of
    /// a sender at a time.
    static let maxForPerson = 10
    /// The most events that one sender's actions send in a day.
    static let maxDaily = 2_000

    private var hashes: Set<UInt64>

    /// - Parameter bytes: what `bytes` returned; empty for nobody.
    init(bytes: [UInt8]) {
        hashes = Set(stored: bytes)
    }

    var bytes: [UInt8] { hashes.stored }

    /// Counts one more notification to the person.
    /// - Returns: `false`, and counts nothing, when the limit for this person or the limit for all people is reached.
    mutating func add(_ person: String) -> Bool {
        guard hashes.count < Self.maxDaily else { return false }
        return (1...Self.maxForPerson).contains { hashes.insert(Self.hash(person, time: $0)).inserted }
    }

    private static func hash(_ person: String, time: Int) -> UInt64 {
        SHA256.hash(data: Array("\(time) \(person)".utf8)).withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }
}
