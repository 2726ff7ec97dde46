import Foundation
import KeepsakeWire

struct FakeInvite {
    var id: String
    var cove: String
    var sender: String
    /// The phone number in E.164 format.
    var phone: String
    var message: String?
    var createdAt: Date
    var isOpened = false
}

extension FakeRoutes {
    mutating func addInvitations() {
        serve(CoveInvitationEndpoints.send) { input, call, state in
            let cove = try state.cove(input.coveId, admin: call.caller)
            guard 1...200 ~= input.phoneNumbers.count else {
                throw FakeProblem.invalid("Send 1 to 200 phone numbers.", "phoneNumbers")
            }
            var (sent, refused): ([SentInvites.Sent], [SentInvites.Refused]) = ([], [])
            for number in input.phoneNumbers {
                let phone = number.filter { $0.isNumber || $0 == "+" }
                let account = state.account(withPhone: phone)?.0
                if phone.count < 8 || !phone.hasPrefix("+") {
                    refused.append(.init(phoneNumber: number, error: "This is not a phone number."))
                } else if state.invites.contains(where: { $0.cove == cove.id && $0.phone == phone }) {
                    refused.append(.init(phoneNumber: number, error: "An invitation already exists."))
                } else if cove.members.contains(where: { $0.user == account }) {
                    refused.append(.init(phoneNumber: number, error: "This person is already a member."))
                } else {
                    let invite = FakeInvite(
                        id: state.create(), cove: cove.id, sender: call.caller, phone: phone, message: input.message, createdAt: call.now)
                    state.invites.append(invite)
                    sent.append(.init(id: invite.id, phoneNumber: number, createdAt: call.now))
                    if let account { state.emitCove("cove.invited", cove, ["inviteId": invite.id], to: [account], call.now) }
                }
            }
            return SentInvites(message: "Sent.", invites: sent, errors: refused)
        }
        serve(CoveInvitationEndpoints.list) { _, call, state in
            guard let phone = try state.account(call.caller).phone else { return InviteList(invites: []) }
            let own = state.invites.filter { $0.phone == phone }.reversed()
            return InviteList(invites: own.compactMap { [state] in state.invite($0) })
        }
        serve(CoveInvitationEndpoints.open) { input, call, state in
            let index = try state.indexOfInvite(input.inviteId, to: call.caller)
            state.invites[index].isOpened = true
            guard let invite = state.invite(state.invites[index]) else { throw FakeProblem.notFound("The invitation") }
            return InviteResponse(message: "Opened.", invite: invite)
        }
        serve(CoveInvitationEndpoints.reject) { input, call, state in
            state.invites.remove(at: try state.indexOfInvite(input.inviteId, to: call.caller))
            state.forget(input.inviteId)
            return MessageResponse(message: "Rejected.")
        }
        serve(CoveInvitationEndpoints.sent) { input, call, state in
            if let cove = input.coveId { _ = try state.cove(cove, member: call.caller) }
            let all = state.invites.filter { $0.sender == call.caller && (input.coveId == nil || $0.cove == input.coveId) }.reversed().map {
                SentInvitesPage.Sent(id: $0.id, phone: $0.phone, createdAt: $0.createdAt, isOpened: $0.isOpened)
            }
            let page = try all.page(after: input.cursor, limit: input.limit, clamp: Self.clamp) { $0.id }
            return SentInvitesPage(invites: page.rows, pagination: Pagination(nextCursor: page.next))
        }
        serve(CoveInvitationEndpoints.cancel) { input, call, state in
            guard let index = state.invites.firstIndex(where: { $0.id == input.inviteId && $0.sender == call.caller }) else {
                throw FakeProblem.notFound("The invitation")
            }
            state.invites.remove(at: index)
            state.forget(input.inviteId)
            return MessageResponse(message: "Cancelled.")
        }
    }
}

extension FakeState {
    func indexOfInvite(_ id: String, to user: String) throws -> Int {
        guard let phone = try account(user).phone, let index = invites.firstIndex(where: { $0.id == id && $0.phone == phone }) else {
            throw FakeProblem.notFound("The invitation")
        }
        return index
    }

    func invite(_ invite: FakeInvite) -> Invite? {
        guard let cove = coves.first(where: { $0.id == invite.cove }) else { return nil }
        return Invite(
            id: invite.id, message: invite.message, createdAt: invite.createdAt, isOpened: invite.isOpened,
            cove: .init(
                id: cove.id, name: cove.name, description: cove.description, location: cove.location, coverPhotoId: cove.cover?.id,
                coverPhotoUrl: cove.cover?.url),
            sentBy: .init(
                id: invite.sender, name: name(of: invite.sender), profilePhotoId: nil, profilePhotoUrl: picture(of: invite.sender)))
    }
}
