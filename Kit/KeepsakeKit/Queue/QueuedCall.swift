public import Foundation
import HTTPTypes
public import KeepsakeWire

/// What an entry of an `OfflineQueue` sends. In most cases this is one request that creates something. For a capsule or a capture, it is
/// several requests that create it together.
///
/// It works with any `CreationEndpoint`: `QueuedCall(.init(rawValue: "cove"), CoveEndpoints.create) { _ in input }`.
public struct QueuedCall: Sendable {
    /// The kind of an entry, by which the app tells entries apart.
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
    /// The entry's idempotency key; `enqueue` can replace it.
    var key: String?

    /// - Parameters:
    ///   - form: the body, for an endpoint that takes a form. The queue copies its files.
    ///   - input: makes the input from the id of the account that the entry belongs to.
    public init<Input: Sendable, Output>(
        _ kind: Kind, _ creation: CreationEndpoint<Input, Output>, form: MultipartForm? = nil,
        input: @escaping @Sendable (_ userID: String) throws -> Input
    ) {
        self.kind = kind
        steps = [Step(creation.endpoint, form, keySuffix: "", input)]
    }

    /// One request of a call.
    struct Step: Sendable {
        /// Writes the request's body to the file, and returns the request's other parts. `queuedAt` is the time that the entry gets if the
        /// call names no time; if it is `nil`, the server sets the time.
        let make: @Sendable (_ userID: String, _ file: URL, _ boundary: String, _ queuedAt: Date?) throws -> Parts
        /// The request's `Idempotency-Key` is the entry's key followed by this text. `nil` for a request that needs no key, because
        /// repeating it changes nothing.
        let keySuffix: String?
        /// Values of the response that later requests need: the name of each value and its place in the JSON.
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
        ///   - form: makes the body from the time at which the entry was added to the queue.
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
        /// responses to the earlier steps.
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
    /// Queues what `Moments.createMood` sends.
    /// - Parameter createdAt: when it happened; `nil` means the time at which the entry is added to the queue, by the device's clock. If
    ///   you pass a `key` to `enqueue`, the queue does not add this time, because the request must equal the earlier attempt: pass the same
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

    /// Queues what `Moments.createMemory` sends.
    /// - Parameter createdAt: as in `mood`.
    public static func memory(
        title: String, description: String? = nil, location: String? = nil, tags: [String] = [], images: [URL] = [],
        voiceNote: URL? = nil, category: String? = nil, groupId: String? = nil, createdAt: Date? = nil
    ) -> QueuedCall {
        let form = MultipartForm.memory(
            title: title, description: description, location: location, tags: tags, images: images, voiceNote: voiceNote)
        return QueuedCall(.memory, MomentEndpoints.createMemory, form, category, groupId, createdAt)
    }

    /// Queues what `Moments.createEvent` sends.
    /// - Parameter createdAt: when the person created the entry; not the time of the event. `nil` has the same effect as in `mood`.
    public static func event(
        title: String, date: Date, description: String? = nil, location: String? = nil, tags: [String] = [], images: [URL] = [],
        voiceNote: URL? = nil, category: String? = nil, groupId: String? = nil, createdAt: Date? = nil
    ) -> QueuedCall {
        let form = MultipartForm.event(
            title: title, date: date, description: description, location: location, tags: tags, images: images, voiceNote: voiceNote)
        return QueuedCall(.event, MomentEndpoints.createEvent, form, category, groupId, createdAt)
    }

    /// Makes the call for a mood, a memory or an event.
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

    /// Queues what `MediaLibrary.upload` sends.
    public static func upload(_ files: [URL], labels: MediaLibrary.Labels = .init()) -> QueuedCall {
        QueuedCall(.upload, MediaEndpoints.upload, form: .upload(files, labels)) { OwnerPath(userId: $0) }
    }

    /// Queues what `MediaLibrary.uploadProfilePicture` sends.
    /// - Parameter image: at most 10 MB.
    public static func profilePicture(_ image: URL) -> QueuedCall {
        var form = MultipartForm()
        form.files = [.init(name: "file", fileName: image.lastPathComponent, content: .file(image))]
        return QueuedCall(.profilePicture, MediaEndpoints.profilePicture, form: form) { OwnerPath(userId: $0) }
    }

    /// Queues what `Captures.capture` sends: the files, then the capture. If the transport of `Keepsake` does not support WebSockets, the
    /// queue parks the entry with the error `unsupported`.
    /// - Throws: `invalid_request` when a capture cannot have this id, or the transcription is too long for one message.
    public static func capture(
        photo: URL? = nil, audio: URL? = nil, transcription: String? = nil, at: Date = Date(), id: String
    ) throws -> QueuedCall {
        guard CaptureInput.isID(id) else {
            throw KeepsakeError(.invalidRequest, "The id of a capture is 1 to 128 ASCII letters, digits, '.', '_' or '-'.", field: "id")
        }
        let capture = CaptureInput(id: id, timestamp: at, transcription: transcription)
        _ = try capture.message()
        var call = QueuedCall(.capture, steps: [])
        // `Captures.capture` uses the same keys, so the server recognizes a repeat by either method.
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
    /// - Parameter captureID: the same as `CaptureUploadInput.captureId`.
    public static func captureFile(_ captureID: String, _ file: URL) -> QueuedCall {
        var form = MultipartForm()
        form.files = [.init(name: "file", fileName: file.lastPathComponent, content: .file(file))]
        return QueuedCall(.captureFile, CaptureEndpoints.upload, form: form) { _ in CaptureUploadInput(captureId: captureID) }
    }

    /// Queues what `Capsules.create` sends: the capsule, then its recording, then its completion.
    /// - Parameter createdAt: when it was recorded; `nil` has the same meaning as in `mood`.
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
        // `Capsules.create` uses the same suffix, so the server recognizes a repeat by either method.
        call.steps.append(
            Step(CapsuleEndpoints.uploadAudio.endpoint, form, keySuffix: "-audio") { _ in CapsulePath(id: capsuleMark) })
        // Repeating this step does no harm: the status only moves forward.
        call.steps.append(
            Step(CapsuleEndpoints.complete, nil, keySuffix: nil) { _ in CompleteCapsuleInput(id: capsuleMark, status: "processing") })
        return call
    }

    /// A placeholder for the capsule's id, which is known only from the first response. RFC 3986 allows its characters in a path without
    /// escapes.
    private static let capsuleMark = "~capsule~"
}
