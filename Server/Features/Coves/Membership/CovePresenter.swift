import Core
import KeepsakeWire
import Media
import People

/// Renders coves and people as surface 1's JSON. Other people see the pictures, so each link yields a file without the place where the
/// picture was taken.
struct CovePresenter: Sendable {
    let library: MediaLibrary

    func created(_ cove: Cove, _ message: String) -> CreatedCove {
        CreatedCove(
            message: message,
            cove: CreatedCove.Fields(
                id: cove.id, name: cove.name, description: cove.description, location: cove.location, createdAt: cove.createdAt.date))
    }

    func details(_ membership: Membership, creator: CoveCreator) -> CoveDetails {
        let cove = membership.cove
        return CoveDetails(
            id: cove.id, name: cove.name, description: cove.description, location: cove.location, createdAt: cove.createdAt.date,
            creator: CoveDetails.Creator(id: creator.id, name: creator.name), coverPhoto: cover(cove.cover, of: cove.coverOwner),
            stats: CoveDetails.Stats(memberCount: cove.memberCount, eventCount: cove.eventCount), joining: cove.joining,
            role: membership.member.role, isCreator: membership.member.isCreator)
    }

    func summary(_ cove: CoveCard) -> CoveSummary {
        CoveSummary(id: cove.id, name: cove.name, coverPhoto: cover(cove.cover, of: cove.coverOwner))
    }

    func member(_ member: CoveMemberCard) -> CoveMemberData {
        CoveMemberData(
            id: member.card.id, name: member.card.name, profilePhotoUrl: picture(of: member.card), role: member.role,
            joinedAt: member.joinedAt.date)
    }

    func cover(_ cover: String?, of owner: String?) -> CoverPhoto? {
        guard let cover, let owner else { return nil }
        return CoverPhoto(id: cover, url: library.sharedLink(cover, owner: owner))
    }

    func picture(of person: PersonCard) -> String? { person.picture.map { library.sharedLink($0, owner: person.id) } }
}
