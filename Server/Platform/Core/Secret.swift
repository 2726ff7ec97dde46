/// A value that must never be printed: however it reaches a log line, it shows as dots.
package struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Named so that each use of the bare value is seen in review.
    package let exposed: Value

    package init(_ value: Value) { self.exposed = value }

    package var description: String { "•••" }
    package var debugDescription: String { "•••" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable where Value: Equatable {}
