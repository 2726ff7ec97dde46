import Core
import Foundation
import KeepsakeWire
import Media

/// Renders people as surface 1's JSON.
struct ProfilePresenter: Sendable {
    let library: MediaLibrary
    let clock: WallClock

    func profile(_ view: ProfileView) -> PersonProfile {
        var profile = PersonProfile(
            id: view.id, name: view.name, photos: view.photos.map { PhotoPresenter(library: library).photo($0, owner: view.id) })
        profile.phone = view.phone ?? ""
        if let birthdate = view.birthdate {
            profile.age = ProfileRules.age(bornOn: birthdate, at: clock.now)
            profile.birthdate = Date(timeIntervalSince1970: Double(birthdate.microseconds) / 1_000_000)
            profile.birthday = profile.birthdate
        }
        profile.interests = view.interests
        profile.latitude = view.latitude
        profile.longitude = view.longitude
        profile.bio = view.bio
        profile.almaMater = view.almaMater
        profile.job = view.job
        profile.workLocation = view.workLocation
        profile.relationStatus = view.relationStatus
        profile.sexuality = view.sexuality
        profile.gender = view.gender
        profile.city = view.city
        profile.gradYear = view.gradYear
        profile.onboarding = view.isOnboarding
        profile.verified = view.isVerified
        profile.stats = ProfileStats(friendCount: view.friendCount, requestCount: view.requestCount, coveCount: view.coveCount)
        return profile
    }
}
