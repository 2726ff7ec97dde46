package import Core
package import Foundation
import KeepsakeWire

extension TimeRange {
    /// Reads the `from` and `to` of a list.
    /// - Parameter timeZone: returns the time zone in which days begin. A list without bounds does not need it, so it is then not called.
    /// - Throws: as `parse`; the error of `timeZone`.
    package static func read(from: String?, to: String?, in timeZone: () async throws -> TimeZone) async throws -> TimeRange {
        guard from != nil || to != nil else { return .all }
        return try parse(from: from, to: to, in: try await timeZone(), moment: WireDate.parseMicroseconds)
    }
}
