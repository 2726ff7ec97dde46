package import HTTPTypes

extension HTTPFields {
    /// Up to this number of fields, looking for a name costs less than `append`.
    private static let fewFields = 16

    /// Adds the field after the others, like `append`, but usually without it. `append` calls a generic method of HTTPTypes that our
    /// modules cannot specialize, so it handles the field through witness tables. The setter of a field by its name is inlined.
    package mutating func add(_ field: HTTPField) {
        // Two cases need `append`. With many fields, looking up each name would take quadratic time. If a field has the same name, the
        // setter would replace it.
        if count >= Self.fewFields || contains(field.name) { append(field) } else { self[fields: field.name] = [field] }
    }
}
