import Core
import KeepsakeWire
import Media
import People
import Web

/// Renders events and guests as surface 1's JSON.
struct EventPresenter: Sendable {
    let library: MediaLibrary

    func page(_ cards: [EventCard]) -> [CoveEventData] {
        var links: [String: LinkSeries] = [:]
        return cards.map { card in
            CoveEventData(
                id: card.id, name: card.name, description: card.description, date: card.date.date, location: card.location,
                coveId: card.cove, coveName: card.coveName, coveCoverPhoto: photo(card.coveCover, &links),
                hostId: card.isHostHidden ? "" : card.host, hostName: card.hostName, rsvpStatus: card.rsvp, goingCount: card.goingCount,
                createdAt: card.createdAt.date, coverPhoto: photo(card.cover, &links))
        }
    }

    func details(_ card: EventCard, _ guests: [EventStore.Guest], seenBy viewer: String) -> CoveEventDetails {
        var links: [String: LinkSeries] = [:]
        return CoveEventDetails(
            id: card.id, name: card.name, description: card.description, date: card.date.date, location: card.location, coveId: card.cove,
            host: .init(id: card.isHostHidden ? "" : card.host, name: card.hostName),
            cove: CoveSummary(id: card.cove, name: card.coveName, coverPhoto: photo(card.coveCover, &links)), rsvpStatus: card.rsvp,
            goingCount: card.goingCount,
            rsvps: guests.map { guest in
                RSVPData(
                    id: guest.id, status: guest.status, userId: guest.card.id, userName: guest.card.name,
                    profilePhotoUrl: picture(guest), createdAt: guest.createdAt.date)
            },
            coverPhoto: photo(card.cover, &links), isHost: card.host == viewer, createdAt: card.createdAt.date)
    }

    func guest(_ guest: EventStore.Guest) -> CoveGuestsResponse.Guest {
        CoveGuestsResponse.Guest(
            id: guest.id, userId: guest.card.id, userName: guest.card.name, profilePhotoUrl: picture(guest), status: guest.status,
            joinedAt: guest.createdAt.date)
    }

    private func picture(_ guest: EventStore.Guest) -> String? {
        guest.card.picture.map { library.sharedLink($0, owner: guest.card.id) }
    }

    /// - Parameter links: makes the links of each owner's files; most pictures of a page have the same owner.
    private func photo(_ picture: EventCard.Picture?, _ links: inout [String: LinkSeries]) -> CoverPhoto? {
        guard let picture else { return nil }
        let series = links[picture.owner] ?? library.sharedLinks(of: picture.owner)
        links[picture.owner] = series
        return CoverPhoto(id: picture.id, url: series.link(picture.id))
    }
}
