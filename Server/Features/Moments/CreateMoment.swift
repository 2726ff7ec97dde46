import Blobs
import Core
import KeepsakeWire
import Media
import Search
import Web

/// `POST /api/users/user/{userId}/moods|memories|events/swift`: stores an entry with its pictures, videos and voice note. If one part
/// fails, nothing is stored.
struct CreateMoment<Output: Encodable & Sendable>: Sendable {
    let store: MomentStore
    let kind: Moment.Kind
    let gate: UploadGate
    let library: MediaLibrary
    let identifiers: Identifiers
    let render: @Sendable (Moment) -> Output

    func handle(_ input: OwnerPath, _ form: IncomingForm, _ context: WebContext) async throws -> Kept<Output> {
        let owner = try context.requireViewer().accountID
        let session = UploadSession(rules: library.limited(MomentRules.upload(kind)), gate: gate, owner: owner)
        let upload = try await form.receive(into: session, plain: MomentRules.plainTypes)
        return try await upload.settle {
            var moment = try MomentRules.moment(
                kind, upload.texts, id: identifiers.next(), owner: owner, now: identifiers.clock.now)
            let isVoice = upload.files.map { $0.field == MediaLibrary.voiceField }
            if moment.groupID == nil, isVoice.filter({ !$0 }).count > 1 { moment.groupID = identifiers.next() }
            // The ids of all files, including the voice note, descend in the order of the form. Lists keep this order.
            let files = library.files(upload.files, groupID: moment.groupID) { file in
                file.field == MediaLibrary.voiceField ? "voice" : kind.rawValue
            }
            moment.pictures = zip(files, isVoice).filter { !$0.1 }.map { $0.0.id }
            let voice = zip(files, isVoice).first { $0.1 }?.0
            moment.voice = voice?.id
            moment.voiceMilliseconds = voice.flatMap { $0.durationMilliseconds ?? moment.voiceMilliseconds }
            moment.files = files.compactMap { file in file.type.map { Moment.File(id: file.id, type: $0.rawValue) } }
            let made = moment
            let words = try await SearchWords(made.document.texts, in: context)
            return try await store.add(made, words, files: files) { tx in
                try context.idempotency.keep(render(made), creating: [made.resource], tx)
            }
        }
    }
}
