import Core

/// Validation of invitations. Pure functions and limits.
enum InviteRules {
    /// How long an invitation can be used.
    static let lifetime = Duration.days(90)
    /// The most phone numbers of one request.
    static let maxNumbers = 200
    /// The most open invitations to one phone number that its owner sees, from all coves together.
    static let maxForPhone = 100
    /// The most open invitations of one sender to one phone number, from all coves together. The blocks of the number's owner do not change
    /// this count: otherwise the sender would learn of them.
    static let maxForPhoneOfSender = 5
    /// The most invitations of one sender to one phone number that are stored, including those to coves that have ended, which a job deletes
    /// soon. Whoever invites the number reads them. Without this limit, a sender could end a cove, invite the same numbers to the next
    /// one, and so on.
    static let maxKeptForPhoneOfSender = 20
    /// A number with this many stored invitations gets no other, whoever sent them. Whoever invites the number reads them, so the limit
    /// bounds what one request reads. It is far above `maxForPhone`, because invitations that the number's owner does not see because of a
    /// block should not use it up.
    static let maxKeptForPhone = 500
    /// If a number has at least this many stored invitations, and some of them are useless, a request that invites the number deletes
    /// useless ones: of at most `cleanedPhones` numbers, and at most `replacedForPhones` of all numbers together. These are more than the
    /// request inserts. With fewer invitations, those of an ADMIN who becomes a MEMBER for some time stay.
    static let crowdedForPhone = maxForPhone + 20
    static let cleanedPhones = 20
    static let replacedForPhones = 300
    /// The most open invitations of one cove's ADMINs together.
    static let maxForCove = 10_000
    /// The most invitations to one cove that are stored, including those that nobody can accept because their senders are no longer ADMINs.
    /// Without this limit, members could become ADMIN one after the other, invite many numbers and leave. A cove can have several thousand
    /// such invitations, and new invitations replace them.
    static let maxKeptForCove = 20_000
    /// The most useless invitations of a cove that one write deletes to make room for new ones.
    static let replacedForCove = maxNumbers
    /// The most open invitations of one sender to one cove.
    static let maxForCoveOfSender = 2_000

    static func numbers(_ numbers: [String]) throws -> [String] {
        guard 1...maxNumbers ~= numbers.count else {
            throw Problem(.invalid, "Send 1 to \(maxNumbers) phone numbers; got \(numbers.count).", field: "phoneNumbers")
        }
        return numbers
    }

    static func message(_ text: String?) throws -> String? { try TextRules.optionalLine(text, field: "message", max: 500) }

    static let needed = Problem(.forbidden, "You need an invitation to join this cove.")
    static let alreadyMember = Problem(.conflict, "You are already a member of this cove.")
    static let noSuchInvite = Problem(.notFound, "There is no such invitation.", field: "inviteId")
    static let tooManyOfSender = Problem(
        .conflict, "You can have at most \(maxForCoveOfSender) open invitations to a cove. Cancel one first.")
    static let tooManyForCove = Problem(
        .conflict, "A cove can have at most \(maxForCove) open invitations. Cancel one of yours, or wait until others are answered.")

    /// Why a number gets no invitation. The existing app looks for `already exists` and `already a member`.
    enum Refusal: String {
        case notANumber = "This is not a phone number."
        case exists = "An invitation already exists for this phone number."
        case member = "This person is already a member of this cove."
        case tooMany = "This phone number has too many open invitations."
    }
}
