package import Foundation

extension JSONEncoder {
    /// Makes an encoder that writes equal values as equal texts, as far as their types do. The order of keys would otherwise differ from run
    /// to run.
    package static func withSortedKeys() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
