internal import KeepsakeWire

/// The body of `PATCH /user/me` as clients send it. `UpdateMeInput` ignores the members that the route refuses. This type records whether
/// they are present, without keeping their values.
struct UpdateMeBody: Codable, Sendable {
    let input: UpdateMeInput
    let hasEmail: Bool
    let hasPassword: Bool

    /// `AccountEndpoints.updateMe` with this type as its input.
    static var endpoint: Endpoint<UpdateMeBody, User> {
        let wire = AccountEndpoints.updateMe
        return Endpoint(wire.method, wire.path, surface: wire.surface, body: .json(maxByteCount: 16_384), rate: wire.rate)
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Refused.self)
        hasEmail = members.contains(.email)
        hasPassword = members.contains(.password)
        input = try UpdateMeInput(from: decoder)
    }

    func encode(to encoder: any Encoder) throws { try input.encode(to: encoder) }

    private enum Refused: String, CodingKey { case email, password }
}
