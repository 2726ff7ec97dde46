public import Foundation
import HTTPTypes
public import KeepsakeWire

/// What an entry of an `OfflineQueue` sends: one request that creates something or, for a capsule or a capture, the requests that together
/// create it.
///
/// Any creation of the API fits: `QueuedCall(.init(rawValue: "cove"), CoveEndpoints.create) { _ in input }`.
public struct QueuedCall: Sendable {
    /// For the app, to tell entries apart.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let mood = Kind(rawValue: "mood")
        public static let memory = Kind(rawValue: "memory")
        public static let event = Kind(rawValue: "event")
        public static let upload = Kind(rawValue: "upload")
        public static let profilePicture = Kind(rawValue: "profile_picture")
        public static let capsule = Kind(rawValue: "capsule")
        public static let capture = Kind(rawValue: "capture")
        public static let captureFile = Kind(rawValue: "capture_file")
    }

    public let kind: Kind
    var steps: [Step]
    /// The idempotency key, unless the app passes another one to `enqueue`.
    var key: String?

    /// - Parameters:
    ///   - form: the body, for an endpoint that takes a form. The queue copies its files.
    ///   - input: makes the input, with the id of the account that the entry belongs to.
    public init<Input: Sendable, Output>(
        _ kind: Kind, _ creation: CreationEndpoint<Input, Output>, form: MultipartForm? = nil,
        input: @escaping @Sendable (_ userID: String) throws -> Input
    ) {
        self.kind = kind
        steps = [Step(creation.endpoint, form, keySuffix: "", input)]
    }

    /// One request.
    struct Step: Sendable {
        /// Writes the request's body to the file, and returns the request's other parts. `queuedAt` is the time that the entry gets if the
        /// call names none; `nil` if the server sets the time.
        let make: @Sendable (_ userID: String, _ file: URL, _ boundary: String, _ queuedAt: Date?) throws -> Parts
        /// What follows the entry's key in the request's `Idempotency-Key`; `nil` for a request that needs none, because a repeat changes
        /// nothing.
        let keySuffix: String?
        /// Values of the response that later requests need: for each, its name and its place in the JSON.
        var takes: [String: [String]] = [:]

        struct Parts {
            var method: String
            var path: String
            var surface: String
            var contentType: String?
        }

        init<Input: Sendable, Output>(
            _ endpoint: Endpoint<Input, Output>, _ form: MultipartForm?, keySuffix: String?,
            _ input: @escaping @Sendable (String) throws -> Input
        ) {
            self.init(endpoint, keySuffix: keySuffix, form: { _ in form }, input: { userID, _ in try input(userID) })
        }

        /// - Parameters:
        ///   - form: makes the body from the time at which the entry was queued.
        ///   - input: makes the input from the account's id and that time.
        init<Input: Sendable, Output>(
            _ endpoint: Endpoint<Input, Output>, keySuffix: String?, form makeForm: @escaping @Sendable (Date?) -> MultipartForm?,
            input: @escaping @Sendable (String, Date?) throws -> Input
        ) {
            self.keySuffix = keySuffix
            let route = Route(endpoint)
            make = { userID, file, boundary, queuedAt in
                let request = try RequestParts(route, try input(userID, queuedAt))
                var parts = Parts(method: route.method.rawValue, path: request.path, surface: route.surface.rawValue)
                if let form = makeForm(queuedAt) {
                    try form.compose(in: file, boundary: boundary)
                    parts.contentType = "multipart/form-data; boundary=\(boundary)"
                } else if let json = request.json {
                    try json.write(to: file)
                    parts.contentType = "application/json"
                }
                return parts
            }
        }

        /// A capture, which the queue sends on the socket of captures. Its links are the values `photo` and `audio`, taken from the
        /// responses to the steps before.
        init(_ capture: CaptureInput) {
            // The capture's id makes a repeat safe.
            keySuffix = nil
            make = { _, file, _, _ in
                try JSONEncoder().encode(capture).write(to: file)
                return Parts(
                    method: StoredEntry.Step.capture, path: "", surface: CaptureEndpoints.socket.surface.rawValue,
                    contentType: "application/json")
            }
        }
    }
}

extension QueuedCall {
    /// As `Moments.createMood`.
    /// - Parameter createdAt: when it happened; with `nil`, the entry gets the time at which it is queued, by the device's clock. If
    ///   `enqueue` gets a `key`, it does not fill in this time, because the request must equal the earlier attempt: pass the same
    ///   `createdAt` to both.
    public static func mood(
        _ mood: String, note: String? = nil, reason: String? = nil, tags: [String] = [], interests: [String] = [],
        moodIntensity: Int? = nil, images: [URL] = [], voiceNote: URL? = nil, category: String? = nil, groupId: String? = nil,
        createdAt: Date? = nil
    ) -> QueuedCall {
        let form = MultipartForm.mood(
            mood, note: note, reason: reason, tags: tags, interests: interests, moodIntensity: moodIntensity, images: images,
            voiceNote: voiceNote)
        return QueuedCall(.mood, MomentEndpoints.createMood, form, category, groupId, createdAt)
    }

    /// As `Moments.createMemory`.
    /// - Parameter createdAt: as in `mood`.
    public static func memory(
        title: String, description: String? = nil, location: String? = nil, tags: [String] = [], images: [URL] = [],
        voiceNote: URL? = nil, category: String? = nil, groupId: String? = nil, createdAt: Date? = nil
    ) -> QueuedCall {
        let form = MultipartForm.memory(
            title: title, description: description, location: location, tags: tags, images: images, voiceNote: voiceNote)
        return QueuedCall(.memory, MomentEndpoints.createMemory, form, category, groupId, createdAt)
    }

    /// As `Moments.createEvent`.
    /// - Parameter createdAt: when the person created the entry; otherwise as in `mood`.
    public static func event(
        title: String, date: Date, description: String? = nil, location: String? = nil, tags: [String] = [], images: [URL] = [],
        voiceNote: URL? = nil, category: String? = nil, groupId: String? = nil, createdAt: Date? = nil
    ) -> QueuedCall {
        let form = MultipartForm.event(
            title: title, date: date, description: description, location: location, tags: tags, images: images, voiceNote: voiceNote)
        return QueuedCall(.event, MomentEndpoints.createEvent, form, category, groupId, createdAt)
    }

    /// A mood, a memory or an event.
    private init<Output>(
        _ kind: Kind, _ creation: CreationEndpoint<OwnerPath, Output>, _ form: MultipartForm, _ category: String?, _ groupId: String?,
        _ createdAt: Date?
    ) {
        let makeForm: @Sendable (Date?) -> MultipartForm? = { queuedAt in
            var form = form
            form.add(category: category, groupId: groupId, createdAt: createdAt ?? queuedAt)
            return form
        }
        self.init(
            kind, steps: [Step(creation.endpoint, keySuffix: "", form: makeForm, input: { userID, _ in OwnerPath(userId: userID) })])
    }

    /// As `MediaLibrary.upload`.
    public static func upload(_ files: [URL], labels: MediaLibrary.Labels = .init()) -> QueuedCall {
        QueuedCall(.upload, MediaEndpoints.upload, form: .upload(files, labels)) { OwnerPath(userId: $0) }
    }

    /// - Parameter image: at most 10 MB.
    public static func profilePicture(_ image: URL) -> QueuedCall {
        var form = MultipartForm()
        form.files = [.init(name: "file", fileName: image.lastPathComponent, content: .file(image))]
        return QueuedCall(.profilePicture, MediaEndpoints.profilePicture, form: form) { OwnerPath(userId: $0) }
    }

    /// As `Captures.capture`: the files, then the capture. The transport of `Keepsake` needs WebSockets; otherwise the entry is parked as
    /// `unsupported`.
    /// - Throws: `invalid_request` when the id is not one of a capture, or the transcription is too long for one message.
    public static func capture(
        photo: URL? = nil, audio: URL? = nil, transcription: String? = nil, at: Date = Date(), id: String
    ) throws -> QueuedCall {
        guard CaptureInput.isID(id) else {
            throw KeepsakeError(.invalidRequest, "The id of a capture is 1 to 128 ASCII letters, digits, '.', '_' or '-'.", field: "id")
        }
        let capture = CaptureInput(id: id, timestamp: at, transcription: transcription)
        _ = try capture.message()
        var call = QueuedCall(.capture, steps: [])
        // `Captures.capture` uses the same keys, so a repeat of either is recognised.
        call.key = id
        for (name, file) in [("photo", photo), ("audio", audio)] {
            guard let file else { continue }
            var form = MultipartForm()
            form.files = [.init(name: "file", fileName: file.lastPathComponent, content: .file(file))]
            var step = Step(CaptureEndpoints.upload.endpoint, form, keySuffix: "-" + name) { _ in CaptureUploadInput(captureId: id) }
            step.takes = [name: ["url"]]
            call.steps.append(step)
        }
        call.steps.append(Step(capture))
        return call
    }

    private init(_ kind: Kind, steps: [Step]) {
        self.kind = kind
        self.steps = steps
    }

    /// The photo or the recording of a capture, without the capture itself.
    /// - Parameter captureID: as `CaptureUploadInput.captureId`.
    public static func captureFile(_ captureID: String, _ file: URL) -> QueuedCall {
        var form = MultipartForm()
        form.files = [.init(name: "file", fileName: file.lastPathComponent, content: .file(file))]
        return QueuedCall(.captureFile, CaptureEndpoints.upload, form: form) { _ in CaptureUploadInput(captureId: captureID) }
    }

    /// As `Capsules.create`: the capsule, then its recording, then its completion.
    /// - Parameter createdAt: when it was recorded; `nil` as in `mood`.
    /// - Throws: an error of the file system.
    public static func capsule(_ recording: URL, duration: Double, createdAt: Date? = nil) throws -> QueuedCall {
        let size = try recording.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        let create = Step(CapsuleEndpoints.create.endpoint, keySuffix: "", form: { _ in nil }) { _, queuedAt in
            CreateCapsuleInput(
                duration: duration, fileSize: Int64(size), createdAt: (createdAt ?? queuedAt).map { WireDate.format($0, .microseconds) })
        }
        var call = QueuedCall(.capsule, steps: [create])
        call.steps[0].takes = [capsuleMark: ["capsule", "id"]]
        var form = MultipartForm()
        form.files = [.init(name: "audio", fileName: recording.lastPathComponent, type: "audio/wav", content: .file(recording))]
        // `Capsules.create` uses the same suffix, so a repeat of either is recognised.
        call.steps.append(
            Step(CapsuleEndpoints.uploadAudio.endpoint, form, keySuffix: "-audio") { _ in CapsulePath(id: capsuleMark) })
        // A repeat of this step changes nothing: the status only moves forward.
        call.steps.append(
            Step(CapsuleEndpoints.complete, nil, keySuffix: nil) { _ in CompleteCapsuleInput(id: capsuleMark, status: "processing") })
        return call
    }

    /// A placeholder for the capsule's id, which only the first response contains. RFC 3986 needs no escape for it in a path.
    private static let capsuleMark = "~capsule~"
}
