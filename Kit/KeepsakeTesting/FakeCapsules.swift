import Foundation
import KeepsakeWire

extension FakeRoutes {
    mutating func addCapsules() {
        serve(CapsuleEndpoints.create) { input, call, state in
            guard input.duration > 0, input.duration <= 604_800 else {
                throw FakeProblem.invalid("duration must be greater than 0 and at most one week.", "duration")
            }
            guard 1...209_715_200 ~= input.fileSize else {
                throw FakeProblem.invalid("file_size must be 1 to 209,715,200 bytes.", "file_size")
            }
            var createdAt = call.now
            if let text = input.createdAt {
                guard let date = WireDate.parse(text) else { throw FakeProblem.invalid("created_at must be ISO 8601.", "created_at") }
                createdAt = date
            }
            let id = state.create()
            let capsule = Capsule(
                id: id, userId: call.caller, audioURL: nil, transcription: nil, duration: input.duration, fileSize: input.fileSize,
                createdAt: createdAt, updatedAt: call.now, status: .uploading, metadata: nil)
            state.capsules[call.caller, default: []].append(capsule)
            state.emitCapsule("capsule.created", capsule, call)
            return CapsuleUpload(capsule: capsule, uploadURL: "https://keepsake.invalid/v0/capsules/\(id)/upload?signature=none")
        }
        serve(CapsuleEndpoints.uploadAudio) { input, call, state in
            var capsule = try state.capsule(input.id, call.caller)
            guard let audio = call.form.files.first(where: { $0.name == "audio" }) else {
                throw FakeProblem.invalid("Send the recording as audio.", "audio")
            }
            guard FakeFileType.of(audio.data)?.hasPrefix("audio/") == true else { throw FakeProblem(422, "This is not a recording.") }
            guard capsule.status == .uploading else { throw FakeProblem(409, "The capsule is complete.") }
            capsule.audioURL = "https://keepsake.invalid/v0/capsules/\(input.id)/audio?signature=none"
            capsule.fileSize = Int64(audio.data.count)
            capsule.updatedAt = call.now
            state.put(capsule)
            return CapsuleUpload(capsule: capsule, uploadURL: nil)
        }
        serve(CapsuleEndpoints.complete) { input, call, state in
            var capsule = try state.capsule(input.id, call.caller)
            // The status only moves forward.
            guard capsule.status == .uploading else { return capsule }
            guard capsule.audioURL != nil else { throw FakeProblem(409, "The capsule has no audio yet.") }
            capsule.status = .processing
            capsule.updatedAt = call.now
            let answer = capsule
            state.emitCapsule("capsule.updated", capsule, call)
            state.transcribe(&capsule)
            state.put(capsule)
            state.emitCapsule("capsule.updated", capsule, call)
            return answer
        }
        serve(CapsuleEndpoints.list) { input, call, state in
            let all = (state.capsules[call.caller] ?? []).sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
            let page = try all.page(after: input.cursor, limit: input.limit) { $0.id }
            return CapsuleList(capsules: page.rows, nextCursor: page.next)
        }
        serve(CapsuleEndpoints.get) { input, call, state in try state.capsule(input.id, call.caller) }
        serve(CapsuleEndpoints.delete) { input, call, state in
            let capsule = try state.capsule(input.id, call.caller)
            state.capsules[call.caller]?.removeAll { $0.id == input.id }
            state.forget(input.id)
            state.emitCapsule("capsule.deleted", capsule, call)
            return Empty()
        }
        serve(CapsuleEndpoints.transcription) { input, call, state in
            let capsule = try state.capsule(input.id, call.caller)
            return CapsuleTranscription(
                capsuleId: capsule.id, status: capsule.status, transcription: capsule.transcription,
                language: capsule.metadata?.language, engine: capsule.metadata?.engine, words: capsule.metadata?.words ?? [])
        }
    }
}

extension FakeState {
    func capsule(_ id: String, _ owner: String) throws -> Capsule {
        guard let capsule = capsules[owner]?.first(where: { $0.id == id }) else { throw FakeProblem.notFound("The capsule") }
        return capsule
    }

    mutating func put(_ capsule: Capsule) {
        guard let index = capsules[capsule.userId]?.firstIndex(where: { $0.id == capsule.id }) else { return }
        capsules[capsule.userId]?[index] = capsule
    }

    mutating func emitCapsule(_ type: String, _ capsule: Capsule, _ call: FakeCall) {
        emit(type, .object(["id": .string(capsule.id), "status": .string(capsule.status.rawValue)]), to: call.caller, call.now)
    }

    /// Transcribes the capsule at once. The real server takes a while.
    func transcribe(_ capsule: inout Capsule) {
        capsule.transcription = transcript
        capsule.status = transcript == nil ? .failed : .completed
        let texts = (transcript ?? "").split(separator: " ")
        let length = capsule.duration / Double(max(texts.count, 1))
        capsule.metadata = CapsuleMetadata(
            waveform: [], language: transcript == nil ? nil : "en",
            words: texts.enumerated().map { index, text in
                SpokenWord(text: String(text), start: Double(index) * length, end: Double(index + 1) * length, confidence: nil)
            }, topics: [], summary: nil, engine: transcript == nil ? "off" : "fake")
    }
}
