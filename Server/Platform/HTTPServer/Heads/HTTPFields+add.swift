package import HTTPTypes

extension HTTPFields {
    /// Up to this number of fields, looking for a name costs less than `append`.
    private static let fewFields = 16

    /// Adds the field after the others, like `append`. `append` calls a generic method of HTTPTypes, which our modules cannot specialize: it
    /// handles the field through witness tables. The setter of a field by its name is inlined.
    package mutating func add(_ field: HTTPField) {
        // The bound keeps a head of many fields from costing their square. The setter would replace a field of the same name.
        if count >= Self.fewFields || contains(field.name) { append(field) } else { self[fields: field.name] = [field] }
    }
}
