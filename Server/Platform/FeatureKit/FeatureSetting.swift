/// A setting of a feature. It is a flag (`--scrub-hours`), an environment variable (`KEEPSAKE_SCRUB_HOURS`) and a key in keepsake.yaml
/// (`scrub_hours`), in this order of precedence. It is parsed once, at start-up; an invalid value stops the start with one line naming it.
package struct FeatureSetting<Value: Sendable>: FeatureSettingReader {
    /// Lower case with underscores, for example `scrub_hours`.
    package let key: String
    /// One sentence for `keepsake --help`, with the unit and the range.
    package let help: String
    package let usual: Value
    /// Completes the sentence "KEEPSAKE_… must be …".
    private let form: String
    private let parse: @Sendable (String) -> Value?

    /// - Parameter parse: returns `nil` for an invalid text.
    package init(
        _ key: String, default usual: Value, help: String, mustBe form: String, parse: @escaping @Sendable (String) -> Value?
    ) {
        self.key = key
        self.usual = usual
        self.help = help
        self.form = form
        self.parse = parse
    }

    package func read(_ text: String, into values: inout FeatureSettings) throws {
        guard let value = parse(text) else {
            throw WrongSetting(description: "KEEPSAKE_\(key.uppercased()) must be \(form): \(text)")
        }
        values[self] = value
    }
}

extension FeatureSetting<Int> {
    /// A whole number.
    package init(_ key: String, default usual: Int, in range: ClosedRange<Int>, help: String) {
        self.init(
            key, default: usual, help: help, mustBe: "a whole number from \(range.lowerBound) to \(range.upperBound)"
        ) { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }
}

extension FeatureSetting<Bool> {
    /// `on` or `off`.
    package init(_ key: String, default usual: Bool, help: String) {
        self.init(key, default: usual, help: help, mustBe: "one of on, off") { text in ["on": true, "off": false][text] }
    }
}

/// A setting of any value type. The code that parses all settings uses this protocol.
package protocol FeatureSettingReader: Sendable {
    var key: String { get }
    var help: String { get }
    /// - Throws: `WrongSetting`.
    func read(_ text: String, into values: inout FeatureSettings) throws
}

/// An invalid value of a setting: one line for the operator.
package struct WrongSetting: Error, CustomStringConvertible {
    package let description: String
}

/// The values of all features' settings.
package struct FeatureSettings: Sendable {
    private var values: [String: any Sendable] = [:]

    package init() {}

    /// The value that the operator set, or the default.
    package subscript<Value>(_ setting: FeatureSetting<Value>) -> Value {
        get { values[setting.key] as? Value ?? setting.usual }
        set { values[setting.key] = newValue }
    }
}
