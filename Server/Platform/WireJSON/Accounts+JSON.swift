package import KeepsakeWire

extension User: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("email", orNull: email)
        json.field("name", orNull: name)
        json.field("created_at", WireDate.format(createdAt, .microseconds))
        json.field("is_pro_user", isProUser)
        json.field("outside_engines", outsideEngines)
        json.field("time_zone", orNull: timeZone)
        json.field("profile_picture_url", profilePictureURL)
        json.field("usage", usage)
    }
}

extension AccountUsage: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("files", files)
        json.field("bytes", bytes)
        json.field("quota", quota)
    }
}
