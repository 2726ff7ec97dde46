import Crypto

/// Counts how often an account notified each person on one day. It keeps a hash of 64 bits for each notification, made from the person's id
/// and the notification's number among those to this person. So the account's row names nobody, and can stay when a person is deleted.
///
/// If two hashes are equal by chance, one person can get one notification fewer. A sender with 2,000 notifications a day has such a pair
/// once in 10¹³ days.
struct NotifiedPeople: Sendable, Equatable {
    /// The most events that one sender can cause for one person in a day. At a time, a person can have 5 open invitations and a friend
    /// request of the same sender.
    static let maxForPerson = 10
    /// The most events that one sender can cause in a day.
    static let maxDaily = 2_000

    private var hashes: Set<UInt64>

    /// - Parameter bytes: the result of the property `bytes`; empty for nobody.
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
