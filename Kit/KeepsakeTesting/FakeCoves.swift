import Foundation
import KeepsakeWire

struct FakeCove {
    struct Member {
        var id: String
        var user: String
        var role: CoveRole
        var joinedAt: Date
    }

    var id: String
    var name: String
    var description: String?
    var location: String
    var createdAt: Date
    var creator: String
    var cover: CoverPhoto?
    var joining = CoveJoining.id
    /// The members, in the order in which they joined.
    var members: [Member] = []
    /// The people whom an ADMIN removed. They can return only by invitation.
    var removed: Set<String> = []

    var fields: CreatedCove.Fields {
        CreatedCove.Fields(id: id, name: name, description: description, location: location, createdAt: createdAt)
    }

    var summary: CoveSummary { CoveSummary(id: id, name: name, coverPhoto: cover) }
}

extension FakeRoutes {
    mutating func addCoves() {
        serve(CoveEndpoints.create) { input, call, state in
            guard try state.account(call.caller).isVerified else {
                throw FakeProblem(403, "Only verified users can create coves. Ask the server's operator.")
            }
            let cover = try state.cover(call)
            let cove = FakeCove(
                id: state.create(), name: try FakeText.required(input.name, "name", max: 100), description: input.description,
                location: try FakeText.required(input.location, "location", max: 200), createdAt: call.now, creator: call.caller,
                cover: cover, members: [.init(id: state.newID(), user: call.caller, role: .admin, joinedAt: call.now)])
            state.coves.append(cove)
            state.emitCove("cove.joined", cove, ["userId": call.caller], to: [call.caller], call.now)
            return CreatedCove(message: "Created.", cove: cove.fields)
        }
        serve(CoveEndpoints.read) { input, call, state in
            let (cove, member) = try state.cove(input.coveId, member: call.caller)
            return CoveResponse(
                cove: CoveDetails(
                    id: cove.id, name: cove.name, description: cove.description, location: cove.location, createdAt: cove.createdAt,
                    creator: .init(id: cove.creator, name: state.name(of: cove.creator)), coverPhoto: cove.cover,
                    stats: .init(
                        memberCount: cove.members.count, eventCount: state.coveEvents.filter { $0.cove == cove.id }.count),
                    joining: cove.joining, role: member.role, isCreator: cove.creator == call.caller))
        }
        serve(CoveEndpoints.list) { _, call, state in UserCoves(coves: state.coves(of: call.caller).map(\.summary)) }
        serve(CoveEndpoints.edit) { input, call, state in
            var cove = try state.cove(input.coveId, admin: call.caller)
            try FakeText.applyRequired(input.name, "name", max: 100, &cove.name)
            FakeText.apply(input.description, &cove.description)
            try FakeText.applyRequired(input.location, "location", max: 200, &cove.location)
            if case .clear = input.coverPhoto { cove.cover = nil }
            if let cover = try state.cover(call) { cove.cover = cover }
            if let joining = input.joining { cove.joining = joining }
            state.put(cove)
            return CreatedCove(message: "Changed.", cove: cove.fields)
        }
        serve(CoveEndpoints.delete) { input, call, state in
            let (cove, _) = try state.cove(input.coveId, member: call.caller)
            guard cove.creator == call.caller else { throw FakeProblem(403, "Only the creator may do this.") }
            state.coves.removeAll { $0.id == cove.id }
            state.coveEvents.removeAll { $0.cove == cove.id }
            state.invites.removeAll { $0.cove == cove.id }
            state.forget(cove.id)
            state.emitCove("cove.ended", cove, [:], to: cove.members.map(\.user), call.now)
            return MessageResponse(message: "Deleted.")
        }
        addMembers()
    }

    private mutating func addMembers() {
        serve(CoveEndpoints.members) { input, call, state in
            let (cove, _) = try state.cove(input.coveId, member: call.caller)
            let viewable = state
            let all = cove.members.reversed().filter { !viewable.areBlocked($0.user, call.caller) }.map {
                CoveMemberData(
                    id: $0.user, name: viewable.name(of: $0.user), profilePhotoUrl: viewable.picture(of: $0.user), role: $0.role,
                    joinedAt: $0.joinedAt)
            }
            let page = try all.page(after: input.cursor, limit: input.limit, clamp: Self.clamp) { $0.id }
            return CoveMembersResponse(members: page.rows, pagination: Pagination(nextCursor: page.next))
        }
        serve(CoveEndpoints.join) { input, call, state in
            guard var cove = state.coves.first(where: { $0.id == input.coveId }) else { throw FakeProblem.notFound("The cove") }
            if let member = cove.members.first(where: { $0.user == call.caller }) {
                return MembershipResponse(message: "You are a member already.", member: FakeState.data(member, cove.id))
            }
            let phone = try state.account(call.caller).phone
            let invite = state.invites.firstIndex { $0.cove == cove.id && $0.phone == phone }
            guard invite != nil || (cove.joining == .id && !cove.removed.contains(call.caller)) else {
                throw FakeProblem(403, "You need an invitation to this cove.")
            }
            if let invite { state.invites.remove(at: invite) }
            let member = FakeCove.Member(id: state.create(), user: call.caller, role: .member, joinedAt: call.now)
            cove.members.append(member)
            cove.removed.remove(call.caller)
            state.put(cove)
            state.emitCove("cove.joined", cove, ["userId": call.caller], to: cove.members.map(\.user), call.now)
            return MembershipResponse(message: "Joined.", member: FakeState.data(member, cove.id))
        }
        serve(CoveEndpoints.leave) { input, call, state in
            let (cove, _) = try state.cove(input.coveId, member: call.caller)
            guard cove.creator != call.caller else { throw FakeProblem(409, "The creator cannot leave; delete the cove instead.") }
            state.remove(call.caller, from: cove, call.now)
            return MessageResponse(message: "Left.")
        }
        serve(CoveEndpoints.removeMember) { input, call, state in
            var cove = try state.cove(input.coveId, admin: call.caller)
            guard cove.members.contains(where: { $0.user == input.userId }) else { throw FakeProblem.notFound("The member") }
            guard cove.creator != input.userId else { throw FakeProblem(403, "The creator cannot be removed.") }
            cove.removed.insert(input.userId)
            state.put(cove)
            state.remove(input.userId, from: cove, call.now)
            return MessageResponse(message: "Removed.")
        }
        serve(CoveEndpoints.setRole) { input, call, state in
            var (cove, _) = try state.cove(input.coveId, member: call.caller)
            guard cove.creator == call.caller else { throw FakeProblem(403, "Only the creator may do this.") }
            guard let index = cove.members.firstIndex(where: { $0.user == input.userId }) else { throw FakeProblem.notFound("The member") }
            cove.members[index].role = input.role
            state.put(cove)
            return MembershipResponse(message: "Changed.", member: FakeState.data(cove.members[index], cove.id))
        }
    }
}

extension FakeState {
    /// The user's coves, in the order in which the user joined them.
    func coves(of user: String) -> [FakeCove] {
        coves.filter { $0.members.contains { $0.user == user } }.sorted { one, other in
            func joined(_ cove: FakeCove) -> Date { cove.members.first { $0.user == user }?.joinedAt ?? .distantPast }
            return (joined(one), one.id) < (joined(other), other.id)
        }
    }

    func cove(_ id: String, member: String) throws -> (FakeCove, FakeCove.Member) {
        guard let cove = coves.first(where: { $0.id == id }) else { throw FakeProblem.notFound("The cove") }
        guard let found = cove.members.first(where: { $0.user == member }) else {
            throw FakeProblem(403, "You are not a member of this cove.")
        }
        return (cove, found)
    }

    func cove(_ id: String, admin: String) throws -> FakeCove {
        let (cove, member) = try cove(id, member: admin)
        guard member.role == .admin else { throw FakeProblem(403, "Only an ADMIN may do this.") }
        return cove
    }

    mutating func put(_ cove: FakeCove) {
        if let index = coves.firstIndex(where: { $0.id == cove.id }) { coves[index] = cove }
    }

    mutating func remove(_ user: String, from cove: FakeCove, _ now: Date) {
        var left = cove
        left.members.removeAll { $0.user == user }
        put(left)
        for index in coveEvents.indices where coveEvents[index].cove == cove.id { coveEvents[index].answers.removeAll { $0.user == user } }
        emitCove("cove.left", cove, ["userId": user], to: cove.members.map(\.user), now)
    }

    /// Decodes the cover in the request's body, if it has one.
    mutating func cover(_ call: FakeCall) throws -> CoverPhoto? {
        guard call.text("coverPhoto") != nil else { return nil }
        let picture = try Self.picture(call, "coverPhoto")
        let id = newID()
        photos[id] = picture
        return CoverPhoto(id: id, url: "https://keepsake.invalid/covers/\(id)?signature=none")
    }

    static func data(_ member: FakeCove.Member, _ cove: String) -> MembershipData {
        MembershipData(id: member.id, coveId: cove, userId: member.user, role: member.role, joinedAt: member.joinedAt)
    }

    mutating func emitCove(_ type: String, _ cove: FakeCove, _ data: [String: String], to users: [String], _ now: Date) {
        var values = data.mapValues { JSONValue.string($0) }
        values["coveId"] = .string(cove.id)
        for user in users { emit(type, .object(values), to: user, now) }
    }
}
