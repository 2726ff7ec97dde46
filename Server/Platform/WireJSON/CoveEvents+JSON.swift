import KeepsakeWire

extension CoverPhoto: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("url", url)
    }
}

extension CoveEventData: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("name", name)
        json.field("description", orNull: description)
        json.field("date", WireDate.format(date, .milliseconds))
        json.field("location", location)
        json.field("coveId", coveId)
        json.field("coveName", coveName)
        json.field("coveCoverPhoto", orNull: coveCoverPhoto)
        json.field("hostId", hostId)
        json.field("hostName", hostName)
        json.field("rsvpStatus", orNull: rsvpStatus?.rawValue)
        json.field("goingCount", goingCount)
        json.field("createdAt", WireDate.format(createdAt, .milliseconds))
        json.field("coverPhoto", orNull: coverPhoto)
    }
}

extension CoveEventsResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("events", events)
        json.field("pagination", pagination)
    }
}
