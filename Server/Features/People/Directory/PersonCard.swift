package import Database

/// What others see of a person in lists: the name and the profile picture.
package struct PersonCard: Sendable, Equatable {
    /// The account's id.
    package let id: String
    /// Empty before the person has onboarded.
    package let name: String
    /// The media library's id of the profile picture; `nil` when there is none.
    package let picture: String?
    /// Whether the account is closed or suspended.
    package let isHidden: Bool

    package init(id: String, name: String, picture: String?, isHidden: Bool = false) {
        self.id = id
        self.name = name
        self.picture = picture
        self.isHidden = isHidden
    }

    /// Reads the columns of `PersonSQL.columns`, which must come next in the row.
    package init(_ row: inout RowReader, id: String) throws {
        let name: String? = try row.next("name")
        let hidden: Int64? = try row.next("hidden")
        let picture: String? = try row.next("media")
        self.init(id: id, name: name ?? "", picture: picture, isHidden: hidden == 1)
    }
}
