package import KeepsakeWire

extension EntryFile: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("type", type)
    }
}

extension MoodData: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("mood", mood)
        json.field("note", note)
        json.field("voiceNote", voiceNote)
        json.field("voiceNoteDuration", voiceNoteDuration)
        json.field("reason", reason)
        json.field("tags", tags)
        json.field("interests", interests)
        json.field("moodIntensity", moodIntensity)
        json.field("createdAt", createdAt)
        json.field("imageUrls", imageUrls)
        json.field("category", category)
        json.field("groupId", groupId)
        if let files { json.field("files", files) }
    }
}

extension MoodResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("mood", mood)
        json.field("imageUrls", imageUrls)
    }
}

extension MoodListResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("moods", moods)
        json.field("pagination", pagination)
    }
}

extension MoodStatisticsResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("count", count)
        json.field("meanIntensity", meanIntensity)
        json.field("moods", moods)
        json.field("days", days)
        json.field("timeZone", timeZone)
    }
}

extension MoodStatisticsResponse.Day: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("date", date)
        json.field("count", count)
        json.field("meanIntensity", meanIntensity)
        json.field("moods", moods)
    }
}

extension MoodStatisticsResponse.Tally: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("mood", mood)
        json.field("count", count)
        json.field("meanIntensity", meanIntensity)
    }
}

extension MemoryData: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("title", title)
        json.field("description", description)
        json.field("location", location)
        json.field("tags", tags)
        json.field("createdAt", createdAt)
        json.field("imageUrls", imageUrls)
        json.field("voiceNote", voiceNote)
        json.field("voiceNoteDuration", voiceNoteDuration)
        json.field("category", category)
        json.field("groupId", groupId)
        if let files { json.field("files", files) }
    }
}

extension MemoryResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("memory", memory)
        json.field("imageUrls", imageUrls)
    }
}

extension MemoryListResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("memories", memories)
        json.field("pagination", pagination)
    }
}

extension EventData: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("title", title)
        json.field("description", description)
        json.field("date", date)
        json.field("location", location)
        json.field("tags", tags)
        json.field("createdAt", createdAt)
        json.field("imageUrls", imageUrls)
        json.field("voiceNote", voiceNote)
        json.field("voiceNoteDuration", voiceNoteDuration)
        json.field("category", category)
        json.field("groupId", groupId)
        if let files { json.field("files", files) }
    }
}

extension EventResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("event", event)
        json.field("imageUrls", imageUrls)
    }
}

extension EventListResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("events", events)
        json.field("pagination", pagination)
    }
}
