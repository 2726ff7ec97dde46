import Foundation
import KeepsakeWire

/// A block of one person by another. Neither sees the other.
struct FakeBlock {
    var id: String
    var blocker: String
    var blocked: String
    var createdAt: Date
}

extension FakeRoutes {
    mutating func addPeople() {
        serve(PeopleEndpoints.login) { _, call, state in
            let account = try state.account(call.caller)
            return CoveLogin(
                message: "Welcome.",
                user: CoveUser(
                    uid: call.caller, onboarding: !account.isOnboarded, verified: account.isVerified,
                    cove: state.coves(of: call.caller).first?.id))
        }
        serve(PeopleEndpoints.onboard) { input, call, state in
            let name = try FakeText.required(input.name, "name", max: 100)
            var account = try state.account(call.caller)
            if account.isOnboarded {
                guard account.profile.name == name else { throw FakeProblem(409, "You have onboarded already.") }
                return MessageResponse(message: "Onboarded.")
            }
            var profile = account.profile
            profile.name = name
            profile.birthdate = try FakeTime.start(input.birthdate, "UTC")
            profile.interests = input.hobbies ?? []
            profile.bio = input.bio
            profile.latitude = input.latitude
            profile.longitude = input.longitude
            profile.almaMater = input.almaMater
            profile.job = input.job
            profile.workLocation = input.workLocation
            profile.relationStatus = input.relationStatus
            profile.sexuality = input.sexuality
            profile.gender = input.gender
            profile.city = input.city
            profile.gradYear = input.gradYear?.text
            account.profile = profile
            account.isOnboarded = true
            state.accounts[call.caller] = account
            return MessageResponse(message: "Onboarded.")
        }
        serve(PeopleEndpoints.editProfile) { input, call, state in
            var account = try state.account(call.caller)
            var profile = account.profile
            try FakeText.applyRequired(input.name, "name", max: 100, &profile.name)
            switch input.birthdate {
            case .unchanged: break
            case .clear: profile.birthdate = nil
            case .set(let text): profile.birthdate = try FakeTime.start(text, "UTC")
            }
            switch input.interests {
            case .unchanged: break
            case .clear: profile.interests = []
            case .set(let interests): profile.interests = interests
            }
            switch input.gradYear {
            case .unchanged: break
            case .clear: profile.gradYear = nil
            case .set(let year): profile.gradYear = year.text
            }
            FakeText.apply(input.bio, &profile.bio)
            FakeText.apply(input.latitude, &profile.latitude)
            FakeText.apply(input.longitude, &profile.longitude)
            FakeText.apply(input.almaMater, &profile.almaMater)
            FakeText.apply(input.job, &profile.job)
            FakeText.apply(input.workLocation, &profile.workLocation)
            FakeText.apply(input.relationStatus, &profile.relationStatus)
            FakeText.apply(input.sexuality, &profile.sexuality)
            FakeText.apply(input.gender, &profile.gender)
            FakeText.apply(input.city, &profile.city)
            account.profile = profile
            state.accounts[call.caller] = account
            return MessageResponse(message: "Changed.")
        }
        serve(PeopleEndpoints.profile) { input, call, state in
            ProfileResponse(message: "Profile.", profile: try state.profile(of: input.userId ?? call.caller, for: call))
        }
        addPhotos()
        serve(PeopleEndpoints.contacts) { input, call, state in
            guard input.phoneNumbers.count <= 1_000 else {
                throw FakeProblem.invalid("Send at most 1,000 phone numbers.", "phoneNumbers")
            }
            let viewable = state
            return ContactsResponse(
                contacts: input.phoneNumbers.compactMap { number in
                    guard let (id, account) = viewable.account(withPhone: number), id != call.caller,
                        !viewable.areBlocked(id, call.caller)
                    else { return nil }
                    return PhoneContact(id: id, name: account.profile.name, phone: number, profilePhotoUrl: viewable.picture(of: id))
                })
        }
        serve(ReportEndpoints.report) { input, _, _ in
            _ = try FakeText.required(input.reason, "reason", max: 1_000)
            return ReportResponse(message: "Reported.")
        }
    }

    private mutating func addPhotos() {
        serve(PeopleEndpoints.addPhoto) { input, call, state in
            let picture = try FakeState.picture(call, "base64Image", "data")
            var account = try state.account(call.caller)
            let photo = FakeState.photo(state.create(), isProfilePic: input.isProfilePic ?? false)
            if photo.isProfilePic { for index in account.profile.photos.indices { account.profile.photos[index].isProfilePic = false } }
            account.profile.photos.append(photo)
            state.photos[photo.id] = picture
            state.accounts[call.caller] = account
            return PhotoResponse(message: "Added.", photo: photo)
        }
        serve(PeopleEndpoints.replacePhoto) { input, call, state in
            let picture = try FakeState.picture(call, "data", "base64Image")
            guard let photo = try state.account(call.caller).profile.photos.first(where: { $0.id == input.photoId }) else {
                throw FakeProblem.notFound("The photo")
            }
            state.photos[photo.id] = picture
            return PhotoResponse(message: "Replaced.", photo: photo)
        }
        serve(PeopleEndpoints.deletePhoto) { input, call, state in
            let count = try state.account(call.caller).profile.photos.count
            state.accounts[call.caller]?.profile.photos.removeAll { $0.id == input.photoId }
            guard try state.account(call.caller).profile.photos.count < count else { throw FakeProblem.notFound("The photo") }
            state.photos[input.photoId] = nil
            state.forget(input.photoId)
            return MessageResponse(message: "Deleted.")
        }
    }
}

extension FakeState {
    /// Decodes a picture in base64, with or without a `data:` prefix.
    static func picture(_ call: FakeCall, _ names: String...) throws -> Data {
        guard let name = names.first(where: { call.text($0) != nil }), let text = call.text(name) else {
            throw FakeProblem.invalid("\(names[0]) is missing.", names[0])
        }
        let base64 = text.hasPrefix("data:") ? text.split(separator: ",").last.map(String.init) ?? "" : text
        guard let data = Data(base64Encoded: base64) else { throw FakeProblem.invalid("\(name) must be base64.", name) }
        guard data.count <= 10 * 1_048_576 else { throw FakeProblem(413, "The picture is larger than 10 MB.", field: name) }
        guard ["image/jpeg", "image/png", "image/webp", "image/heic"].contains(FakeFileType.of(data)) else {
            throw FakeProblem(400, "This is not a picture.", field: name)
        }
        return data
    }

    static func photo(_ id: String, isProfilePic: Bool) -> ProfilePhoto {
        ProfilePhoto(id: id, url: "https://keepsake.invalid/photos/\(id)?signature=none", isProfilePic: isProfilePic)
    }

    func account(withPhone number: String) -> (String, Account)? {
        let digits = number.filter { $0.isNumber || $0 == "+" }
        return accounts.first { $0.value.phone == digits }.map { ($0.key, $0.value) }
    }

    func name(of user: String) -> String { accounts[user]?.profile.name ?? "" }

    func picture(of user: String) -> String? { accounts[user]?.profile.photos.first { $0.isProfilePic }?.url }

    func areBlocked(_ one: String, _ other: String) -> Bool {
        blocks.contains { ($0.blocker == one && $0.blocked == other) || ($0.blocker == other && $0.blocked == one) }
    }

    func friendship(_ one: String, _ other: String) -> Friendship? {
        friendships.first { ($0.user1Id == one && $0.user2Id == other) || ($0.user1Id == other && $0.user2Id == one) }
    }

    /// The account of a person whom the caller may see.
    func person(_ id: String, for caller: String) throws -> Account {
        guard let account = accounts[id], !areBlocked(id, caller) else { throw FakeProblem.notFound("This person") }
        return account
    }

    func profile(of user: String, for call: FakeCall) throws -> PersonProfile {
        let account = try person(user, for: call.caller)
        var profile = account.profile
        profile.id = user
        profile.userId = user
        profile.birthday = profile.birthdate
        profile.age = profile.birthdate.map { Int(call.now.timeIntervalSince($0) / 31_556_952) }
        profile.onboarding = !account.isOnboarded
        profile.verified = account.isVerified
        if user == call.caller {
            profile.phone = account.phone ?? ""
        } else {
            profile.latitude = nil
            profile.longitude = nil
        }
        profile.stats = ProfileStats(
            friendCount: friendships.filter { $0.user1Id == user || $0.user2Id == user }.count,
            requestCount: user == call.caller ? requests.filter { $0.recipientId == user && $0.status == .pending }.count : 0,
            coveCount: coves(of: user).count)
        return profile
    }
}
