/// A value that must never be printed: its description, debug description and mirror show only dots.
package struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name makes every use of the bare value visible in code review.
    package let exposed: Value

    package init(_ value: Value) { self.exposed = value }

    package var description: String { "•••" }
    package var debugDescription: String { "•••" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable where Value: Equatable {}
