import Core
package import Database

/// The direction of a list.
package enum PageOrder {
    /// - Parameter order: as the client sent it; default `desc`.
    /// - Throws: `.invalid` naming `order` unless it is `asc` or `desc`.
    package static func read(_ order: String?) throws -> Keyset.Direction {
        switch order {
        case nil, "desc": .descending
        case "asc": .ascending
        default: throw Problem(.invalid, "order must be asc or desc.", field: "order")
        }
    }

    /// The direction's part of a cursor's scope. It is empty for the default direction, so that cursors made before a list had this
    /// parameter stay valid.
    package static func scope(_ direction: Keyset.Direction) -> [String] { direction == .ascending ? ["asc"] : [] }
}
