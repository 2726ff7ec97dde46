package import KeepsakeWire

/// A path prefix and the surface to which all paths below it belong.
package struct PathSurface: Sendable, Hashable {
    /// Without a slash at its end, for example `/api/chat`.
    package let prefix: String
    package let surface: Surface

    package init(_ prefix: String, _ surface: Surface) {
        self.prefix = prefix
        self.surface = surface
    }
}

/// Finds the surface, and so the dialect, for an error when no route matches the path.
package struct PathSurfaces: Sendable {
    /// All prefixes, the longest first.
    private let all: [PathSurface]

    /// - Precondition: no prefix occurs with two surfaces.
    package init(_ surfaces: [PathSurface] = []) {
        all = Set(surfaces).sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
        precondition(Set(all.map(\.prefix)).count == all.count, "a path prefix has two surfaces")
    }

    /// The surface of the longest prefix that matches whole segments of `path`; surface 4 when none matches.
    package func surface(of path: String) -> Surface {
        let match = all.first { path == $0.prefix || path.hasPrefix($0.prefix + "/") }
        return match?.surface ?? .capsules
    }
}
