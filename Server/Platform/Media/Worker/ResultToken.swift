/// Reports when nobody refers to a large result any more.
final class ResultToken: Sendable {
    private let isGone: @Sendable () -> Void

    /// - Parameter isGone: called once, on any thread.
    init(_ isGone: @escaping @Sendable () -> Void) { self.isGone = isGone }

    deinit { isGone() }
}
