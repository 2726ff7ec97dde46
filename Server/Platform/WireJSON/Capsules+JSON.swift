package import KeepsakeWire

extension Capsule: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("user_id", userId)
        json.field("audio_url", orNull: audioURL)
        json.field("transcription", orNull: transcription)
        json.field("duration", duration)
        json.field("file_size", Int(fileSize))
        json.field("created_at", WireDate.format(createdAt, .microseconds))
        json.field("updated_at", WireDate.format(updatedAt, .microseconds))
        json.field("status", status.rawValue)
        json.field("metadata", orNull: metadata)
    }
}

extension CapsuleMetadata: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("waveform", waveform)
        json.field("language", orNull: language)
        json.field("words", words)
        json.field("emotions", emotions)
        json.field("topics", topics)
        json.field("summary", orNull: summary)
        json.field("engine", engine)
    }
}

extension SpokenWord: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("text", text)
        json.field("start", start)
        json.field("end", end)
        json.field("confidence", orNull: confidence)
    }
}

extension CapsuleUpload: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("capsule", capsule)
        json.field("upload_url", orNull: uploadURL)
    }
}

extension CapsuleList: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("capsules", capsules)
        json.field("next_cursor", orNull: nextCursor)
    }
}

extension CapsuleTranscription: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("capsule_id", capsuleId)
        json.field("status", status.rawValue)
        json.field("transcription", orNull: transcription)
        json.field("language", orNull: language)
        json.field("engine", orNull: engine)
        json.field("words", words)
    }
}
